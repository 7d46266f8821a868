"""T18: stores a snapshot for each goal whose clip is published."""

from collections.abc import Iterable, Sequence
from datetime import date

from pymongo.database import Database

from footy_assets.matchday.store.goals import GoalStore
from footy_assets.store.collections import Document
from footy_assets.triggers.rules.clip_moments import (
    PublishedClip,
    clip_snapshot,
    clip_snapshot_id,
)
from footy_assets.triggers.store.snapshots import SnapshotStore


def announce_clips(
    database: Database[Document], clips: Iterable[PublishedClip], live_since: date
) -> Sequence[str]:
    """The ids of the new snapshots. Those of matches before `live_since` notify nobody.

    Repeat the call after a crash: a snapshot that is stored changes nothing.
    """
    goals, store = GoalStore(database), SnapshotStore(database)
    stored: list[str] = []
    for clip in clips:
        goal = goals.get(clip.goal_key)
        fixture = goals.fixture_of(goal) if goal else None
        if goal is None or fixture is None or not goal.live:
            continue
        known = store.get(clip_snapshot_id(goal))
        snapshot = clip_snapshot(fixture, goal, clip, known[1] if known else None)
        if snapshot is not None:
            day = fixture.matchday
            stored += store.store([snapshot], day.isoformat(), waits=day >= live_since)
    return stored
