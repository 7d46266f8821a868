"""What the sensors of clips look for: goals with new videos, and something to delete."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice

from footy_assets.clips.store.clips import ClipDocuments
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.store.goals import GoalStore
from footy_assets.matchday.store.retention import RetentionStore
from footy_assets.search.store.videos import VideoStore


@dataclass(frozen=True, slots=True)
class DueGoal:
    """`preferred` if somebody waits for its clip (T16)."""

    goal: GoalEvent
    preferred: bool


def goals_due(
    goals: GoalStore,
    videos: VideoStore,
    partitions: Collection[str],
    has_run: Callable[[GoalEvent], bool],
    limit: int,
) -> list[DueGoal]:
    """Live goals with chosen videos and a partition that no run works on; SE9: those that somebody
    waits for first."""
    preferred = goals.preferred_keys()
    keys = sorted(videos.goals_with_waiting(), key=lambda key: key not in preferred)
    found = (goals.get(key) for key in keys)
    due = (
        DueGoal(goal, goal.key in preferred)
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
