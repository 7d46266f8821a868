"""SE8: publishes what is held, within the tick that makes goals stable.

S3 is opened only when there is something to publish: a poll that changes nothing costs no
connection, and an outage of S3 stops no poll.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from pymongo.database import Database
from pymongo.errors import PyMongoError

from footy_assets.clips.batch import ClipBatch
from footy_assets.clips.publish_held import HeldPublisher
from footy_assets.errors import FootyError
from footy_assets.logs import Stage, StageLog, no_log
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.store.goals import GoalStore
from footy_assets.progress import Watchdog, heartbeat
from footy_assets.search.store.videos import VideoStore
from footy_assets.store.collections import Document

# In real time. A tick must stay far below 60 s; what is left over is published by a run.
WITHIN_SECONDS = 10.0

OpenPublisher = Callable[[], AbstractContextManager[HeldPublisher]]


def publish_in_tick(
    database: Database[Document], open_publisher: OpenPublisher, goals: Sequence[GoalEvent]
) -> list[ClipBatch]:
    """Those that somebody waits for first. Raises nothing: the sensor `clips_due` requests a run
    for what fails here."""
    published: list[ClipBatch] = []
    try:
        if held := _with_held(database, goals):
            watchdog = Watchdog(silence=WITHIN_SECONDS, safety_net=WITHIN_SECONDS)
            watchdog.run("publishing", lambda: _publish(open_publisher, held, published))
    except Exception as error:
        StageLog(Stage.UPLOAD).warning("held_not_published", reason=str(error))
    return list(published)


def _with_held(database: Database[Document], goals: Sequence[GoalEvent]) -> list[GoalEvent]:
    videos = VideoStore(database)
    held = [goal for goal in goals if videos.held_of(goal.key)]
    preferred = GoalStore(database).preferred_keys() if held else ()
    return sorted(held, key=lambda goal: goal.key not in preferred)


def _publish(
    open_publisher: OpenPublisher, goals: Sequence[GoalEvent], published: list[ClipBatch]
) -> None:
    with open_publisher() as publisher:
        for goal in goals:
            heartbeat()
            try:
                batch = publisher.publish(goal.key, f"tick-{goal.key}", no_log)
            except (FootyError, PyMongoError) as error:
                log = StageLog(Stage.UPLOAD, ids={"event_id": goal.event_id})
                log.warning("held_not_published", reason=str(error))
            else:
                published += [batch] if batch else []
