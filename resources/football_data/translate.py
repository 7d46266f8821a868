"""From football-data.org's words to ours."""

from collections.abc import Callable
from datetime import UTC
from typing import Any

from pydantic import ValidationError

from footy_assets.matchday.feed import Unreadable
from footy_assets.matchday.minute import MatchMinute
from footy_assets.sources.adapter import Fetched, Sheet
from footy_assets.sources.identify import Listed
from footy_assets.sources.match import GoalClaim, Score
from resources.football_data.models import FdGoal, FdMatch, FdPair, FdScore

PERIODS = {
    "SCHEDULED": "NS",
    "TIMED": "NS",
    "PAUSED": "HT",
    "EXTRA_TIME": "ET",
    "PENALTY_SHOOTOUT": "P",
    "SUSPENDED": "SUSP",
    "POSTPONED": "PST",
    "CANCELLED": "CANC",
    "CANCELED": "CANC",
    "AWARDED": "AWD",
}
SHOOTOUT = "PENALTY_SHOOTOUT"
ENDS = {"REGULAR": "FT", "EXTRA_TIME": "AET", SHOOTOUT: "PEN"}
RUNNING = {"EXTRA_TIME": "ET", SHOOTOUT: "P"}
DETAILS = {"REGULAR": "Normal Goal", "OWN": "Own Goal", "PENALTY": "Penalty"}
LAST_OF_FIRST_HALF = 45


def read_matches(items: list[Any]) -> Fetched:
    sheets: list[Sheet] = []
    unreadable: list[Unreadable] = []
    for item in items:
        try:
            sheets.append(_sheet(FdMatch.model_validate(item)))
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            id_ = item.get("id", "?") if isinstance(item, dict) else "?"
            unreadable.append(Unreadable(f"football-data match {id_}", f"{where}: {first['msg']}"))
    return Fetched(tuple(sheets), tuple(unreadable))


def _sheet(match: FdMatch) -> Sheet:
    minute = None if match.minute is None else MatchMinute(match.minute, match.injury_time or None)
    return Sheet(
        listed=Listed(
            str(match.id),
            match.utc_date.astimezone(UTC),
            match.home.name,
            match.away.name,
            match.competition.name,
        ),
        period=_period(match),
        score=_played(match.score),
        cards=_cards(match),
        minute=minute,
        venue=match.venue,
        goals=_goals(match),
    )


def _period(match: FdMatch) -> str:
    if match.status == "FINISHED":
        return ENDS.get(match.score.duration, "FT")
    beyond = RUNNING.get(match.score.duration)
    if match.status == "PAUSED" and beyond is not None:
        return "BT"
    if match.status in ("IN_PLAY", "LIVE"):
        if beyond is not None:
            return beyond
        if match.minute is None:
            return "LIVE"
        return "1H" if match.minute <= LAST_OF_FIRST_HALF else "2H"
    return PERIODS.get(match.status, match.status)


def _played(score: FdScore) -> Score:
    """Without the kicks of a shoot-out, which are no goals."""
    full = score.full_time
    if score.duration != SHOOTOUT:
        return Score(full.home, full.away)
    if score.regular_time is not None:
        return _each(lambda side, extra: side + extra, score.regular_time, score.extra_time)
    return _each(lambda side, kicks: side - kicks, full, score.penalties)


def _each(made_of: Callable[[int, int], int], told: FdPair, beside: FdPair | None) -> Score:
    other = beside or FdPair()
    return Score(
        None if told.home is None else made_of(told.home, other.home or 0),
        None if told.away is None else made_of(told.away, other.away or 0),
    )


def _goals(match: FdMatch) -> tuple[GoalClaim, ...] | None:
    """A list that does not agree with the score is not complete: better none than that."""
    if match.goals is None:
        return None
    home_before = 0
    claims: list[GoalClaim] = []
    for goal in match.goals:
        side = _side(goal, match, home_before)
        home_before += side == "home"
        claims.append(
            GoalClaim(
                side,
                MatchMinute(goal.minute, goal.injury_time or None),
                DETAILS.get(goal.type, DETAILS["REGULAR"]),
                goal.scorer.name if goal.scorer else None,
            )
        )
    told = _played(match.score)
    counted = (home_before, len(claims) - home_before)
    if None not in (told.home, told.away) and counted != (told.home, told.away):
        return None
    return tuple(claims)


def _side(goal: FdGoal, match: FdMatch, home_before: int) -> str:
    """The score after the goal tells whose it is, also of an own goal."""
    if goal.score is not None and goal.score.home is not None:
        return "home" if goal.score.home > home_before else "away"
    return "home" if goal.team.id == match.home.id else "away"


def _cards(match: FdMatch) -> Score:
    if match.bookings is None:
        return Score()
    home = sum(booking.team.id == match.home.id for booking in match.bookings)
    return Score(home, len(match.bookings) - home)
