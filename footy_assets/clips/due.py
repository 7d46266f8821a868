"""What the sensors of clips look for: goals with new videos, and something to delete."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice

from footy_assets.clips.store.clips import ClipDocuments
from footy_assets.clips.store.held import HeldFiles
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.store.goals import GoalStore
from footy_assets.matchday.store.retention import RetentionStore
from footy_assets.search.store.videos import VideoStore


@dataclass(frozen=True, slots=True)
class DueGoal:
    """`preferred` if somebody waits for its clip (T16), `served` if it has a clip or a held one."""

    goal: GoalEvent
    preferred: bool
    served: bool = False


def goals_due(
    goals: GoalStore,
    videos: VideoStore,
    partitions: Collection[str],
    has_run: Callable[[GoalEvent], bool],
    limit: int,
    overdue_held: Collection[str] = (),
    served: Collection[str] = (),
) -> list[DueGoal]:
    """Live goals with chosen videos, or with overdue held ones, and a partition that no run works
    on; SE9: those that somebody waits for first, then those without any clip."""
    preferred = goals.preferred_keys()
    waiting = {*videos.goals_with_waiting(), *overdue_held}
    keys = sorted(waiting, key=lambda key: (key not in preferred, key in served, key))
    found = (goals.get(key) for key in keys)
    due = (
        DueGoal(goal, goal.key in preferred, goal.key in served)
        for goal in found
        if goal is not None and goal.live and goal.event_id in partitions and not has_run(goal)
    )
    return list(islice(due, limit))


def overdue_held(goals: GoalStore, held: HeldFiles, before: datetime) -> list[str]:
    """SE8: goals with held files that are stable since `before`: the tick in which they became
    stable has not published them."""
    found = (goals.get(key) for key in held.goals())
    return [
        goal.key
        for goal in found
        if goal is not None and goal.live and goal.stable_at is not None and goal.stable_at < before
    ]


def is_retention_due(
    matches: RetentionStore, clips: ClipDocuments, now: datetime, keep: timedelta
) -> bool:
    """F9: a match has expired, a removed goal has objects, or a renamed goal has clips to move."""
    return bool(
        matches.expired(now, keep)
        or matches.removed_goals_with_objects()
        or clips.clips_of_renamed_goals()
    )
