"""Translates API-Football's sightings, line-ups and squads into what any provider claims."""

from collections.abc import Iterable
from typing import Any

from footy_assets.matchday.rules.feed import Unreadable
from footy_assets.matchday.rules.line_up import RosterPlayer
from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.matchday.rules.sighting import (
    FixtureSighting,
    GoalSighting,
    HomeOrAway,
    Incident,
    IncidentKind,
    Player,
    Side,
    side_of,
)
from footy_assets.providers.rules.adapter import (
    CancellationClaim,
    IncidentClaim,
    LeagueClaim,
    LineUpClaim,
    LineUpPlayer,
    ProviderMatch,
    TeamClaim,
)
from footy_assets.providers.rules.identify import ListedMatch, comparable
from footy_assets.providers.rules.match import GoalClaim, PersonClaim, Score
from resources.api_football.models import ApiTeam
from resources.api_football.rosters import parse_line_ups


def to_provider_match(sighting: FixtureSighting) -> ProviderMatch:
    home_id, incidents = sighting.home.id, sighting.incidents
    return ProviderMatch(
        listed=ListedMatch(
            str(sighting.fixture_id),
            sighting.kickoff,
            sighting.home.name,
            sighting.away.name,
            sighting.league.name,
            str(sighting.league.id),
        ),
        period=sighting.status.strip().upper(),
        score=Score(sighting.goals_home, sighting.goals_away),
        cards=_cards(incidents, home_id),
        minute=None if sighting.elapsed is None else MatchMinute(sighting.elapsed, sighting.extra),
        goals=None if sighting.goals is None else tuple(_goal(g, home_id) for g in sighting.goals),
        goals_complete=sighting.goals_complete,
        home=_team(sighting.home),
        away=_team(sighting.away),
        league=LeagueClaim(
            str(sighting.league.id),
            sighting.league.name,
            sighting.league.season,
            sighting.league.round,
            sighting.league.country,
        ),
        cancellations=tuple(
            CancellationClaim(
                side_of(one.team_id, home_id),
                one.minute,
                one.detail,
                PersonClaim(_id(one.player_id)),
            )
            for one in sighting.cancellations
        ),
        incidents=None if incidents is None else tuple(_incident(i, home_id) for i in incidents),
        corners=sighting.corners,
    )


def claim_line_ups(
    items: Iterable[Any], match: ListedMatch, home_id: int | None
) -> tuple[tuple[LineUpClaim, ...], tuple[Unreadable, ...]]:
    """One for each side. `home_id` is None if the match itself was not seen."""
    teams, unreadable = parse_line_ups(match.id, items)
    line_ups: list[LineUpClaim] = []
    for one in teams:
        side = _side_of_line_up(one.team, match, home_id)
        if side is None:
            subject = f"line-up of fixture {match.id}, team {one.team.id}"
            reason = f"{one.team.name} is neither {match.home} nor {match.away}"
            unreadable = (*unreadable, Unreadable(subject, reason))
            continue
        line_ups.append(LineUpClaim(side, claim_players(one.players), one.formation))
    return tuple(line_ups), unreadable


def claim_players(players: Iterable[RosterPlayer]) -> tuple[LineUpPlayer, ...]:
    return tuple(
        LineUpPlayer(_person(one.player), one.number, one.position, one.starts) for one in players
    )


def _side_of_line_up(team: ApiTeam, match: ListedMatch, home_id: int | None) -> HomeOrAway | None:
    """By the team's id; by its name if the match was not seen. None: unsure, and not guessed."""
    if home_id is not None:
        return side_of(team.id, home_id)
    name = comparable(team.name or "")
    sides: dict[HomeOrAway, tuple[str, ...]] = {
        "home": (match.home, *match.home_also),
        "away": (match.away, *match.away_also),
    }
    return next((side for side, names in sides.items() if name in map(comparable, names)), None)


def _goal(goal: GoalSighting, home_id: int) -> GoalClaim:
    return GoalClaim(
        side_of(goal.team_id, home_id),
        goal.minute,
        goal.detail,
        goal.scorer.name,
        _id(goal.scorer.id),
        _person(goal.assist),
    )


def _incident(incident: Incident, home_id: int) -> IncidentClaim:
    return IncidentClaim(
        incident.kind,
        side_of(incident.team_id, home_id),
        incident.minute,
        incident.detail,
        _person(incident.player),
        _person(incident.other),
    )


def _cards(incidents: tuple[Incident, ...] | None, home_id: int) -> Score:
    if incidents is None:
        return Score()
    teams = [one.team_id for one in incidents if one.kind is IncidentKind.CARD]
    home = sum(team == home_id for team in teams)
    return Score(home, len(teams) - home)


def _team(side: Side) -> TeamClaim:
    return TeamClaim(str(side.id), side.logo, side.winner)


def _person(player: Player) -> PersonClaim:
    return PersonClaim(_id(player.id), player.name)


def _id(number: int | None) -> str | None:
    return str(number) if number else None
