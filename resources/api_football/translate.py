"""A2: translates API-Football's answers into fixture sightings and team profiles."""

from datetime import UTC
from typing import Any

from pydantic import TypeAdapter, ValidationError

from footy_assets.matchday.rules.feed import Answer, Unreadable
from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.matchday.rules.sighting import (
    NOBODY,
    Cancellation,
    EventType,
    FixtureSighting,
    GoalSighting,
    Incident,
    IncidentKind,
    League,
    Player,
    Side,
    event_type,
    incident_kind,
    is_cancellation,
    is_goal,
)
from footy_assets.search.rules.team_facts import TeamProfile
from resources.api_football.models import (
    ApiEvent,
    ApiFixture,
    ApiPerson,
    ApiTeam,
    ApiTeamFigures,
    ApiTeamProfile,
    ApiVenue,
)

CORNERS = "corner kicks"
TEAM_FIGURES = TypeAdapter(list[ApiTeamFigures])


def parse_fixtures(items: list[Any]) -> Answer:
    """Parses each fixture on its own: an invalid one is reported and spoils no other."""
    answer = Answer()
    for item in items:
        subject = _subject(item)
        try:
            api = ApiFixture.model_validate(item)
        except ValidationError as error:
            answer.unreadable.append(Unreadable(subject, _first_problem(error)))
            continue
        sighting, bad_events = _sighting(api, subject)
        answer.sightings[sighting.fixture_id] = sighting
        answer.unreadable += bad_events
    return answer


def _sighting(api: ApiFixture, subject: str) -> tuple[FixtureSighting, list[Unreadable]]:
    goals: list[GoalSighting] | None = None if api.events is None else []
    cancellations: list[Cancellation] = []
    incidents: list[Incident] | None = None if api.events is None else []
    unreadable: list[Unreadable] = []
    complete = True
    for index, raw in enumerate(api.events or ()):
        try:
            event = ApiEvent.model_validate(raw)
            if is_goal(event.type, event.detail, event.comments) and goals is not None:
                goals.append(_goal(event))
            elif is_cancellation(event.type, event.detail):
                cancellations.append(_cancellation(event))
            if incidents is not None and (incident := _incident(event)) is not None:
                incidents.append(incident)
        except (ValidationError, ValueError) as error:
            reason = _first_problem(error)
            unreadable.append(Unreadable(f"{subject} event {index}", reason))
            complete = complete and not _may_be_goal(raw)
    try:
        corners = _corners(api)
    except (ValidationError, ValueError) as error:
        unreadable.append(Unreadable(f"{subject} statistics", _first_problem(error)))
        corners = None
    sighting = FixtureSighting(
        fixture_id=api.fixture.id,
        kickoff=api.fixture.date.astimezone(UTC),
        status=api.fixture.status.short.strip(),
        elapsed=api.fixture.status.elapsed,
        extra=api.fixture.status.extra,
        league=League(
            id=api.league.id,
            name=api.league.name or f"League {api.league.id}",
            season=api.league.season,
            round=api.league.round,
            country=api.league.country,
        ),
        home=_side(api.teams.home),
        away=_side(api.teams.away),
        goals_home=api.goals.home,
        goals_away=api.goals.away,
        goals=None if goals is None else tuple(goals),
        cancellations=tuple(cancellations),
        goals_complete=complete,
        incidents=None if incidents is None else tuple(incidents),
        corners=corners,
    )
    return sighting, unreadable


def _corners(api: ApiFixture) -> tuple[int, int] | None:
    """Home and away; None if the provider does not count them."""
    figures = TEAM_FIGURES.validate_python(api.statistics or [])
    corners = {
        team.team.id: int(figure.value)
        for team in figures
        for figure in team.statistics
        if figure.type.strip().lower() == CORNERS and figure.value is not None
    }
    if not corners:
        return None
    return corners.get(api.teams.home.id, 0), corners.get(api.teams.away.id, 0)


def _goal(event: ApiEvent) -> GoalSighting:
    return GoalSighting(
        team_id=_team(event),
        scorer=_player(event.player),
        minute=_minute(event),
        detail=(event.detail or "").strip(),
        assist=_player(event.assist),
        comments=event.comments,
    )


def _cancellation(event: ApiEvent) -> Cancellation:
    return Cancellation(
        team_id=_team(event),
        player_id=_player(event.player).id,
        minute=_minute(event),
        detail=(event.detail or "").strip(),
    )


def _incident(event: ApiEvent) -> Incident | None:
    """An event that triggers may use; None for one without a team."""
    kind = incident_kind(event.type, event.detail, event.comments)
    if kind is None or event.team.id is None:
        return None
    return Incident(
        kind=kind,
        team_id=event.team.id,
        player=_player(event.player),
        minute=_minute(event),
        detail=(event.detail or "").strip(),
        other=_player(event.assist) if kind is IncidentKind.SUBSTITUTION else NOBODY,
    )


def _team(event: ApiEvent) -> int:
    if event.team.id is None:
        raise ValueError(f"a {event.type} event without a team")
    return event.team.id


def _minute(event: ApiEvent) -> MatchMinute:
    return MatchMinute(event.time.elapsed, event.time.extra or None)


def _player(person: ApiPerson | None) -> Player:
    return Player(person.id or None, person.name or None) if person else Player()


def _side(team: ApiTeam) -> Side:
    return Side(id=team.id, name=team.name or f"Team {team.id}", winner=team.winner, logo=team.logo)


def team_profile(api: ApiTeamProfile) -> TeamProfile:
    venue = api.venue or ApiVenue()
    return TeamProfile(
        id=api.team.id,
        name=api.team.name.strip(),
        code=api.team.code or None,
        national=api.team.national,
        country=api.team.country or None,
        city=venue.city or None,
        venue=venue.name or None,
    )


def _may_be_goal(raw: Any) -> bool:
    kind = raw.get("type") if isinstance(raw, dict) else None
    return not isinstance(kind, str) or event_type(kind) is EventType.GOAL


def _subject(item: Any) -> str:
    try:
        return f"fixture {item['fixture']['id']}"
    except (KeyError, TypeError):
        return "fixture ?"


def _first_problem(error: Exception) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors()[0]
    return f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"
