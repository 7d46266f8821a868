"""L5: what is requested of line-ups and squads, and when."""

from collections.abc import Collection
from dataclasses import replace
from datetime import timedelta

import pytest

from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.line_up import LastFetch
from footy_assets.matchday.rules.sighting import Side
from footy_assets.matchday.rules.statuses import FixtureState
from footy_assets.providers.rules.rosters import RosterTimes, rosters_due
from footy_assets_tests.matchday.goals import FIXTURE, KICKOFF

SOON = replace(FIXTURE, status="NS", state=FixtureState.STAGING)
LATER = replace(
    *(SOON,),
    id=5001,
    kickoff=KICKOFF + timedelta(minutes=30),
    home=Side(50, "A"),
    away=Side(51, "B"),
)
BOTH_SQUADS = dict.fromkeys((40, 33), LastFetch(KICKOFF, KICKOFF))


def due(
    *fixtures: Fixture,
    minutes: float,
    line_ups: dict[int, LastFetch] | None = None,
    squads: dict[int, LastFetch] | None = None,
    unnamed: Collection[int] = (),
    squads_ahead: bool = True,
) -> list[tuple[str, int]]:
    now = KICKOFF + timedelta(minutes=minutes)
    times = RosterTimes(line_ups or {}, squads or {})
    found = rosters_due(fixtures, times, unnamed, now, squads_ahead=squads_ahead)
    return [(str(one.kind), one.id) for one in found]


def at(asked: float, fetched: float | None = None) -> LastFetch:
    """Minutes after kickoff."""
    arrived = None if fetched is None else KICKOFF + timedelta(minutes=fetched)
    return LastFetch(KICKOFF + timedelta(minutes=asked), arrived)


def test_l5_squads_are_requested_12_hours_before_kickoff_and_line_ups_75_minutes() -> None:
    assert due(SOON, LATER, minutes=-12 * 60 - 0.1) == []
    assert due(SOON, LATER, minutes=-12 * 60) == [("squad", 40), ("squad", 33)]
    assert due(SOON, minutes=-75.1) == [("squad", 40), ("squad", 33)]
    assert due(SOON, minutes=-75) == [("line_ups", 5000), ("squad", 40), ("squad", 33)]
    every = due(LATER, SOON, minutes=-45)
    assert every[:2] == [("line_ups", 5000), ("line_ups", 5001)]
    assert every[2:] == [("squad", id_) for id_ in (40, 33, 50, 51)]


@pytest.mark.parametrize(
    ("minutes", "asked", "is_due"),
    [(-60, -64.9, False), (-60, -65, True), (29, 24, True), (30, 25, False), (30, 0, True)],
)
def test_l5_line_ups_are_requested_every_five_minutes_and_seldom_after_kickoff(
    minutes: float, asked: float, is_due: bool
) -> None:
    found = due(SOON, minutes=minutes, line_ups={5000: at(asked)}, squads=BOTH_SQUADS)
    assert found == [("line_ups", 5000)] * is_due


def test_l5_line_ups_that_are_there_are_kept() -> None:
    there = {5000: at(-60, -60)}
    assert due(FIXTURE, minutes=300, line_ups=there, squads=BOTH_SQUADS) == []


@pytest.mark.parametrize(
    ("changes", "is_due"),
    [
        ({"status": "PST"}, False),
        ({"status": "CANC"}, False),
        ({"status": "WO"}, False),
        ({"status": "FT", "state": FixtureState.COMPLETED}, False),
        # Its goals may still lack their scorers.
        ({"status": "FT"}, True),
        ({"status": "a new code"}, True),
    ],
)
def test_l5_only_matches_that_are_played_are_requested(
    changes: dict[str, object], is_due: bool
) -> None:
    assert bool(due(replace(FIXTURE, **changes), minutes=100)) is is_due  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("hours", "unnamed", "is_due"),
    [
        (11.9, True, False),
        (12, True, True),
        (12, False, False),
        (23.9, False, False),
        (24, False, True),
    ],
)
def test_l5_a_squad_is_kept_24_hours_and_12_if_a_scorer_is_not_in_it(
    hours: float, unnamed: bool, is_due: bool
) -> None:
    squads = {40: at(-60 * hours, -60 * hours), 33: at(0, 0)}
    there = {5000: at(-60, -60)}
    who = {40} if unnamed else set[int]()
    found = due(SOON, minutes=0, line_ups=there, squads=squads, unnamed=who)
    assert found == [("squad", 40)] * is_due


def test_l5_a_squad_that_did_not_come_is_requested_again_after_five_minutes() -> None:
    there = {5000: at(-60, -60)}
    squads = {40: at(-5), 33: at(-4)}
    assert due(SOON, minutes=0, line_ups=there, squads=squads) == [("squad", 40)]


def test_l5_a_scorer_that_is_looked_for_comes_first() -> None:
    found = due(SOON, minutes=0, unnamed={33, 99})
    assert found == [("squad", 33), ("line_ups", 5000), ("squad", 40)]
    found = due(SOON, minutes=0, unnamed={33}, squads_ahead=False)
    assert found == [("squad", 33), ("line_ups", 5000)]
