"""Readings that gain a second for every second of film, and those that do not."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footy_assets.media.ticking import Point, runs_of, standing


def points(*pairs: tuple[float, int], clear: bool = True) -> list[Point]:
    return [Point(seconds, value, clear=clear) for seconds, value in pairs]


def test_three_readings_that_tick_are_a_run() -> None:
    (run,) = runs_of(points((1.0, 100), (3.0, 102), (5.0, 104)))
    assert run.pace == 1.0
    assert len(run.points) == 3


@pytest.mark.parametrize(
    "readings",
    [
        [],
        [(1.0, 100)],
        [(1.0, 100), (3.0, 102)],
        [(1.0, 100), (3.0, 100), (5.0, 100), (7.0, 100)],
        [(1.0, 104), (3.0, 102), (5.0, 100)],
        [(1.0, 100), (3.0, 700), (5.0, 2000)],
        [(1.0, 100), (1.0, 102), (1.0, 104)],
        [(0.1, 100), (0.2, 101), (0.3, 102)],
    ],
    ids=["none", "one", "two", "standing", "falling", "wild", "at once", "too close"],
)
def test_fewer_or_others_are_none(readings: list[tuple[float, int]]) -> None:
    assert runs_of(points(*readings)) == ()


def test_readings_without_a_colon_alone_are_no_run() -> None:
    ticks = [(1.0, 100), (3.0, 102), (5.0, 104), (7.0, 106)]
    assert runs_of(points(*ticks, clear=False)) == ()
    helped = points(*ticks[:2]) + points(*ticks[2:], clear=False)
    assert len(runs_of(helped)[0].points) == 4


def test_another_pace_needs_more_readings() -> None:
    half = [(4.0 * n, 100 + 2 * n) for n in range(8)]
    assert runs_of(points(*half[:4])) == ()
    (run,) = runs_of(points(*half))
    assert run.pace == pytest.approx(0.5, abs=0.15)


def test_a_wrong_reading_stays_outside() -> None:
    (run,) = runs_of(points((1.0, 100), (3.0, 102), (5.0, 404), (7.0, 106), (9.0, 108)))
    assert [point.value for point in run.points] == [100, 102, 106, 108]


def test_the_best_supported_run_comes_first() -> None:
    long = [(float(n), 100 + n) for n in range(0, 12, 2)]
    short = [(float(n), 900 + n) for n in range(1, 7, 2)]
    first, second = runs_of(points(*long, *short))
    assert len(first.points) == 6
    assert len(second.points) == 3
    assert first.overlaps(second)


def test_standing_values_are_counted() -> None:
    assert standing(points((1.0, 2700), (2.0, 2700), (3.0, 5))) == {2700: 2}


@settings(deadline=None)
@given(
    st.integers(0, 8000),
    st.floats(0.9, 1.25),
    st.lists(st.floats(0, 60), min_size=5, max_size=16, unique=True),
)
def test_no_reading_of_a_true_clock_is_left_out(
    start: int, pace: float, moments: list[float]
) -> None:
    """Whatever the pace, all readings of one clock are one run, if they tell a pace at all."""
    moments = sorted(moments)
    found = runs_of(points(*((at, int(start + pace * at)) for at in moments)))
    if moments[-1] - moments[0] > 10 and len({round(at) for at in moments}) >= 5:
        assert found
        assert len(found[0].points) >= 0.6 * len(moments)
