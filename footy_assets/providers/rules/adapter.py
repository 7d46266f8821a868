"""The interface of every provider, whether it leads or confirms, and what it reports.

A provider speaks of matches, teams and players by its own ids; ours are given to them later.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Protocol, runtime_checkable

from footy_assets.errors import ProviderError
from footy_assets.matchday.rules.feed import Failure, Unreadable
from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.matchday.rules.sighting import HomeOrAway, IncidentKind
from footy_assets.providers.rules.identify import ListedMatch
from footy_assets.providers.rules.match import (
    NO_SCORE,
    NOBODY_CLAIMED,
    GoalClaim,
    NormalisedMatch,
    PersonClaim,
    Report,
    Score,
    Sides,
)
from footy_assets.providers.rules.normalise import last_event
from footy_assets.providers.rules.recovery import BrowserFigures


@dataclass(frozen=True, slots=True)
class TeamClaim:
    """A side's own id at the provider; its names are those of the `ListedMatch`."""

    id: str
    logo: str | None = None
    winner: bool | None = None


@dataclass(frozen=True, slots=True)
class LeagueClaim:
    """`id` is the provider's own, such as the slug `eng.1`; `season` is the year it begins in."""

    id: str
    name: str
    season: int | None = None
    round: str | None = None
    country: str | None = None


@dataclass(frozen=True, slots=True)
class CancellationClaim:
    """A VAR decision that cancels a goal."""

    side: HomeOrAway
    minute: MatchMinute
    detail: str
    scorer: PersonClaim = NOBODY_CLAIMED


@dataclass(frozen=True, slots=True)
class IncidentClaim:
    """A card, substitution, missed penalty or VAR decision.

    In a substitution `player` goes off and `other` comes on.
    """

    kind: IncidentKind
    side: HomeOrAway
    minute: MatchMinute
    detail: str
    player: PersonClaim = NOBODY_CLAIMED
    other: PersonClaim = NOBODY_CLAIMED


@dataclass(frozen=True, slots=True)
class ProviderMatch:
    """A match as a provider reports it, under its own id. `goals` is None if it lists no goals.

    A provider that leads also names both teams and the league by its ids. `goals_complete` is
    False if parts of the list could not be parsed, so that a goal may be missing from it.
    """

    listed: ListedMatch
    period: str
    score: Score = NO_SCORE
    cards: Score = NO_SCORE
    minute: MatchMinute | None = None
    venue: str | None = None
    goals: tuple[GoalClaim, ...] | None = None
    goals_complete: bool = True
    home: TeamClaim | None = None
    away: TeamClaim | None = None
    league: LeagueClaim | None = None
    cancellations: tuple[CancellationClaim, ...] = ()
    # None: it does not list them.
    incidents: tuple[IncidentClaim, ...] | None = None
    corners: tuple[int, int] | None = None

    def to_report(self, match_id: int, domain: str, at: datetime, confidence: float) -> Report:
        match = NormalisedMatch(
            id=match_id,
            domain=domain,
            teams=Sides(self.listed.home, self.listed.away),
            period=self.period,
            start=self.listed.start,
            score=self.score,
            cards=self.cards,
            minute=self.minute,
            competition=self.listed.competition,
            venue=self.venue,
            last_event=last_event(self.goals),
            metadata={f"{domain}_id": self.listed.id},
        )
        decisions = tuple((one.side, str(one.minute)) for one in self.cancellations)
        return Report(match, at, confidence, self.goals, decisions)


@dataclass(frozen=True, slots=True)
class LineUpPlayer:
    person: PersonClaim
    number: int | None = None
    position: str | None = None
    starts: bool = False


@dataclass(frozen=True, slots=True)
class LineUpClaim:
    """The players of one side in one match."""

    side: HomeOrAway
    players: tuple[LineUpPlayer, ...]
    formation: str | None = None


@dataclass(frozen=True, slots=True)
class MatchDetails:
    """What a provider says of a match only in a request for that match alone.

    `goals` name assists, too; None, as for `incidents`: it does not list them. `goals_complete` is
    as that of `ProviderMatch`.
    """

    goals: tuple[GoalClaim, ...] | None = None
    incidents: tuple[IncidentClaim, ...] | None = None
    cancellations: tuple[CancellationClaim, ...] = ()
    line_ups: tuple[LineUpClaim, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()
    goals_complete: bool = True


@dataclass(frozen=True, slots=True)
class FetchResult:
    """`failures` are requests without an answer, where others of the same call had one; `refusal`
    is that of them which says that the provider is to be left alone."""

    matches: tuple[ProviderMatch, ...]
    unreadable: tuple[Unreadable, ...] = ()
    failures: tuple[Failure, ...] = ()
    requests: int = 1
    refusal: ProviderError | None = None

    def on(self, day: date) -> "FetchResult":
        """The matches of one day, and all that could not be parsed or requested."""
        return replace(self, matches=tuple(m for m in self.matches if m.listed.start.date() == day))


class Adapter(Protocol):
    """All of a provider that is required. Each call raises `ProviderError`."""

    def discover(self, day: date, within: float) -> FetchResult:
        """The matches that kick off on this day (UTC), of the competitions it is set to cover."""
        ...

    def fetch(self, wanted: Sequence[ListedMatch], within: float) -> FetchResult:
        """Its data of these matches; it may return others, too.

        A wanted match has the provider's own id and competition id where these are known, else an
        empty id.
        """
        ...

    def figures(self) -> BrowserFigures | None:
        """Figures of its browser; None if it uses none."""
        ...

    def recycle(self) -> None:
        """Restarts before the next request; the one under way ends first."""
        ...

    def reset(self) -> None:
        """Closes pages that were left open; the browser stays."""
        ...

    def close(self) -> None: ...


@runtime_checkable
class DetailsAdapter(Protocol):
    """A provider that has more about a match, for one request each."""

    def details(self, match: ListedMatch, within: float) -> MatchDetails: ...


@runtime_checkable
class EventsAdapter(Protocol):
    """A `DetailsAdapter` that has the events of several matches at once."""

    def events(
        self, matches: Sequence[ListedMatch], within: float
    ) -> Sequence[MatchDetails | ProviderError]:
        """The details of each match, or why there are none; without line-ups."""
        ...


@runtime_checkable
class SquadAdapter(Protocol):
    """A provider that has the players of a team, whether they play today or not."""

    def squad(
        self, team_id: str, within: float, competition_id: str | None = None
    ) -> tuple[LineUpPlayer, ...]: ...


@runtime_checkable
class CalendarAdapter(Protocol):
    """A provider that says on which days there are matches, without a request for each day."""

    def days_with_matches(self, first: date, last: date, within: float) -> frozenset[date]: ...
