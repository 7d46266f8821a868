"""What the sensors of clips look for: goals with new videos, and something to delete."""

from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from itertools import islice

from footy_assets.clips.store.clips import ClipDocuments
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.store.goals import GoalStore
from footy_assets.matchday.store.retention import RetentionStore
from footy_assets.search.store.videos import VideoStore


def goals_due(
    goals: GoalStore,
    videos: VideoStore,
    partitions: Collection[str],
    has_run: Callable[[GoalEvent], bool],
    limit: int,
) -> list[GoalEvent]:
    """Live goals with chosen videos and a partition that no run works on."""
    found = (goals.get(key) for key in videos.goals_with_waiting())
    due = (
        goal
        for goal in found
        if goal is not None and goal.live and goal.event_id in partitions and not has_run(goal)
    )
    return list(islice(due, limit))


def is_retention_due(
    matches: RetentionStore, clips: ClipDocuments, now: datetime, keep: timedelta
) -> bool:
    """F9: a match has expired, a removed goal has objects, or a renamed goal has clips to move."""
    return bool(
        matches.expired(now, keep)
        or matches.removed_goals_with_objects()
        or clips.clips_of_renamed_goals()
    )
