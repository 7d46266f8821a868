"""A2: translates ESPN's scoreboards into matches (R5)."""

import marshal
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from functools import lru_cache
from typing import Any

from pydantic import ValidationError

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
from footy_assets.providers.rules.competitions import BY_SLUG
from footy_assets.providers.rules.identify import ListedMatch
from footy_assets.providers.rules.match import NO_SCORE, GoalClaim, Score
from resources.espn.models import (
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
LEAGUE_IN_UID = re.compile(r"~l:(\d+)")
# Its own numbers of leagues, for answers that name none.
LEAGUE_NUMBERS: Mapping[str, str] = {
    "700": "eng.1",
    "740": "esp.1",
    "720": "ger.1",
    "730": "ita.1",
    "710": "fra.1",
    "770": "usa.1",
    "760": "mex.1",
    "3914": "eng.2",
    "8097": "eng.w.1",
    "8301": "usa.nwsl",
    "606": "fifa.world",
}
DECIDED = PLAYED_TO_THE_END | {MatchStatus.AWARDED}
NO_LEAGUE = EspnLeague()
GOALLESS = Score(0, 0)
CORNERS = "wonCorners"
# Lists of goals and cards, of up to 15 kB each.
CACHED_LISTS = 512
# Later versions write a repeated object as a reference, so that equal lists may differ.
MARSHAL_WITHOUT_REFERENCES = 2

IdAndName = tuple[str, str | None]


def parse_scoreboard(scoreboard: EspnScoreboard, slug: str | None = None) -> FetchResult:
    """Parses each match on its own. `slug` is the competition that was requested."""
    leagues = _leagues(scoreboard)
    matches: dict[str, ProviderMatch] = {}
    unreadable: list[Unreadable] = []
    for item in scoreboard.events:
        subject = f"ESPN match {_id(item)}"
        try:
            event = EspnEvent.model_validate(item)
            match, bad_plays = _to_match(event, _league(event, leagues, slug), subject)
        except (ValidationError, ValueError) as error:
            unreadable.append(Unreadable(subject, first_problem(error)))
            continue
        matches[match.listed.id] = match
        unreadable += bad_plays
    return FetchResult(tuple(matches.values()), tuple(unreadable))


def _id(item: Any) -> Any:
    if isinstance(item, EspnEvent):
        return item.id
    return item.get("id", "?") if isinstance(item, dict) else "?"


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
    listed_plays = _plays(_content(competition.details or []), _team(home), _team(away), subject)
    plays = listed_plays.plays
    # None if there is no list, unless there is nothing to list.
    has_list = competition.details is not None
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


def _content(details: list[Any]) -> bytes:
    """A key of a cache: the same bytes for the same details only."""
    return marshal.dumps(details, MARSHAL_WITHOUT_REFERENCES)


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
    plays = parse_plays(marshal.loads(content), teams, subject)
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


def _other_names(team: EspnTeam) -> tuple[str, ...]:
    first = _name(team)
    names = (team.short_name, team.abbreviation, team.name, team.location)
    return tuple(dict.fromkeys(name for name in names if name and name != first))


def _logo(team: EspnTeam) -> str | None:
    return team.logo or (team.logos[0].href if team.logos else None)


def _leagues(scoreboard: EspnScoreboard) -> list[EspnLeague]:
    found = []
    for item in scoreboard.leagues or ():
        try:
            found.append(EspnLeague.model_validate(item))
        except ValidationError:
            continue
    return found


def _league(event: EspnEvent, leagues: list[EspnLeague], slug: str | None) -> LeagueClaim | None:
    """The event's own league; else that of the answer with its number or with the slug.

    A competition that we know has our name.
    """
    in_uid = LEAGUE_IN_UID.search(event.uid or "")
    number = in_uid[1] if in_uid else None
    known = slug or LEAGUE_NUMBERS.get(number or "")
    same_number = (one for one in leagues if number is not None and one.id == number)
    same_slug = (one for one in leagues if one.slug == known)
    league = event.league or next(same_number, None) or next(same_slug, NO_LEAGUE)
    id_ = league.slug or known
    if id_ is None:
        return None
    season = event.season or league.season
    name = BY_SLUG[id_].name if id_ in BY_SLUG else league.name or id_
    return LeagueClaim(id_, name, season.year if season else None)
