"""A2: translates API-Football's answers into fixture sightings and team profiles."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC
from functools import lru_cache
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
from resources.digest_cache import cached_by_digest
from resources.json_parts import NOT_JSON, OTHER_TYPE, decode, used_parts

CORNERS = "corner kicks"
# Matches as parsed, some versions of each.
CACHED_FIXTURES = 4096
# Lists of events or figures, of a few kB each.
CACHED_LISTS = 2048
TEAM_FIGURES = TypeAdapter(list[ApiTeamFigures])


@dataclass(frozen=True, slots=True)
class ParsedFixture:
    """A match, if it could be read; and what of it could not."""

    sighting: FixtureSighting | None
    unreadable: tuple[Unreadable, ...] = ()


@dataclass(frozen=True, slots=True)
class _Events:
    """`goals` and `incidents` are None if there is no list; `is_complete` is False if an event that
    may be a goal could not be read."""

    goals: tuple[GoalSighting, ...] | None = None
    cancellations: tuple[Cancellation, ...] = ()
    incidents: tuple[Incident, ...] | None = None
    unreadable: tuple[Unreadable, ...] = ()
    is_complete: bool = True


def parse_fixtures(items: Iterable[bytes]) -> Answer:
    """Parses each fixture on its own: an invalid one is reported and spoils no other."""
    answer = Answer()
    for parsed in map(parse_fixture, items):
        if parsed.sighting is not None:
            answer.sightings[parsed.sighting.fixture_id] = parsed.sighting
        answer.unreadable += parsed.unreadable
    return answer


@cached_by_digest(CACHED_FIXTURES)
def parse_fixture(content: bytes) -> ParsedFixture:
    """F10: a match that is byte-identical to one of an answer before is not parsed again."""
    try:
        api = ApiFixture.model_validate(_used_parts(content))
        subject = f"fixture {api.fixture.id}"
        events = _events(api.events, subject)
    except (ValidationError, ValueError, RecursionError) as error:
        return ParsedFixture(None, (Unreadable(_subject(content), _first_problem(error)),))
    unreadable = events.unreadable
    try:
        corners = _corners(api)
    except (ValidationError, ValueError) as error:
        unreadable += (Unreadable(f"{subject} statistics", _first_problem(error)),)
        corners = None
    return ParsedFixture(_sighting(api, events, corners), unreadable)


def _used_parts(content: bytes) -> Any:
    try:
        return used_parts(ApiFixture, content)
    except OTHER_TYPE:
        # The model says what is wrong with it.
        return decode(content)


@lru_cache(maxsize=CACHED_LISTS)
def _events(content: bytes, subject: str) -> _Events:
    """Cached: the list of a match seldom changes between two polls, its minute always does."""
    items = decode(content)
    if items is None:
        return _Events()
    if not isinstance(items, list):
        raise ValueError("events: Input should be a valid list")
    goals: list[GoalSighting] = []
    cancellations: list[Cancellation] = []
    incidents: list[Incident] = []
    unreadable: list[Unreadable] = []
    is_complete = True
    for index, raw in enumerate(items):
        try:
            event = ApiEvent.model_validate(raw)
            if is_goal(event.type, event.detail, event.comments):
                goals.append(_goal(event))
            elif is_cancellation(event.type, event.detail):
                cancellations.append(_cancellation(event))
            if (incident := _incident(event)) is not None:
                incidents.append(incident)
        except (ValidationError, ValueError) as error:
            reason = _first_problem(error)
            unreadable.append(Unreadable(f"{subject} event {index}", reason))
            is_complete = is_complete and not _may_be_goal(raw)
    return _Events(
        tuple(goals), tuple(cancellations), tuple(incidents), tuple(unreadable), is_complete
    )


def _sighting(api: ApiFixture, events: _Events, corners: tuple[int, int] | None) -> FixtureSighting:
    return FixtureSighting(
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
        goals=events.goals,
        cancellations=events.cancellations,
        goals_complete=events.is_complete,
        incidents=events.incidents,
        corners=corners,
    )


def _corners(api: ApiFixture) -> tuple[int, int] | None:
    """Home and away; None if the provider does not count them."""
    corners = _corners_by_team(api.statistics)
    if not corners:
        return None
    return corners.get(api.teams.home.id, 0), corners.get(api.teams.away.id, 0)


@lru_cache(maxsize=CACHED_LISTS)
def _corners_by_team(content: bytes) -> Mapping[int | None, int]:
    figures = TEAM_FIGURES.validate_python(decode(content) or [])
    return {
        team.team.id: int(figure.value)
        for team in figures
        for figure in team.statistics
        if figure.type.strip().lower() == CORNERS and figure.value is not None
    }


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


def _subject(content: bytes) -> str:
    try:
        return f"fixture {decode(content)['fixture']['id']}"
    except (KeyError, TypeError, *NOT_JSON):
        return "fixture ?"


def _first_problem(error: Exception) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors()[0]
    return f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"
