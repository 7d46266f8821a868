"""A2: translates ESPN's scoreboards into matches (R5)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC
from functools import lru_cache

from pydantic import ValidationError

from footy_assets.identity_cache import cached_by_identity
from footy_assets.matchday.rules.feed import Unreadable
from footy_assets.matchday.rules.statuses import (
    BEFORE_KICKOFF,
    PLAYED_TO_THE_END,
    MatchStatus,
)
from footy_assets.providers.rules.adapter import (
    FetchResult,
    IncidentClaim,
    LeagueClaim,
    ProviderMatch,
    TeamClaim,
)
from footy_assets.providers.rules.identify import ListedMatch
from footy_assets.providers.rules.match import NO_SCORE, GoalClaim, Score
from resources.espn.leagues import league_of, parse_leagues
from resources.espn.models import (
    CACHED_TEAMS,
    EspnCompetition,
    EspnCompetitor,
    EspnEvent,
    EspnLeague,
    EspnNamed,
    EspnScoreboard,
    EspnStatus,
    EspnTeam,
)
from resources.espn.plays import (
    MatchTeams,
    ParsedPlays,
    home_and_away,
    parse_minute,
    parse_plays,
)
from resources.json_parts import NOT_JSON, decode, is_list, used_parts
from resources.pieces import first_problem

STATUSES: Mapping[str, MatchStatus] = {
    "STATUS_SCHEDULED": MatchStatus.NOT_STARTED,
    "STATUS_FIRST_HALF": MatchStatus.FIRST_HALF,
    "STATUS_HALFTIME": MatchStatus.HALF_TIME,
    "STATUS_SECOND_HALF": MatchStatus.SECOND_HALF,
    # Extra time follows. ET and not BT, which is the break within it.
    "STATUS_END_OF_REGULATION": MatchStatus.EXTRA_TIME,
    "STATUS_OVERTIME": MatchStatus.EXTRA_TIME,
    "STATUS_HALFTIME_ET": MatchStatus.EXTRA_TIME_BREAK,
    "STATUS_END_OF_EXTRATIME": MatchStatus.EXTRA_TIME,
    "STATUS_SHOOTOUT": MatchStatus.SHOOTOUT,
    "STATUS_FULL_TIME": MatchStatus.FULL_TIME,
    "STATUS_FINAL": MatchStatus.FULL_TIME,
    "STATUS_FINAL_AET": MatchStatus.AFTER_EXTRA_TIME,
    "STATUS_FINAL_PEN": MatchStatus.AFTER_SHOOTOUT,
    "STATUS_POSTPONED": MatchStatus.POSTPONED,
    "STATUS_CANCELED": MatchStatus.CANCELLED,
    "STATUS_CANCELLED": MatchStatus.CANCELLED,
    "STATUS_FORFEIT": MatchStatus.AWARDED,
    "STATUS_ABANDONED": MatchStatus.ABANDONED,
    "STATUS_SUSPENDED": MatchStatus.SUSPENDED,
}
IN_PLAY_BY_PERIOD: Mapping[int | None, MatchStatus] = {
    1: MatchStatus.FIRST_HALF,
    2: MatchStatus.SECOND_HALF,
    3: MatchStatus.EXTRA_TIME,
    4: MatchStatus.EXTRA_TIME,
    5: MatchStatus.SHOOTOUT,
}
DELAYED = "STATUS_DELAYED"
# Matches that ESPN gives a score of 0-0, though nothing was played.
WITHOUT_SCORE = BEFORE_KICKOFF | {MatchStatus.POSTPONED, MatchStatus.CANCELLED}
DECIDED = PLAYED_TO_THE_END | {MatchStatus.AWARDED}
GOALLESS = Score(0, 0)
CORNERS = "wonCorners"
# Lists of goals and cards, of up to 15 kB each.
CACHED_LISTS = 512
NO_PLAYS = b"[]"

IdAndName = tuple[str, str | None]


@dataclass(frozen=True, slots=True)
class ParsedEvent:
    """A match, if it could be read; and what of it could not."""

    match: ProviderMatch | None
    unreadable: tuple[Unreadable, ...] = ()


NOTHING_PARSED: Mapping[bytes, ParsedEvent] = {}


def parse_scoreboard(scoreboard: EspnScoreboard, slug: str | None = None) -> FetchResult:
    return to_result(parse_events(scoreboard, slug).values())


def parse_events(
    scoreboard: EspnScoreboard,
    slug: str | None,
    known: Mapping[bytes, ParsedEvent] = NOTHING_PARSED,
) -> dict[bytes, ParsedEvent]:
    """Parses each match on its own, except those that are known. `slug` is the competition that
    was requested."""
    leagues = parse_leagues(scoreboard)
    return {
        content: known.get(content) or _parse_event(content, leagues, slug)
        for content in scoreboard.events
    }


def to_result(events: Iterable[ParsedEvent]) -> FetchResult:
    """Of a match that is listed twice, the last."""
    events = list(events)
    matches = {one.match.listed.id: one.match for one in events if one.match is not None}
    unreadable = tuple(piece for one in events for piece in one.unreadable)
    return FetchResult(tuple(matches.values()), unreadable)


def _parse_event(content: bytes, leagues: list[EspnLeague], slug: str | None) -> ParsedEvent:
    try:
        event = EspnEvent.model_validate(used_parts(EspnEvent, content))
        league = league_of(event, leagues, slug)
        match, unreadable = _to_match(event, league, f"ESPN match {event.id}")
    except (ValidationError, ValueError, RecursionError) as error:
        return ParsedEvent(None, (Unreadable(_subject(content), first_problem(error)),))
    return ParsedEvent(match, tuple(unreadable))


def _subject(content: bytes) -> str:
    try:
        return f"ESPN match {decode(content)['id']}"
    except (KeyError, TypeError, *NOT_JSON):
        return "ESPN match ?"


def _to_match(
    event: EspnEvent, league: LeagueClaim | None, subject: str
) -> tuple[ProviderMatch, list[Unreadable]]:
    competition = event.competitions[0]
    status = competition.status or event.status
    if status is None:
        raise ValueError("status: missing")
    home, away = home_and_away(competition)
    period = period_of(status)
    if period == MatchStatus.NOT_STARTED and competition.time_valid is False:
        period = MatchStatus.TIME_TO_BE_DECIDED
    score = score_of(competition, period)
    # None if there is no list, unless there is nothing to list.
    has_list = is_list(competition.details)
    details = competition.details if has_list else NO_PLAYS
    listed_plays = _plays(details, _team(home), _team(away), subject)
    plays = listed_plays.plays
    goals = listed_plays.goals if has_list or score == GOALLESS else None
    listed = ListedMatch(
        id=event.id,
        start=event.date.astimezone(UTC),
        home=_name(home.team),
        away=_name(away.team),
        competition=league.name if league else None,
        competition_id=league.id if league else None,
        home_also=_other_names(home.team),
        away_also=_other_names(away.team),
    )
    match = ProviderMatch(
        listed=listed,
        period=period,
        score=score,
        cards=listed_plays.cards if has_list else NO_SCORE,
        minute=None if period in WITHOUT_SCORE else parse_minute(status.display_clock),
        venue=competition.venue.full_name if competition.venue else None,
        goals=goals,
        goals_complete=goals is None or goals_complete(plays, period, score),
        home=TeamClaim(home.team.id, _logo(home.team), _winner(home, away, period)),
        away=TeamClaim(away.team.id, _logo(away.team), _winner(away, home, period)),
        league=league,
        incidents=listed_plays.incidents if has_list else None,
        corners=_corners(home, away) if period not in WITHOUT_SCORE else None,
    )
    return match, plays.unreadable


@dataclass(frozen=True, slots=True)
class _ListedPlays:
    plays: ParsedPlays
    goals: tuple[GoalClaim, ...]
    incidents: tuple[IncidentClaim, ...]
    cards: Score


@lru_cache(maxsize=CACHED_LISTS)
def _plays(content: bytes, home: IdAndName, away: IdAndName, subject: str) -> _ListedPlays:
    """Cached: the list of a match seldom changes between two polls."""
    teams = MatchTeams(*(EspnNamed(id=id_, display_name=name) for id_, name in (home, away)))
    plays = parse_plays(decode(content), teams, subject)
    return _ListedPlays(plays, tuple(plays.goals), tuple(plays.incidents), plays.cards())


def _team(side: EspnCompetitor) -> IdAndName:
    return side.team.id, side.team.display_name


def period_of(status: EspnStatus) -> MatchStatus:
    """By the name. It has finished only if the state says so, too: a postponed match is `post`.

    An unknown name is decided by the state; after the match that is "interrupted", so that the
    match is polled until its name is known.
    """
    state, name = status.type.state.lower(), status.type.name.upper()
    over = state == "post" and status.type.completed
    found = None if name == DELAYED else STATUSES.get(name)
    if found is not None and (over or found not in PLAYED_TO_THE_END):
        return found
    if state == "pre":
        return MatchStatus.NOT_STARTED
    if state == "in" and name != DELAYED:
        return IN_PLAY_BY_PERIOD.get(status.period, MatchStatus.IN_PLAY)
    return MatchStatus.INTERRUPTED


def score_of(competition: EspnCompetition, period: MatchStatus) -> Score:
    """None rather than 0-0 for a match without play."""
    if period in WITHOUT_SCORE:
        return NO_SCORE
    home, away = home_and_away(competition)
    return Score(home.score, away.score)


def goals_complete(plays: ParsedPlays, period: MatchStatus, score: Score) -> bool:
    """False also if the list does not agree with the score.

    ESPN's edge servers differ: a goal may be missing from the list for one poll. No goal may be
    taken back for that.
    """
    return plays.goals_complete and (period in WITHOUT_SCORE or plays.agrees_with(score))


def _winner(side: EspnCompetitor, other: EspnCompetitor, period: MatchStatus) -> bool | None:
    """None before the end and after a draw. Where ESPN names none, the shoot-out decides."""
    if period not in DECIDED:
        return None
    if side.winner or other.winner:
        return bool(side.winner)
    kicks, others = side.shootout_score, other.shootout_score
    if kicks is None or others is None or kicks == others:
        return None
    return kicks > others


def _corners(home: EspnCompetitor, away: EspnCompetitor) -> tuple[int, int] | None:
    counts = [
        next((one.value for one in side.statistics or () if one.name == CORNERS), None)
        for side in (home, away)
    ]
    return None if counts[0] is None or counts[1] is None else (counts[0], counts[1])


def _name(team: EspnTeam) -> str:
    name = team.display_name or team.short_name or team.name or team.location
    if not name:
        raise ValueError("team: without a name")
    return name


@cached_by_identity(CACHED_TEAMS)
def _other_names(team: EspnTeam) -> tuple[str, ...]:
    first = _name(team)
    names = (team.short_name, team.abbreviation, team.name, team.location)
    return tuple(dict.fromkeys(name for name in names if name and name != first))


def _logo(team: EspnTeam) -> str | None:
    return team.logo or (team.logos[0].href if team.logos else None)
