"""Readings that gain a second for every second of video, and those that do not."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footy_assets.media.clock_runs import TimeReading, constant_values, find_runs


def time_readings(*pairs: tuple[float, int], clear: bool = True) -> list[TimeReading]:
    return [TimeReading(seconds, value, clear=clear) for seconds, value in pairs]


def test_three_readings_that_tick_are_a_run() -> None:
    (run,) = find_runs(time_readings((1.0, 100), (3.0, 102), (5.0, 104)))
    assert run.pace == 1.0
    assert len(run.readings) == 3


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
def test_other_readings_are_no_run(readings: list[tuple[float, int]]) -> None:
    assert find_runs(time_readings(*readings)) == ()


def test_readings_without_a_colon_alone_are_no_run() -> None:
    ticks = [(1.0, 100), (3.0, 102), (5.0, 104), (7.0, 106)]
    assert find_runs(time_readings(*ticks, clear=False)) == ()
    helped = time_readings(*ticks[:2]) + time_readings(*ticks[2:], clear=False)
    assert len(find_runs(helped)[0].readings) == 4


def test_another_pace_needs_more_readings() -> None:
    half = [(4.0 * n, 100 + 2 * n) for n in range(8)]
    assert find_runs(time_readings(*half[:4])) == ()
    (run,) = find_runs(time_readings(*half))
    assert run.pace == pytest.approx(0.5, abs=0.15)


def test_a_wrong_reading_is_not_part_of_the_run() -> None:
    (run,) = find_runs(time_readings((1.0, 100), (3.0, 102), (5.0, 404), (7.0, 106), (9.0, 108)))
    assert [reading.value for reading in run.readings] == [100, 102, 106, 108]


def test_the_best_supported_run_comes_first() -> None:
    long = [(float(n), 100 + n) for n in range(0, 12, 2)]
    short = [(float(n), 900 + n) for n in range(1, 7, 2)]
    first, second = find_runs(time_readings(*long, *short))
    assert len(first.readings) == 6
    assert len(second.readings) == 3
    assert first.overlaps(second)


def test_constant_values_are_counted() -> None:
    assert constant_values(time_readings((1.0, 2700), (2.0, 2700), (3.0, 5))) == {2700: 2}


@settings(deadline=None)
@given(
    st.integers(0, 8000),
    st.floats(0.9, 1.25),
    st.lists(st.floats(0, 60), min_size=5, max_size=16, unique=True),
)
def test_no_reading_of_a_true_clock_is_left_out(
    start: int, pace: float, moments: list[float]
) -> None:
    """All readings of one clock are one run at any pace, if they are far enough apart."""
    moments = sorted(moments)
    found = find_runs(time_readings(*((at, int(start + pace * at)) for at in moments)))
    if moments[-1] - moments[0] > 10 and len({round(at) for at in moments}) >= 5:
        assert found
        assert len(found[0].readings) >= 0.6 * len(moments)
