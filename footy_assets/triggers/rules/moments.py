"""T1: a moment of a match, from which a snapshot is made."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.rules.minute import MatchMinute


class Rank(IntEnum):
    """The order of the moments of one minute."""

    MARK = -1
    STATUS = 0
    EVENT = 1
    LATER_DETAIL = 2
    CANCELLATION = 3
    COUNT = 4


@dataclass(frozen=True, slots=True)
class Moment:
    """`options` are its standard events, without the state that every snapshot carries."""

    minute: MatchMinute
    rank: Rank
    id: str
    status: str
    score: tuple[int, int]
    options: dict[str, Any]
    cancels: str | None = None
    replaces: str | None = None

    @property
    def order(self) -> tuple[int, int, int]:
        return (*self.minute.sort_key, self.rank)


def score_at(live_goals: Iterable[GoalEvent], minute: MatchMinute) -> tuple[int, int]:
    """The score at a minute, by the goals that count."""
    so_far = [goal for goal in live_goals if goal.minute.sort_key <= minute.sort_key]
    home = sum(goal.side == "home" for goal in so_far)
    return home, len(so_far) - home
