"""Writes whole matchdays from a seed."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from itertools import count, cycle, islice
from random import Random

from footy_assets.sim import stories, timetables
from footy_assets.sim.clubs import (
    CHAMPIONS_LEAGUE,
    FA_CUP,
    LEAGUES,
    TOP_LEAGUES,
    Club,
    clubs_of,
    invented_clubs,
)
from footy_assets.sim.script import Line, MatchScript, Timetable

FIRST_DAY = date(2000, 1, 1)
MATCHES_A_DAY = 1_000


@dataclass(frozen=True)
class Story:
    """A match in outline: where, when, how it runs, and what happens in it."""

    title: str
    league_id: int
    kickoff: time
    lines: Callable[[stories.Match], Iterable[Line]]
    course: Callable[[datetime], Timetable] = timetables.league_match


DEFAULT_DAY: tuple[Story, ...] = (
    Story("hat-trick", 39, time(12, 30), stories.hat_trick),
    Story(
        "extra time and shoot-out",
        CHAMPIONS_LEAGUE,
        time(12, 30),
        stories.decided_by_shootout,
        timetables.shootout,
    ),
    Story(
        "decided in extra time",
        CHAMPIONS_LEAGUE,
        time(12, 30),
        stories.decided_in_extra_time,
        timetables.extra_time,
    ),
    Story("VAR reversals", 140, time(12, 45), stories.var_reversals),
    Story("delayed kick-off", 61, time(12, 45), stories.ordinary, timetables.delayed),
    Story("disallowed 1-0, then a real one", 78, time(13, 0), stories.disallowed_then_real),
    Story("late scorer names", 135, time(13, 0), stories.late_names),
    Story("scorers never named", FA_CUP, time(13, 0), stories.never_named),
    Story("interruption", 39, time(13, 0), stories.around_an_interruption, timetables.interrupted),
    Story("abandoned", 140, time(13, 0), stories.before_the_abandonment, timetables.abandoned),
    Story("re-attributions", 61, time(13, 15), stories.reattributions),
    Story("minute edits", 39, time(13, 15), stories.minute_edits, timetables.long_stoppage),
    Story("flicker, two in one minute", 140, time(13, 30), stories.flicker_and_same_minute),
    Story("first of two goals removed", 78, time(13, 30), stories.first_of_two_removed),
    Story("postponed for good", 135, time(13, 30), stories.no_play, timetables.postponed),
    Story("cancelled", 61, time(13, 30), stories.no_play, timetables.cancelled),
    Story(
        "unknown status code",
        78,
        time(14, 0),
        stories.during_an_undocumented_status,
        timetables.undocumented_status,
    ),
    Story("time to be defined", 135, time(14, 0), stories.ordinary, timetables.time_to_be_defined),
)

ORDINARY_LINES = (
    stories.ordinary,
    stories.hat_trick,
    stories.penalty_and_own_goal,
    stories.one_var_reversal,
)
ORDINARY_KICKOFFS = (time(13, 30), time(13, 45), time(14, 0), time(14, 15))


def matchday(seed: int, day: date) -> tuple[MatchScript, ...]:
    """Every trap of the provider on one afternoon."""
    return _write(seed, day, DEFAULT_DAY, _Draw(Random(f"draw-{seed}-{day}")).pair)


def large_matchday(seed: int, day: date, matches: int) -> tuple[MatchScript, ...]:
    """Any number of ordinary matches, all live at once for an hour, by clubs invented for it."""
    clubs = invented_clubs(TOP_LEAGUES[0])
    return _write(seed, day, _ordinary_stories(matches), lambda _: (next(clubs), next(clubs)))


def quiet_matchday(seed: int, day: date, matches: int) -> tuple[MatchScript, ...]:
    """A few ordinary matches between clubs of the leagues."""
    draw = _Draw(Random(f"draw-{seed}-{day}"))
    return _write(seed, day, _ordinary_stories(matches), draw.pair)


def fixture_id(day: date, number: int) -> int:
    return (day - FIRST_DAY).days * MATCHES_A_DAY + number


def _ordinary_stories(matches: int) -> Iterator[Story]:
    outlines = (
        Story(lines.__name__, league_id, kickoff, lines)
        for league_id, kickoff, lines in zip(
            cycle(TOP_LEAGUES), cycle(ORDINARY_KICKOFFS), cycle(ORDINARY_LINES), strict=False
        )
    )
    return islice(outlines, matches)


def _write(
    seed: int,
    day: date,
    outlines: Iterable[Story],
    pair: Callable[[int], tuple[Club, Club]],
) -> tuple[MatchScript, ...]:
    return tuple(
        _write_match(seed, day, number, story, *pair(story.league_id))
        for number, story in zip(count(1), outlines, strict=False)
    )


def _write_match(
    seed: int, day: date, number: int, story: Story, home: Club, away: Club
) -> MatchScript:
    timetable = story.course(datetime.combine(day, story.kickoff, tzinfo=UTC))
    match = stories.Match(home, away, timetable, Random(f"match-{seed}-{day}-{number}"))
    return MatchScript(
        fixture_id=fixture_id(day, number),
        league=LEAGUES[story.league_id],
        home=home,
        away=away,
        timetable=timetable,
        lines=tuple(story.lines(match)),
        title=story.title,
        round="Regular Season - 36" if story.league_id in TOP_LEAGUES else "Semi-finals",
    )


class _Draw:
    """Pairs clubs so that nobody plays twice on a day."""

    def __init__(self, rng: Random) -> None:
        self._pools = {
            league_id: rng.sample(clubs_of(league_id), len(clubs_of(league_id)))
            for league_id in LEAGUES
        }
        self._drawn: set[Club] = set()

    def pair(self, league_id: int) -> tuple[Club, Club]:
        home = self._next(league_id)
        if league_id == FA_CUP:
            return home, self._next(TOP_LEAGUES[0])
        return home, self._next(league_id)

    def _next(self, league_id: int) -> Club:
        club = next(club for club in self._pools[league_id] if club not in self._drawn)
        self._drawn.add(club)
        return club
