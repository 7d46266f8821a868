"""F7: the quota slows the polling down before it runs out."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footy_assets.matchday.rules.pace import (
    SLOWEST_SECONDS,
    SMALL_PLAN_SLOWEST_SECONDS,
    Quota,
    backfill_pause,
    has_requests_to_spare,
    is_small_plan,
    poll_interval,
)

NOON = datetime(2025, 5, 10, 12, 0, tzinfo=UTC)


def test_F7_with_enough_quota_polls_are_30_seconds_apart() -> None:
    quota = Quota(75_000, 74_000, 450, 449)
    assert poll_interval(30, quota, 5, NOON) == 30


def test_F7_without_quota_headers_the_interval_stays() -> None:
    assert poll_interval(30, None, 5, NOON) == 30
    assert poll_interval(30, Quota(), 5, NOON) == 30


def test_F7_the_rest_of_the_day_quota_lasts_three_hours() -> None:
    """1,000 calls a day, 110 left, 20 kept in reserve: 10,800 s / 90 calls = 120 s apart."""
    assert poll_interval(30, Quota(1_000, 110), 1, NOON) == 120


def test_F7_the_rest_of_a_small_plan_lasts_six_hours() -> None:
    """100 calls a day, 92 left, 2 kept in reserve: 21,600 s / 90 calls = 240 s apart."""
    assert poll_interval(30, Quota(100, 92), 1, NOON) == 240


def test_F7_a_saturday_from_noon_to_midnight_fits_into_the_free_plan() -> None:
    """Also when every fourth poll looks up one match more."""
    left, now, polls = 100, NOON, 0
    while now < NOON + timedelta(hours=12):
        polls += 1
        calls = 2 if polls % 4 == 0 else 1
        left -= calls
        now += timedelta(seconds=poll_interval(30, Quota(100, left, 10, 9), calls, now))
    assert 0 < left < 50
    assert polls > 50


def test_F7_before_midnight_the_rest_lasts_until_the_reset() -> None:
    late = datetime(2025, 5, 10, 23, 0, tzinfo=UTC)
    assert poll_interval(30, Quota(100, 92), 1, late) == 40


def test_F7_the_minute_limit_allows_one_cycle() -> None:
    assert poll_interval(30, Quota(minute_limit=10, minute_remaining=10), 15, NOON) == 90


@pytest.mark.parametrize(
    ("limit", "slowest"), [(1_000, SLOWEST_SECONDS), (100, SMALL_PLAN_SLOWEST_SECONDS)]
)
@pytest.mark.parametrize("left", [0, 1, 2])
def test_F7_with_the_quota_used_up_the_interval_is_the_longest(
    limit: int, slowest: float, left: int
) -> None:
    assert poll_interval(30, Quota(limit, left), 1, NOON) == slowest
    assert poll_interval(1_000, Quota(limit, left), 1, NOON) == 1_000


@given(
    st.floats(1, 600),
    st.integers(1, 1_000),
    st.integers(0, 1_000),
    st.integers(1, 1_000),
    st.integers(0, 40),
)
def test_F7_the_interval_is_between_the_configured_and_the_longest(
    base: float, limit: int, left: int, per_minute: int, calls: int
) -> None:
    quota = Quota(limit, min(left, limit), per_minute, per_minute)
    slowest = SMALL_PLAN_SLOWEST_SECONDS if is_small_plan(quota) else SLOWEST_SECONDS
    assert base <= poll_interval(base, quota, calls, NOON) <= max(base, slowest)


@given(st.integers(0, 1_000), st.integers(1, 40))
def test_F7_less_left_is_never_faster(left: int, calls: int) -> None:
    more, less = Quota(1_000, left + 1), Quota(1_000, left)
    assert poll_interval(30, less, calls, NOON) >= poll_interval(30, more, calls, NOON)


def test_F7_three_hours_of_matches_fit_into_the_remaining_quota() -> None:
    """At this interval, an afternoon on a small plan never uses the last request."""
    left, now = 200, NOON
    while now < NOON + timedelta(hours=3):
        left -= 1
        now += timedelta(seconds=poll_interval(30, Quota(200, left), 1, now))
    assert left > 0


def test_F7_a_backfill_leaves_half_of_each_minute_to_the_live_poll() -> None:
    def left(remaining: int) -> Quota:
        return Quota(minute_limit=300, minute_remaining=remaining)

    assert backfill_pause(None, 4) == 0
    assert backfill_pause(left(200), 4) == 0
    assert backfill_pause(left(150), 5) == 2.0


@pytest.mark.parametrize(
    ("quota", "spare"),
    [
        (None, True),
        (Quota(day_limit=100), True),
        (Quota(day_limit=100, day_remaining=76), True),
        (Quota(day_limit=100, day_remaining=75), False),
        (Quota(day_limit=7_500, day_remaining=75), True),
    ],
)
def test_F7_of_a_small_plan_a_quarter_is_spent_on_anything_but_polls(
    quota: Quota | None, spare: bool
) -> None:
    assert has_requests_to_spare(quota) is spare
