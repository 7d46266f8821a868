"""R5: a match in the words of no provider in particular."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from footy_assets.matchday.minute import MatchMinute
from footy_assets.matchday.sighting import GoalSighting


class MatchStatus(StrEnum):
    UPCOMING = "upcoming"
    LIVE = "live"
    COMPLETED = "completed"
    ABANDONED = "abandoned"


# A period is told in the short words of `matchday/statuses.py`. Breaks are no completion.
STATUS_OF_PERIOD: dict[str, MatchStatus] = {
    **dict.fromkeys(("TBD", "NS", "PST"), MatchStatus.UPCOMING),
    **dict.fromkeys(("1H", "HT", "2H", "ET", "BT", "P", "SUSP", "INT", "LIVE"), MatchStatus.LIVE),
    **dict.fromkeys(("FT", "AET", "PEN", "AWD", "WO"), MatchStatus.COMPLETED),
    **dict.fromkeys(("CANC", "ABD"), MatchStatus.ABANDONED),
}
OVER = frozenset({MatchStatus.COMPLETED, MatchStatus.ABANDONED})


def status_of(period: str) -> MatchStatus:
    """A period that nobody documented is taken as play: it is watched, never dropped."""
    return STATUS_OF_PERIOD.get(period.strip().upper(), MatchStatus.LIVE)


@dataclass(frozen=True, slots=True)
class Sides:
    home: str
    away: str


@dataclass(frozen=True, slots=True)
class Score:
    home: int | None = None
    away: int | None = None


NO_SCORE = Score()


@dataclass(frozen=True, slots=True)
class LastEvent:
    """The newest goal that a provider lists."""

    minute: MatchMinute
    side: str
    kind: str
    player: str | None = None


@dataclass(frozen=True, slots=True)
class NormalisedMatch:
    """`id` is ours; `metadata` holds what only one provider knows, as its own id."""

    id: int
    domain: str
    teams: Sides
    period: str
    start: datetime
    score: Score = NO_SCORE
    cards: Score = NO_SCORE
    minute: MatchMinute | None = None
    competition: str | None = None
    venue: str | None = None
    last_event: LastEvent | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def title(self) -> str:
        return f"{self.teams.home} – {self.teams.away}"

    @property
    def status(self) -> MatchStatus:
        return status_of(self.period)


@dataclass(frozen=True, slots=True)
class GoalClaim:
    """A goal as one provider lists it; its players' ids mean nothing to others."""

    side: str
    minute: MatchMinute
    detail: str
    scorer: str | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """What one provider said of one match. `goals` is None where it lists none at all;
    `takes_back` are VAR decisions, each as its side and minute."""

    match: NormalisedMatch
    at: datetime
    confidence: float = 1.0
    goals: tuple[GoalClaim, ...] | None = None
    takes_back: tuple[tuple[str, str], ...] = ()

    @property
    def domain(self) -> str:
        return self.match.domain


def claims_of(goals: tuple[GoalSighting, ...] | None, home_id: int) -> tuple[GoalClaim, ...] | None:
    if goals is None:
        return None
    return tuple(
        GoalClaim(
            "home" if goal.team_id == home_id else "away",
            goal.minute,
            goal.detail,
            goal.scorer.name,
        )
        for goal in goals
    )
