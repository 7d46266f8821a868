"""P5: who asks for something from the Launchpad, and why."""

import dagster as dg
from pymongo.database import Database

from footy_assets.clock import Clock
from footy_assets.operations.by_hand import ByHand
from footy_assets.store.audit import AuditLog
from footy_assets.store.collections import Document

# Tags of a run: Dagster's own UI knows no users.
WHO_TAG = "footy/who"
WHY_TAG = "footy/why"
NOT_TOLD = "not told"
AUTOMATIC = frozenset({"dagster/schedule_name", "dagster/sensor_name", "dagster/backfill"})


def asked(
    context: dg.OpExecutionContext | dg.AssetExecutionContext,
    database: Database[Document],
    clock: Clock,
    why: str | None = None,
) -> ByHand:
    """The run, and the person that its tags name."""
    tags, run = context.run.tags, f"run {context.run.run_id}"
    who = f"{tags[WHO_TAG]} ({run})" if WHO_TAG in tags else run
    return ByHand(AuditLog(database), clock, who, why or tags.get(WHY_TAG, NOT_TOLD))


def is_by_hand(context: dg.AssetExecutionContext) -> bool:
    """Whether a person started the run, and no schedule, sensor or backfill."""
    return not AUTOMATIC & context.run.tags.keys()
