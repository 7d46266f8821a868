"""P1: a readable label on every run."""

from collections.abc import Collection
from datetime import date, datetime

import dagster as dg

from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.goal import GoalEvent

EVENT_TAG = "footy/event"
WORK_TAG = "footy/work"
PRIORITY_TAG = "dagster/priority"
LABEL_TAG = "footy/label"
# The trace of the goal, as W3C Trace Context writes it.
TRACE_TAG = "footy/traceparent"
# Where a run waits for a worker, if there is a broker. dagster-celery reads the tags.
QUEUE_TAG = "dagster-celery/queue"
QUEUE_PRIORITY_TAG = "dagster-celery/run_priority"


def label_run(context: dg.AssetExecutionContext | dg.OpExecutionContext, label: str) -> None:
    """Name the run after the first thing it does, unless its request already named it."""
    run = context.instance.get_run_by_id(context.run.run_id)
    if run is not None and LABEL_TAG not in run.tags:
        context.instance.add_run_tags(run.run_id, {LABEL_TAG: label})


def ingest_label(days: Collection[date]) -> str:
    first, last = min(days), max(days)
    span = f"{first:%d_%m_%Y}" if first == last else f"{first:%d_%m_%Y}-{last:%d_%m_%Y}"
    return f"ingest-{span}"


def monitor_label(moment: datetime) -> str:
    return f"monitor-{moment:%d_%m_%Y-%H:%M}"


def retention_label(moment: datetime) -> str:
    return f"retention-{moment:%d_%m_%Y-%H:%M}"


def triggers_label(days: Collection[date]) -> str:
    return ingest_label(days).replace("ingest", "triggers")


def search_label(fixture: Fixture, goal: GoalEvent) -> str:
    return f"search-{_goal_label(fixture, goal)}-{goal.event_id}"


def sweep_label(events: int) -> str:
    return f"search-{events}-events"


def canary_label(sites: int) -> str:
    return f"canary-{sites}-sites"


def clips_label(fixture: Fixture | None, goal: GoalEvent, videos: int) -> str:
    """`clips-Liverpool-Salah-3vids-123456_40_306_Goal_1`."""
    return f"clips-{_goal_label(fixture, goal, minute=False)}-{videos}vids-{goal.event_id}"


def _goal_label(fixture: Fixture | None, goal: GoalEvent, minute: bool = True) -> str:
    """`Liverpool-Salah-45+3min`."""
    side = "" if fixture is None else fixture.side_of(goal.team_id).name
    parts = [side.replace(" ", "_"), (goal.player.name or "unknown").split()[-1]]
    if minute:
        parts.append(f"{goal.minute}".replace("'", "min"))
    return "-".join(part for part in parts if part)
