"""P5: the operator and the reason of a run started in Dagster's Launchpad."""

import dagster as dg
from pymongo.database import Database

from footy_assets.clock import Clock
from footy_assets.operator_actions import NO_REASON, OperatorAction
from footy_assets.store.audit import AuditLog
from footy_assets.store.collections import Document

# Run tags that name the operator: Dagster's UI has no users.
WHO_TAG = "footy/who"
WHY_TAG = "footy/why"
AUTOMATIC = frozenset({"dagster/schedule_name", "dagster/sensor_name", "dagster/backfill"})


def operator_action(
    context: dg.OpExecutionContext | dg.AssetExecutionContext,
    database: Database[Document],
    clock: Clock,
    why: str | None = None,
) -> OperatorAction:
    """The action that a run performs, for the operator that its tags name."""
    tags, run = context.run.tags, f"run {context.run.run_id}"
    who = f"{tags[WHO_TAG]} ({run})" if WHO_TAG in tags else run
    return OperatorAction(AuditLog(database), clock, who, why or tags.get(WHY_TAG, NO_REASON))


def is_started_by_operator(context: dg.AssetExecutionContext) -> bool:
    """Whether a person started the run, and no schedule, sensor or backfill."""
    return not AUTOMATIC & context.run.tags.keys()
