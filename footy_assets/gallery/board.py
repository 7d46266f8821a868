"""The operations page: health, work in progress, refused videos, time to the first clip."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from statistics import median

from footy_assets.clips.rules.reasons import REASONS
from footy_assets.clips.store.figures import Latency
from footy_assets.gallery.health import Status
from footy_assets.gallery.store import GalleryStore
from footy_assets.matchday.poll_pace import PollPace
from footy_assets.matchday.rules.goal import GoalEvent

LOOK_BACK = timedelta(days=7)
MOST_REASONS = 12
MOST_SHOWN = 20


@dataclass(frozen=True, slots=True)
class UnderWay:
    """A goal that is being searched for, or whose videos wait."""

    goal: GoalEvent
    attempt: int
    searching: bool
    videos_waiting: int


@dataclass(frozen=True, slots=True)
class Board:
    status: Status
    under_way: tuple[UnderWay, ...]
    refused: tuple[tuple[str, int], ...]
    latencies: tuple[Latency, ...]
    poll: PollPace | None
    # How fast the clock runs. The times to the first clip are those of the reader's own.
    speed: float = 1.0

    @property
    def typical(self) -> timedelta | None:
        seconds = [one.took.total_seconds() for one in self.latencies]
        return timedelta(seconds=median(seconds)) if seconds else None

    @property
    def slowest(self) -> timedelta | None:
        return max((one.took for one in self.latencies), default=None)


def in_real_time(latencies: Iterable[Latency], speed: float) -> tuple[Latency, ...]:
    """As long as they took on the wall, where the clock of the matches runs faster."""
    return tuple(replace(one, took=one.took / speed) for one in latencies)


def under_way(store: GalleryStore) -> tuple[UnderWay, ...]:
    waiting, searched = store.videos.count_waiting_by_goal(), store.goals_being_searched()
    return tuple(
        UnderWay(goal, attempt, goal.key in searched, waiting.get(goal.key, 0))
        for goal, attempt in store.goals_with_attempt([*searched, *waiting], MOST_SHOWN)
    )


def refusals(store: GalleryStore, since: datetime) -> tuple[tuple[str, int], ...]:
    """Why videos did not become clips, in words, most often first."""
    found = store.videos.count_without_clip(REASONS, since, MOST_REASONS)
    return tuple((reason.replace("_", " "), count) for reason, count in found)
