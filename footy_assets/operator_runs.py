"""P5: the operator and the reason of a run started in Dagster's Launchpad."""

import dagster as dg
from pymongo.database import Database

from footy_assets.clock import Clock
from footy_assets.dagster_internals import run_of_input
from footy_assets.operator_actions import NO_REASON, OperatorAction
from footy_assets.store.audit import AuditLog
from footy_assets.store.collections import Document

# Run tags that name the operator: Dagster's UI has no users.
WHO_TAG = "footy/who"
WHY_TAG = "footy/why"
REEXECUTED = "re-executed from failure"
AUTOMATIC = frozenset({"dagster/schedule_name", "dagster/sensor_name", "dagster/backfill"})


def operator_action(
    context: dg.OpExecutionContext | dg.AssetExecutionContext,
    database: Database[Document],
    clock: Clock,
    why: str | None = None,
) -> OperatorAction:
    """The action that a run performs, for the operator that its tags name."""
    return action_of_run(context.run, database, clock, why or context.run.tags.get(WHY_TAG))


def reexecution_action(
    context: dg.InputContext, database: Database[Document], clock: Clock
) -> OperatorAction:
    """The action of a re-execution that repeats what its failed run did, to load an input."""
    run = run_of_input(context)
    return action_of_run(run, database, clock, run.tags.get(WHY_TAG, REEXECUTED))


def action_of_run(
    run: dg.DagsterRun, database: Database[Document], clock: Clock, why: str | None
) -> OperatorAction:
    name = f"run {run.run_id}"
    who = f"{run.tags[WHO_TAG]} ({name})" if WHO_TAG in run.tags else name
    return OperatorAction(AuditLog(database), clock, who, why or NO_REASON)


def is_started_by_operator(context: dg.AssetExecutionContext) -> bool:
    """Whether a person started the run, and no schedule, sensor or backfill."""
    return not AUTOMATIC & context.run.tags.keys()
