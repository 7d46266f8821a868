"""Y10: how many requests history may send; the live pipeline has precedence.

Not from the package `limits`: the share follows the figures that the provider sends with every
response, not a fixed number of requests in a fixed time.
"""

import math
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta

from footy_assets.matchday.rules.pace import (
    FULL_LOAD_CALLS,
    FULL_LOAD_EVERY,
    HORIZON,
    Quota,
    reserve,
)

DAY = timedelta(days=1)
# The live pipeline's share of each minute, and of what is left of the day.
LIVE_SHARE = 0.5
# If the provider sends no limit: that of its smallest plan.
DEFAULT_MINUTE_LIMIT = 10
# After a day's share is used up, history resumes when this many requests are free.
WORTH_RESUMING = 8


def per_minute(quota: Quota | None) -> int:
    """History's limit per minute, shared by all its processes."""
    limit = quota.minute_limit if quota is not None else None
    return max(1, math.floor((limit or DEFAULT_MINUTE_LIMIT) * (1 - LIVE_SHARE)))


def as_of(quota: Quota | None, read_at: datetime | None, now: datetime) -> Quota | None:
    """The quota now, from figures of an earlier time: each minute and each day starts full."""
    if quota is None or read_at is None:
        return None
    if now >= next_day(read_at):
        quota = replace(quota, day_remaining=quota.day_limit)
    if now >= next_minute(read_at):
        quota = replace(quota, minute_remaining=quota.minute_limit)
    return quota


def allowed_now(quota: Quota | None, now: datetime) -> int:
    """How many requests may be sent now. With no figures yet: one, which returns them."""
    if quota is None:
        return 1
    allowed = math.inf
    if quota.minute_limit and quota.minute_remaining is not None:
        allowed = quota.minute_remaining - math.ceil(quota.minute_limit * LIVE_SHARE)
    return max(0, min(int(min(allowed, 10**6)), left_today(quota, now)))


def left_today(quota: Quota | None, now: datetime) -> int:
    """Requests that the live pipeline cannot need today."""
    if quota is None or quota.day_remaining is None or not quota.day_limit:
        return 10**6
    return max(0, quota.day_remaining - reserved_for_live(quota.day_limit, now))


def reserved_for_live(day_limit: int, now: datetime) -> int:
    """Requests kept for the live pipeline: its reserve, and its half of the rest of the day; never
    less than a full load takes within the horizon of its pace (F7), if the plan has that much."""
    left = next_day(now) - now
    share = day_limit * LIVE_SHARE * (left / DAY)
    load = max(FULL_LOAD_CALLS, FULL_LOAD_CALLS * (min(HORIZON, left) / FULL_LOAD_EVERY))
    return reserve(day_limit) + math.ceil(max(share, min(load, day_limit * LIVE_SHARE)))


def next_day(now: datetime) -> datetime:
    """When the provider resets the daily count."""
    return datetime.combine(now.astimezone(UTC).date() + timedelta(days=1), time(0, 0), UTC)


def next_minute(now: datetime) -> datetime:
    return now.replace(second=0, microsecond=0) + timedelta(minutes=1)


def resume_at(quota: Quota | None, now: datetime) -> datetime:
    """When to try again: in the next minute, or when enough of the day's share is free."""
    if quota is None or left_today(quota, now) > 0:
        return next_minute(now)
    limit = quota.day_limit or 0
    free = (quota.day_remaining or 0) - reserve(limit) - WORTH_RESUMING
    if free <= 0:
        return next_day(now)
    before_midnight = DAY * (free / (limit * LIVE_SHARE))
    if free < min(FULL_LOAD_CALLS * (HORIZON / FULL_LOAD_EVERY), limit * LIVE_SHARE):
        before_midnight = min(before_midnight, FULL_LOAD_EVERY * (free / FULL_LOAD_CALLS))
    return max(next_day(now) - before_midnight, next_minute(now))
