"""A2: translates football-data.org's answers into normalised matches (R5)."""

import re
from collections.abc import Callable
from datetime import UTC
from typing import Any

from footy_assets.matchday.rules.feed import Unreadable
from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.matchday.rules.sighting import GoalDetail, IncidentKind, side_of
from footy_assets.matchday.rules.statuses import MatchStatus
from footy_assets.providers.rules.adapter import (
    FetchResult,
    IncidentClaim,
    LeagueClaim,
    ProviderMatch,
    TeamClaim,
)
from footy_assets.providers.rules.identify import ListedMatch
from footy_assets.providers.rules.match import NOBODY_CLAIMED, GoalClaim, PersonClaim, Score
from resources.football_data.models import (
    FdBooking,
    FdGoal,
    FdMatch,
    FdPair,
    FdPerson,
    FdScore,
    FdTeam,
)
from resources.pieces import read_piece, read_pieces

STATUSES = {
    "SCHEDULED": MatchStatus.NOT_STARTED,
    "TIMED": MatchStatus.NOT_STARTED,
    "PAUSED": MatchStatus.HALF_TIME,
    "EXTRA_TIME": MatchStatus.EXTRA_TIME,
    "PENALTY_SHOOTOUT": MatchStatus.SHOOTOUT,
    "SUSPENDED": MatchStatus.SUSPENDED,
    "POSTPONED": MatchStatus.POSTPONED,
    "CANCELLED": MatchStatus.CANCELLED,
    "CANCELED": MatchStatus.CANCELLED,
    "AWARDED": MatchStatus.AWARDED,
}
SHOOTOUT = "PENALTY_SHOOTOUT"
ENDS = {
    "REGULAR": MatchStatus.FULL_TIME,
    "EXTRA_TIME": MatchStatus.AFTER_EXTRA_TIME,
    SHOOTOUT: MatchStatus.AFTER_SHOOTOUT,
}
RUNNING = {"EXTRA_TIME": MatchStatus.EXTRA_TIME, SHOOTOUT: MatchStatus.SHOOTOUT}
DETAILS = {
    "REGULAR": GoalDetail.NORMAL_GOAL,
    "OWN": GoalDetail.OWN_GOAL,
    "PENALTY": GoalDetail.PENALTY,
}
CARDS = {"YELLOW": "Yellow Card", "YELLOW_RED": "Second Yellow card", "RED": "Red Card"}
WINNERS = ("HOME_TEAM", "AWAY_TEAM", "DRAW")
LAST_OF_FIRST_HALF = 45
# Says when it kicks off, not how far it is.
TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\d")


def parse_matches(items: list[Any]) -> FetchResult:
    matches: list[ProviderMatch] = []
    unreadable: list[Unreadable] = []
    for item in items:
        id_ = item.get("id", "?") if isinstance(item, dict) else "?"
        match = read_piece(FdMatch, item, f"football-data match {id_}", unreadable)
        if match is not None:
            matches.append(_to_match(match, unreadable))
    return FetchResult(tuple(matches), tuple(unreadable))


def _to_match(match: FdMatch, unreadable: list[Unreadable]) -> ProviderMatch:
    minute = None if match.minute is None else MatchMinute(match.minute, match.injury_time or None)
    incidents = _incidents(match, unreadable)
    country = match.area.name if match.area else None
    return ProviderMatch(
        listed=ListedMatch(
            str(match.id),
            match.utc_date.astimezone(UTC),
            match.home.name or "",
            match.away.name or "",
            match.competition.name,
            match.competition.code,
            _other_names(match.home),
            _other_names(match.away),
            country,
        ),
        period=_period(match),
        score=_played(match.score),
        cards=_cards(incidents),
        minute=minute,
        venue=match.venue,
        goals=_goals(match, unreadable),
        home=_team(match.home, "HOME_TEAM", match.score.winner),
        away=_team(match.away, "AWAY_TEAM", match.score.winner),
        league=_league(match, country),
        incidents=incidents,
    )


def _team(team: FdTeam, side: str, winner: str | None) -> TeamClaim | None:
    if team.id is None:
        return None
    return TeamClaim(str(team.id), team.crest, winner == side if winner in WINNERS else None)


def _league(match: FdMatch, country: str | None) -> LeagueClaim | None:
    competition = match.competition
    id_ = competition.code or (str(competition.id) if competition.id is not None else None)
    if id_ is None:
        return None
    start = match.season.start if match.season else None
    season = start.year if start else None
    return LeagueClaim(id_, competition.name or id_, season, _round(match), country)


def _round(match: FdMatch) -> str | None:
    if match.matchday is not None:
        return f"Matchday {match.matchday}"
    return match.stage.replace("_", " ").capitalize() if match.stage else None


def _other_names(team: FdTeam) -> tuple[str, ...]:
    return tuple(name for name in (team.short_name, team.tla) if name)


def _period(match: FdMatch) -> str:
    if match.status == "FINISHED":
        return ENDS.get(match.score.duration, MatchStatus.FULL_TIME)
    beyond = RUNNING.get(match.score.duration)
    if match.status == "PAUSED" and beyond is not None:
        return MatchStatus.EXTRA_TIME_BREAK
    if match.status in ("IN_PLAY", "LIVE"):
        if beyond is not None:
            return beyond
        if match.minute is None:
            return MatchStatus.IN_PLAY
        return (
            MatchStatus.FIRST_HALF
            if match.minute <= LAST_OF_FIRST_HALF
            else MatchStatus.SECOND_HALF
        )
    if TIMESTAMP.match(match.status):
        return MatchStatus.NOT_STARTED
    return STATUSES.get(match.status, match.status)


def _played(score: FdScore) -> Score:
    """The score without the kicks of a shoot-out, which are not goals."""
    full = score.full_time
    if score.duration != SHOOTOUT:
        return Score(full.home, full.away)
    if score.regular_time is not None:
        return _combine(lambda side, extra: side + extra, score.regular_time, score.extra_time)
    return _combine(lambda side, kicks: side - kicks, full, score.penalties)


def _combine(combined: Callable[[int, int], int], score: FdPair, part: FdPair | None) -> Score:
    other = part or FdPair()
    return Score(
        None if score.home is None else combined(score.home, other.home or 0),
        None if score.away is None else combined(score.away, other.away or 0),
    )


def _goals(match: FdMatch, unreadable: list[Unreadable]) -> tuple[GoalClaim, ...] | None:
    """None if the list does not agree with the score: it is incomplete then."""
    if match.goals is None:
        return None
    home_before = 0
    claims: list[GoalClaim] = []
    for item in match.goals:
        goal = read_piece(FdGoal, item, f"football-data match {match.id}, goal", unreadable)
        if goal is None:
            return None
        side = _side(goal, match, home_before)
        home_before += side == "home"
        scorer = _person(goal.scorer)
        claims.append(
            GoalClaim(
                side,
                MatchMinute(goal.minute, goal.injury_time or None),
                DETAILS.get(goal.type, DETAILS["REGULAR"]),
                scorer.name,
                scorer.id,
                _person(goal.assist),
            )
        )
    score = _played(match.score)
    counted = (home_before, len(claims) - home_before)
    if None not in (score.home, score.away) and counted != (score.home, score.away):
        return None
    return tuple(claims)


def _incidents(match: FdMatch, unreadable: list[Unreadable]) -> tuple[IncidentClaim, ...] | None:
    """The cards."""
    if match.bookings is None:
        return None
    subject = f"football-data match {match.id}, booking"
    return tuple(
        IncidentClaim(
            IncidentKind.CARD,
            side_of(booking.team.id, match.home.id),
            MatchMinute(booking.minute, booking.injury_time or None),
            CARDS.get(booking.card, booking.card),
            _person(booking.player),
        )
        for booking in read_pieces(FdBooking, match.bookings, subject, unreadable)
    )


def _person(person: FdPerson | None) -> PersonClaim:
    if person is None:
        return NOBODY_CLAIMED
    return PersonClaim(str(person.id) if person.id else None, person.name)


def _side(goal: FdGoal, match: FdMatch, home_before: int) -> str:
    """By the score after the goal, which is right for own goals, too."""
    if goal.score is not None and goal.score.home is not None:
        return "home" if goal.score.home > home_before else "away"
    return side_of(goal.team.id, match.home.id)


def _cards(incidents: tuple[IncidentClaim, ...] | None) -> Score:
    if incidents is None:
        return Score()
    home = sum(one.side == "home" for one in incidents)
    return Score(home, len(incidents) - home)
