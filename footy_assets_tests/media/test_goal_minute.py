"""V3: whether a clip shows the goal's minute."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footy_assets.errors import BadInput
from footy_assets.media.clock import ClockReading
from footy_assets.media.goal_minute import GoalMinute, verify_minute


def reading(*minutes: int, stands_at: int | None = None) -> ClockReading:
    return ClockReading(minutes, bool(minutes), (), None, "", stands_at)


@pytest.mark.parametrize(
    ("written", "elapsed", "extra", "clock_minute"),
    [
        ("23", 23, 0, 22),
        ("45+2", 45, 2, 46),
        ("90+4'", 90, 4, 93),
        (" 90 + 4 ", 90, 4, 93),
        ("1", 1, 0, 0),
        ("120+1", 120, 1, 120),
        ("67’", 67, 0, 66),
    ],
)
def test_v3_expected_minute_is_elapsed_plus_extra_less_one(
    written: str, elapsed: int, extra: int, clock_minute: int
) -> None:
    minute = GoalMinute.parse(written)
    assert (minute.elapsed, minute.extra, minute.clock_minute) == (elapsed, extra, clock_minute)


@pytest.mark.parametrize("written", ["", "x", "45+", "+2", "45:12", "-3", "1000", "121", "4 5"])
def test_other_text_is_rejected(written: str) -> None:
    with pytest.raises(BadInput, match="not a minute"):
        GoalMinute.parse(written)


@settings(deadline=None)
@given(st.integers(1, 120), st.integers(0, 15), st.lists(st.integers(0, 135), min_size=1))
def test_v3_verified_if_any_reading_is_within_one(
    elapsed: int, extra: int, minutes: list[int]
) -> None:
    expected = elapsed + extra - 1
    near = any(abs(minute - expected) <= 1 for minute in minutes)
    assert verify_minute(reading(*minutes), elapsed, extra) is near


@pytest.mark.parametrize(("minute", "verified"), [(43, False), (45, True), (46, True), (47, True)])
def test_v3_a_readable_clock_that_is_wrong_rejects(minute: int, verified: bool) -> None:
    assert verify_minute(reading(minute), 45, 2) is verified


def test_v3_no_clock_is_unverified_not_wrong() -> None:
    assert verify_minute(reading(), 23, None) is None


def test_a_clock_that_stands_at_45_neither_verifies_nor_refutes_added_time() -> None:
    standing = reading(44, 45, stands_at=45)
    assert verify_minute(standing, 45, 4) is None
    assert verify_minute(standing, 45, 1) is True
    assert verify_minute(standing, 23, 0) is False
    assert verify_minute(reading(47, stands_at=45), 45, 8) is False
