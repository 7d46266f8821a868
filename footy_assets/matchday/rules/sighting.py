"""A sighting: a match as one answer of a provider shows it. The input of every rule."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal

from footy_assets.matchday.rules.minute import MatchMinute

SHOOTOUT_COMMENT = "penalty shootout"

HomeOrAway = Literal["home", "away"]


class EventType(StrEnum):
    """The types of the feed's events that are used, in lower case."""

    GOAL = "goal"
    CARD = "card"
    SUBSTITUTION = "subst"
    VAR = "var"


class GoalDetail(StrEnum):
    """The details of goals. A feed may write them in other cases: see `goal_detail`."""

    NORMAL_GOAL = "Normal Goal"
    PENALTY = "Penalty"
    OWN_GOAL = "Own Goal"
    MISSED_PENALTY = "Missed Penalty"


class IncidentKind(StrEnum):
    """As stored."""

    CARD = "card"
    SUBSTITUTION = "substitution"
    MISSED_PENALTY = "penalty"
    VAR = "var"


GOALS = frozenset({GoalDetail.NORMAL_GOAL, GoalDetail.PENALTY, GoalDetail.OWN_GOAL})
INCIDENTS = {
    EventType.CARD: IncidentKind.CARD,
    EventType.SUBSTITUTION: IncidentKind.SUBSTITUTION,
    EventType.VAR: IncidentKind.VAR,
}
_EVENT_TYPES = {one.lower(): one for one in EventType}
_GOAL_DETAILS = {one.lower(): one for one in GoalDetail}


@dataclass(frozen=True, slots=True)
class Player:
    id: int | None = None
    name: str | None = None

    @property
    def known(self) -> bool:
        """E4: id present, name neither null nor "Unknown"."""
        return bool(self.id) and bool(self.name) and str(self.name).strip().lower() != "unknown"


NOBODY = Player()


@dataclass(frozen=True, slots=True)
class GoalSighting:
    team_id: int
    scorer: Player
    minute: MatchMinute
    detail: str
    assist: Player = NOBODY
    comments: str | None = None


@dataclass(frozen=True, slots=True)
class Cancellation:
    """A VAR decision that cancels a goal."""

    team_id: int
    player_id: int | None
    minute: MatchMinute
    detail: str

    @property
    def key(self) -> str:
        return f"{self.team_id}:{self.player_id}:{self.minute}:{self.detail}"


@dataclass(frozen=True, slots=True)
class Incident:
    """A card, substitution, missed penalty or VAR decision, for triggers; goals ignore them.

    In a substitution `player` goes off and `other` comes on.
    """

    kind: IncidentKind
    team_id: int
    player: Player
    minute: MatchMinute
    detail: str
    other: Player = NOBODY


@dataclass(frozen=True, slots=True)
class Side:
    id: int
    name: str
    winner: bool | None = None
    logo: str | None = None


@dataclass(frozen=True, slots=True)
class League:
    id: int
    name: str
    season: int | None = None
    round: str | None = None
    country: str | None = None


@dataclass(frozen=True, slots=True)
class FixtureSighting:
    fixture_id: int
    kickoff: datetime
    status: str
    elapsed: int | None
    extra: int | None
    league: League
    home: Side
    away: Side
    goals_home: int | None
    goals_away: int | None
    # None: the answer has no list of events, so no goal is missing from it.
    goals: tuple[GoalSighting, ...] | None = None
    cancellations: tuple[Cancellation, ...] = ()
    # False: parts of the list could not be parsed, so a goal may be missing from it.
    goals_complete: bool = True
    # None: as for goals.
    incidents: tuple[Incident, ...] | None = None
    # Home and away; None: not counted for this match.
    corners: tuple[int, int] | None = None

    @property
    def has_winner(self) -> bool:
        return bool(self.home.winner or self.away.winner)

    @property
    def lists_every_goal(self) -> bool:
        """False while the list of goals lags behind the score, as after a late winner."""
        score = (self.goals_home, self.goals_away)
        return self.listed is not None and (None in score or self.listed == score)

    @property
    def listed(self) -> tuple[int, int] | None:
        """Goals in the provider's own list, home and away."""
        if self.goals is None:
            return None
        home = sum(goal.team_id == self.home.id for goal in self.goals)
        return home, len(self.goals) - home


def side_of(team_id: int | None, home_id: int | None) -> HomeOrAway:
    return "home" if team_id == home_id else "away"


def event_type(text: str) -> EventType | None:
    return _EVENT_TYPES.get(text.strip().lower())


def goal_detail(text: str | None) -> GoalDetail | None:
    return _GOAL_DETAILS.get((text or "").strip().lower())


def is_goal(kind: str, detail: str | None, comments: str | None) -> bool:
    """E1: a goal that counts: not a missed penalty, not a shoot-out kick."""
    return (
        event_type(kind) is EventType.GOAL
        and goal_detail(detail) in GOALS
        and SHOOTOUT_COMMENT not in (comments or "").lower()
    )


def incident_kind(kind: str, detail: str | None, comments: str | None) -> IncidentKind | None:
    """T3: the kind of a feed event that is not a goal; None for shoot-out kicks and others."""
    type_ = event_type(kind)
    if type_ is EventType.GOAL:
        missed = goal_detail(detail) is GoalDetail.MISSED_PENALTY
        in_play = SHOOTOUT_COMMENT not in (comments or "").lower()
        return IncidentKind.MISSED_PENALTY if missed and in_play else None
    return INCIDENTS.get(type_) if type_ else None


def is_cancellation(kind: str, detail: str | None) -> bool:
    """E6: a Var event that cancels a goal."""
    text = (detail or "").lower()
    return (
        event_type(kind) is EventType.VAR
        and "goal" in text
        and any(word in text for word in ("disallow", "cancel", "overturn"))
        and "not " not in text
    )
