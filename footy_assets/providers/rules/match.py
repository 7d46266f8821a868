"""R5: a match independent of any provider."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.matchday.rules.sighting import GoalSighting, side_of
from footy_assets.matchday.rules.statuses import (
    BEFORE_KICKOFF,
    CALLED_OFF,
    DECIDED_WITHOUT_PLAY,
    IN_PROGRESS,
    PLAYED_TO_THE_END,
    STOPPED,
    MatchStatus,
)


class MatchPhase(StrEnum):
    UPCOMING = "upcoming"
    LIVE = "live"
    COMPLETED = "completed"
    ABANDONED = "abandoned"


PHASE_OF_STATUS: Mapping[str, MatchPhase] = {
    **dict.fromkeys(BEFORE_KICKOFF | {MatchStatus.POSTPONED}, MatchPhase.UPCOMING),
    # Breaks and interruptions are not the end.
    **dict.fromkeys(IN_PROGRESS | STOPPED, MatchPhase.LIVE),
    **dict.fromkeys(PLAYED_TO_THE_END | DECIDED_WITHOUT_PLAY, MatchPhase.COMPLETED),
    **dict.fromkeys(CALLED_OFF, MatchPhase.ABANDONED),
}
OVER = frozenset({MatchPhase.COMPLETED, MatchPhase.ABANDONED})


def phase_of(status: str) -> MatchPhase:
    """An unknown status counts as play: the match is polled, never dropped."""
    return PHASE_OF_STATUS.get(status.strip().upper(), MatchPhase.LIVE)


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
    """`id` is ours; `metadata` holds provider-specific values, such as its own id."""

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
    def phase(self) -> MatchPhase:
        return phase_of(self.period)


@dataclass(frozen=True, slots=True)
class PersonClaim:
    """A player as a provider names them: `id` is the provider's own."""

    id: str | None = None
    name: str | None = None


NOBODY_CLAIMED = PersonClaim()


@dataclass(frozen=True, slots=True)
class GoalClaim:
    """A goal as one provider lists it. `side` is credited with it; `scorer_id` is the provider's
    own: ids of players differ between providers."""

    side: str
    minute: MatchMinute
    detail: str
    scorer: str | None = None
    scorer_id: str | None = None
    assist: PersonClaim = NOBODY_CLAIMED


@dataclass(frozen=True, slots=True)
class Report:
    """One provider's data of one match. `goals` is None if it lists no goals;
    `cancellations` are VAR decisions, each as side and minute."""

    match: NormalisedMatch
    at: datetime
    confidence: float = 1.0
    goals: tuple[GoalClaim, ...] | None = None
    cancellations: tuple[tuple[str, str], ...] = ()

    @property
    def domain(self) -> str:
        return self.match.domain


def to_claims(goals: tuple[GoalSighting, ...] | None, home_id: int) -> tuple[GoalClaim, ...] | None:
    if goals is None:
        return None
    return tuple(
        GoalClaim(
            side_of(goal.team_id, home_id),
            goal.minute,
            goal.detail,
            goal.scorer.name,
        )
        for goal in goals
    )
