"""The matchdays of the soak: the same few matches again and again, some hours apart."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta

from footy_assets.sim import World, make_world
from footy_assets.sim.script import Line, MatchScript, Timetable

# A scorer who is named late, and a match without surprises.
MATCHES = ("hat-trick", "late scorer names")
# From one matchday to the next, in the time of its clock.
APART = timedelta(hours=4)
FIRST_ID = 9_500_001


def matchdays(first: int, count: int, seed: int = 7) -> World:
    """Each matchday has numbers of its own, and the films of all are the same."""
    day = make_world(seed).only(MATCHES)
    scripts = [script for number in range(first, first + count) for script in _again(day, number)]
    return World.from_scripts(scripts)


def begins_at(number: int, seed: int = 7) -> datetime:
    """Half an hour before the first kickoff."""
    day = make_world(seed).only(MATCHES)
    return min(script.kickoff for script in day.scripts) + number * APART - timedelta(minutes=30)


def _again(day: World, number: int) -> Iterator[MatchScript]:
    later = number * APART
    for place, script in enumerate(day.scripts):
        yield replace(
            script,
            fixture_id=FIRST_ID + number * len(day.scripts) + place,
            timetable=_timetable_later(script.timetable, later),
            lines=tuple(_line_later(line, later) for line in script.lines),
        )


def _timetable_later(timetable: Timetable, later: timedelta) -> Timetable:
    return replace(
        timetable,
        announced=tuple(
            replace(one, since=one.since + later, kickoff=one.kickoff + later)
            for one in timetable.announced
        ),
        phases=tuple(replace(one, since=one.since + later) for one in timetable.phases),
    )


def _line_later(line: Line, later: timedelta) -> Line:
    return replace(line, forms=tuple(replace(one, since=one.since + later) for one in line.forms))
