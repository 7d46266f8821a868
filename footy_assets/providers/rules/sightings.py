"""L1: a provider's match with our ids, as the rules of goals take it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from footy_assets.identity_cache import cached_by_identity
from footy_assets.matchday.rules.sighting import (
    Cancellation,
    FixtureSighting,
    GoalSighting,
    Incident,
    League,
    Player,
    Side,
)
from footy_assets.providers.rules.adapter import (
    CancellationClaim,
    IncidentClaim,
    MatchDetails,
    ProviderMatch,
    TeamClaim,
)
from footy_assets.providers.rules.details_due import CACHED_MATCHES, NO_DETAILS
from footy_assets.providers.rules.match import GoalClaim, PersonClaim

Goals = tuple[GoalClaim, ...] | None
Incidents = tuple[IncidentClaim, ...] | None
Cancellations = tuple[CancellationClaim, ...]


@dataclass(frozen=True, slots=True)
class IdsOfMatch:
    """Our numbers of a match, its league and teams, and of the players, by the provider's ids.

    A player who has a number in `players` keeps it there.
    """

    match: int
    league: int
    home: int
    away: int
    players: Mapping[str, int] = field(default_factory=dict)


def persons_of(match: ProviderMatch) -> frozenset[str]:
    """The provider's ids of all players that a match names."""
    return _persons(match.goals, match.incidents, match.cancellations)


@cached_by_identity(CACHED_MATCHES)
def _persons(goals: Goals, incidents: Incidents, cancellations: Cancellations) -> frozenset[str]:
    people = [
        person
        for goal in goals or ()
        for person in (PersonClaim(goal.scorer_id, goal.scorer), goal.assist)
    ]
    people += [person for one in incidents or () for person in (one.player, one.other)]
    people += [one.scorer for one in cancellations]
    return frozenset(person.id for person in people if person.id)


def with_details(match: ProviderMatch, details: MatchDetails) -> ProviderMatch:
    """The match with what its details add: assists, further incidents, VAR decisions."""
    return match if details is NO_DETAILS else _with_details(match, details)


@cached_by_identity(CACHED_MATCHES)
def _with_details(match: ProviderMatch, details: MatchDetails) -> ProviderMatch:
    goals, incidents, cancellations = _detailed(
        match.goals, match.incidents, match.cancellations, details
    )
    return replace(match, goals=goals, incidents=incidents, cancellations=cancellations)


@cached_by_identity(CACHED_MATCHES)
def _detailed(
    goals: Goals, incidents: Incidents, cancellations: Cancellations, details: MatchDetails
) -> tuple[Goals, Incidents, Cancellations]:
    if goals is not None and details.goals:
        goals = tuple(_with_assist(goal, details.goals) for goal in goals)
    if details.incidents is not None:
        detailed = {_key(one) for one in details.incidents}
        newer = (one for one in incidents or () if _key(one) not in detailed)
        incidents = (*details.incidents, *newer)
    cancellations = tuple(dict.fromkeys((*cancellations, *details.cancellations)))
    return goals, incidents, cancellations


def to_sighting(match: ProviderMatch, ids: IdsOfMatch) -> FixtureSighting:
    return _to_sighting(match, ids.match, ids.league, ids.home, ids.away, ids.players)


@cached_by_identity(CACHED_MATCHES)
def _to_sighting(
    match: ProviderMatch, id_: int, league_id: int, home: int, away: int, players: Mapping[str, int]
) -> FixtureSighting:
    listed, league = match.listed, match.league
    minute = match.minute
    sighted = _sighted(match.goals, match.incidents, match.cancellations, home, away, players)
    return FixtureSighting(
        fixture_id=id_,
        kickoff=listed.start,
        status=match.period,
        elapsed=minute.elapsed if minute else None,
        extra=minute.extra if minute else None,
        league=League(
            id=league_id,
            name=league.name if league else listed.competition or "",
            season=league.season if league else None,
            round=league.round if league else None,
            country=league.country if league else None,
        ),
        home=_side(home, listed.home, match.home),
        away=_side(away, listed.away, match.away),
        goals_home=match.score.home,
        goals_away=match.score.away,
        goals=sighted.goals,
        cancellations=sighted.cancellations,
        goals_complete=match.goals_complete,
        incidents=sighted.incidents,
        corners=match.corners,
    )


@dataclass(frozen=True, slots=True)
class _Sighted:
    goals: tuple[GoalSighting, ...] | None
    incidents: tuple[Incident, ...] | None
    cancellations: tuple[Cancellation, ...]


@dataclass(frozen=True, slots=True)
class _Numbers:
    home: int
    away: int
    players: Mapping[str, int]

    def team(self, side: str) -> int:
        return self.home if side == "home" else self.away

    def player(self, person: PersonClaim) -> Player:
        return Player(self.players.get(person.id) if person.id else None, person.name)


@cached_by_identity(CACHED_MATCHES)
def _sighted(
    goals: Goals,
    incidents: Incidents,
    cancellations: Cancellations,
    home: int,
    away: int,
    players: Mapping[str, int],
) -> _Sighted:
    """Cached: the events of a match seldom change between two polls."""
    ours = _Numbers(home, away, players)
    return _Sighted(
        None if goals is None else tuple(_goal(one, ours) for one in goals),
        None if incidents is None else tuple(_incident(one, ours) for one in incidents),
        tuple(_cancellation(one, ours) for one in cancellations),
    )


def _side(number: int, name: str, claim: TeamClaim | None) -> Side:
    return Side(number, name, claim.winner if claim else None, claim.logo if claim else None)


def _goal(claim: GoalClaim, ours: _Numbers) -> GoalSighting:
    return GoalSighting(
        team_id=ours.team(claim.side),
        scorer=ours.player(PersonClaim(claim.scorer_id, claim.scorer)),
        minute=claim.minute,
        detail=claim.detail,
        assist=ours.player(claim.assist),
    )


def _cancellation(claim: CancellationClaim, ours: _Numbers) -> Cancellation:
    scorer = ours.player(claim.scorer)
    return Cancellation(ours.team(claim.side), scorer.id, claim.minute, claim.detail)


def _incident(claim: IncidentClaim, ours: _Numbers) -> Incident:
    return Incident(
        kind=claim.kind,
        team_id=ours.team(claim.side),
        player=ours.player(claim.player),
        minute=claim.minute,
        detail=claim.detail,
        other=ours.player(claim.other),
    )


def _key(claim: IncidentClaim) -> tuple[str, ...]:
    return claim.kind, claim.side, str(claim.minute), claim.player.id or ""


def _with_assist(goal: GoalClaim, detailed: Iterable[GoalClaim]) -> GoalClaim:
    """The same goal in both lists has the same side, minute and scorer."""
    for other in detailed:
        if (other.side, other.minute, other.scorer_id) == (goal.side, goal.minute, goal.scorer_id):
            return replace(goal, assist=other.assist)
    return goal
