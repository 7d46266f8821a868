"""Y10: what history may ask of the provider while the live pipeline goes first."""

import math
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta

from footy_assets.matchday.pace import (
    FULL_LOAD_CALLS,
    FULL_LOAD_EVERY,
    HORIZON,
    Quota,
    reserve,
)

DAY = timedelta(days=1)
# Of each minute, and of what is left of the day.
LIVE_SHARE = 0.5
# Where the provider tells none: that of its smallest plan.
UNTOLD_MINUTE_LIMIT = 10
# A day that is used up is looked at again when so many requests are free.
WORTH_RESUMING = 8


def per_minute(quota: Quota | None) -> int:
    """History's own limit of a minute, kept by all its processes together."""
    told = quota.minute_limit if quota is not None else None
    return max(1, math.floor((told or UNTOLD_MINUTE_LIMIT) * (1 - LIVE_SHARE)))


def as_of(quota: Quota | None, told_at: datetime | None, now: datetime) -> Quota | None:
    """What was told then, as it is now: a new minute and a new day begin with everything left."""
    if quota is None or told_at is None:
        return None
    if now >= next_day(told_at):
        quota = replace(quota, day_remaining=quota.day_limit)
    if now >= next_minute(told_at):
        quota = replace(quota, minute_remaining=quota.minute_limit)
    return quota


def allowed_now(quota: Quota | None, now: datetime) -> int:
    """How many requests may go out together. Before anything is known, one, which tells more."""
    if quota is None:
        return 1
    allowed = math.inf
    if quota.minute_limit and quota.minute_remaining is not None:
        allowed = quota.minute_remaining - math.ceil(quota.minute_limit * LIVE_SHARE)
    return max(0, min(int(min(allowed, 10**6)), left_today(quota, now)))


def left_today(quota: Quota | None, now: datetime) -> int:
    """What the live pipeline is sure not to need."""
    if quota is None or quota.day_remaining is None or not quota.day_limit:
        return 10**6
    return max(0, quota.day_remaining - kept_today(quota.day_limit, now))


def kept_today(day_limit: int, now: datetime) -> int:
    """Its reserve, and its half of the day, which shrinks as the day goes; but never less than a
    full load takes until its pace looks no further (F7), where the plan has that much."""
    left = next_day(now) - now
    share = day_limit * LIVE_SHARE * (left / DAY)
    load = max(FULL_LOAD_CALLS, FULL_LOAD_CALLS * (min(HORIZON, left) / FULL_LOAD_EVERY))
    return reserve(day_limit) + math.ceil(max(share, min(load, day_limit * LIVE_SHARE)))


def next_day(now: datetime) -> datetime:
    """When the provider counts anew."""
    return datetime.combine(now.astimezone(UTC).date() + timedelta(days=1), time(0, 0), UTC)


def next_minute(now: datetime) -> datetime:
    return now.replace(second=0, microsecond=0) + timedelta(minutes=1)


def resume_at(quota: Quota | None, now: datetime) -> datetime:
    """When it is worth looking again: in the next minute, or when the day has set some free."""
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
