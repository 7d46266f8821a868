"""A small world: one goal a match, at the seconds one wants."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

from footy_assets.sim import lines, timetables
from footy_assets.sim.clubs import LEAGUES, TOP_LEAGUES, Club, clubs_of
from footy_assets.sim.script import MatchScript, Minute
from footy_assets.sim.world import World

KICKOFF = datetime(2025, 5, 10, 13, 30, tzinfo=UTC)
# Goals fall in the first half: from here on there are 25 minutes of it.
STARTS_AT = KICKOFF + timedelta(minutes=20)
FIRST_ID = 8_800_001


def one_goal_each(moments: Sequence[timedelta]) -> World:
    """A match for each moment, which is counted from STARTS_AT."""
    scripts = (
        _match(number, since_start, league, home, away)
        for number, (since_start, (league, home, away)) in enumerate(
            zip(moments, _pairs(), strict=False)
        )
    )
    return World.from_scripts(scripts, KICKOFF.date())


def _pairs() -> Iterator[tuple[int, Club, Club]]:
    for league in TOP_LEAGUES:
        clubs = clubs_of(league)
        for home, away in zip(clubs[::2], clubs[1::2], strict=True):
            yield league, home, away


def _match(number: int, since_start: timedelta, league: int, home: Club, away: Club) -> MatchScript:
    timetable = timetables.league_match(KICKOFF)
    played, second = divmod(int((STARTS_AT + since_start - KICKOFF).total_seconds()), 60)
    scorer = home.strikers[number % len(home.strikers)]
    goal = lines.goal(timetable, Minute(played + 1), home, scorer, second=second)
    return MatchScript(
        fixture_id=FIRST_ID + number,
        league=LEAGUES[league],
        home=home,
        away=away,
        timetable=timetable,
        lines=(goal,),
        title=f"match {number + 1}",
    )
