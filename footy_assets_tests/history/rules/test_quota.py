"""Y10: how many requests history may send; the live pipeline has precedence."""

from datetime import UTC, datetime, timedelta

import pytest

from footy_assets.history.rules.quota import (
    WORTH_RESUMING,
    allowed_now,
    as_of,
    left_today,
    per_minute,
    resume_at,
)
from footy_assets.matchday.rules.pace import FULL_LOAD_CALLS, Quota, poll_interval

MORNING = datetime(2025, 5, 10, 6, 0, tzinfo=UTC)
PLENTY = Quota(day_limit=7_500, day_remaining=7_500, minute_limit=300, minute_remaining=300)


def test_y10_without_figures_one_request_is_allowed() -> None:
    assert allowed_now(None, MORNING) == 1


def test_y10_without_a_limit_header_the_smallest_plan_applies() -> None:
    assert per_minute(None) == per_minute(Quota(day_limit=100)) == 5


def test_y10_half_of_each_minute_is_kept_for_the_live_pipeline() -> None:
    assert per_minute(PLENTY) == 150
    used = Quota(day_limit=7_500, day_remaining=7_500, minute_limit=300, minute_remaining=160)
    assert allowed_now(used, MORNING) == 10
    used = Quota(day_limit=7_500, day_remaining=7_500, minute_limit=300, minute_remaining=150)
    assert allowed_now(used, MORNING) == 0
    assert resume_at(used, MORNING + timedelta(seconds=20)) == MORNING + timedelta(minutes=1)


@pytest.mark.parametrize(
    ("hour", "kept"),
    [(0, 3_750), (6, 2_813), (12, 1_875), (18, 1_080), (22, 720)],
)
def test_y10_the_live_half_of_the_day_shrinks_during_the_day(hour: int, kept: int) -> None:
    reserve = 150
    assert left_today(PLENTY, MORNING.replace(hour=hour)) == 7_500 - reserve - kept


@pytest.mark.parametrize("limit", [7_500, 75_000])
@pytest.mark.parametrize("minute", [*range(0, 24 * 60, 45), 24 * 60 - 1])
def test_y10_a_day_that_history_has_used_up_does_not_slow_the_live_poll(
    limit: int, minute: int
) -> None:
    now = MORNING.replace(hour=0) + timedelta(minutes=minute)
    spent = limit - left_today(Quota(day_limit=limit, day_remaining=limit), now)
    for calls in range(1, FULL_LOAD_CALLS + 1):
        left = Quota(day_limit=limit, day_remaining=spent)
        assert poll_interval(30.0, left, calls, now) == 30.0


def test_y10_the_smallest_plan_still_has_a_share_for_history() -> None:
    small = Quota(day_limit=100, day_remaining=100)
    assert left_today(small, MORNING) == 48


def test_y10_a_used_up_day_resumes_when_enough_of_it_has_passed() -> None:
    used = Quota(day_limit=7_500, day_remaining=1_000, minute_limit=300, minute_remaining=300)
    assert allowed_now(used, MORNING) == 0
    when = resume_at(used, MORNING)
    assert MORNING < when < MORNING + timedelta(hours=18)
    assert left_today(used, when) == WORTH_RESUMING
    nothing = Quota(day_limit=7_500, day_remaining=3, minute_limit=300, minute_remaining=300)
    assert resume_at(nothing, MORNING) == datetime(2025, 5, 11, tzinfo=UTC)


def test_y10_each_minute_and_each_day_starts_with_the_full_quota() -> None:
    figures = Quota(day_limit=7_500, day_remaining=10, minute_limit=300, minute_remaining=5)
    assert as_of(figures, None, MORNING) is None
    assert as_of(figures, MORNING, MORNING + timedelta(seconds=59)) == figures
    later = as_of(figures, MORNING, MORNING + timedelta(seconds=60))
    assert later == Quota(7_500, 10, 300, 300)
    assert as_of(figures, MORNING, MORNING + timedelta(days=1)) == PLENTY
