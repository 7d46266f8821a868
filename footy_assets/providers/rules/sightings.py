"""L1: a provider's match with our ids, as the rules of goals take it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

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
from footy_assets.providers.rules.match import GoalClaim, PersonClaim


@dataclass(frozen=True, slots=True)
class IdsOfMatch:
    """Our numbers of a match, its league and teams, and of the players, by the provider's ids."""

    match: int
    league: int
    home: int
    away: int
    players: Mapping[str, int] = field(default_factory=dict)

    def team(self, side: str) -> int:
        return self.home if side == "home" else self.away

    def player(self, person: PersonClaim) -> Player:
        return Player(self.players.get(person.id) if person.id else None, person.name)


def persons_of(match: ProviderMatch) -> set[str]:
    """The provider's ids of all players that a match names."""
    people = [
        person
        for goal in match.goals or ()
        for person in (PersonClaim(goal.scorer_id, goal.scorer), goal.assist)
    ]
    people += [person for one in match.incidents or () for person in (one.player, one.other)]
    people += [one.scorer for one in match.cancellations]
    return {person.id for person in people if person.id}


def with_details(match: ProviderMatch, details: MatchDetails) -> ProviderMatch:
    """The match with what its details add: assists, further incidents, VAR decisions."""
    goals = match.goals
    if goals is not None and details.goals:
        goals = tuple(_with_assist(goal, details.goals) for goal in goals)
    incidents = match.incidents
    if details.incidents is not None:
        detailed = {_key(one) for one in details.incidents}
        newer = (one for one in incidents or () if _key(one) not in detailed)
        incidents = (*details.incidents, *newer)
    cancellations = tuple(dict.fromkeys((*match.cancellations, *details.cancellations)))
    return replace(match, goals=goals, incidents=incidents, cancellations=cancellations)


def to_sighting(match: ProviderMatch, ids: IdsOfMatch) -> FixtureSighting:
    listed, league = match.listed, match.league
    minute = match.minute
    return FixtureSighting(
        fixture_id=ids.match,
        kickoff=listed.start,
        status=match.period,
        elapsed=minute.elapsed if minute else None,
        extra=minute.extra if minute else None,
        league=League(
            id=ids.league,
            name=league.name if league else listed.competition or "",
            season=league.season if league else None,
            round=league.round if league else None,
            country=league.country if league else None,
        ),
        home=_side(ids.home, listed.home, match.home),
        away=_side(ids.away, listed.away, match.away),
        goals_home=match.score.home,
        goals_away=match.score.away,
        goals=None if match.goals is None else tuple(_goal(one, ids) for one in match.goals),
        cancellations=tuple(_cancellation(one, ids) for one in match.cancellations),
        goals_complete=match.goals_complete,
        incidents=(
            None
            if match.incidents is None
            else tuple(_incident(one, ids) for one in match.incidents)
        ),
        corners=match.corners,
    )


def _side(number: int, name: str, claim: TeamClaim | None) -> Side:
    return Side(number, name, claim.winner if claim else None, claim.logo if claim else None)


def _goal(claim: GoalClaim, ids: IdsOfMatch) -> GoalSighting:
    return GoalSighting(
        team_id=ids.team(claim.side),
        scorer=ids.player(PersonClaim(claim.scorer_id, claim.scorer)),
        minute=claim.minute,
        detail=claim.detail,
        assist=ids.player(claim.assist),
    )


def _cancellation(claim: CancellationClaim, ids: IdsOfMatch) -> Cancellation:
    scorer = ids.player(claim.scorer)
    return Cancellation(ids.team(claim.side), scorer.id, claim.minute, claim.detail)


def _incident(claim: IncidentClaim, ids: IdsOfMatch) -> Incident:
    return Incident(
        kind=claim.kind,
        team_id=ids.team(claim.side),
        player=ids.player(claim.player),
        minute=claim.minute,
        detail=claim.detail,
        other=ids.player(claim.other),
    )


def _key(claim: IncidentClaim) -> tuple[str, ...]:
    return claim.kind, claim.side, str(claim.minute), claim.player.id or ""


def _with_assist(goal: GoalClaim, detailed: Iterable[GoalClaim]) -> GoalClaim:
    """The same goal in both lists has the same side, minute and scorer."""
    for other in detailed:
        if (other.side, other.minute, other.scorer_id) == (goal.side, goal.minute, goal.scorer_id):
            return replace(goal, assist=other.assist)
    return goal
