"""How often to poll, given the provider's remaining quota (F7)."""

import math
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

RESERVE_SHARE = 0.02
HORIZON = timedelta(hours=3)
SLOWEST_SECONDS = 300.0
# A plan of so few requests a day cannot follow an evening at any usual pace, such as the free one
# of API-Football: they are spread over a longer one, and further apart towards its end.
SMALL_PLAN = 200
SMALL_PLAN_HORIZON = timedelta(hours=6)
SMALL_PLAN_SLOWEST_SECONDS = 900.0
# Of a small plan's day, only this first part is spent on anything but polls.
SPARE_SHARE = 0.25
# F11: this much of the day's and of the minute's requests is plenty.
PLENTY_OF_DAY, PLENTY_OF_MINUTE = 0.25, 0.5
# A full live load: sixty matches, twenty to a request, every half minute.
FULL_LOAD_CALLS, FULL_LOAD_EVERY = 3, timedelta(seconds=30)


@dataclass(frozen=True, slots=True)
class Quota:
    """The quota in an answer's headers; None for a missing header."""

    day_limit: int | None = None
    day_remaining: int | None = None
    minute_limit: int | None = None
    minute_remaining: int | None = None


def lowest(known: Quota | None, answer: Quota) -> Quota:
    """The lower of two quotas: answers may arrive out of order, and the provider counts down."""
    if known is None:
        return answer
    return replace(
        answer,
        day_remaining=_lower(known.day_remaining, answer.day_remaining),
        minute_remaining=_lower(known.minute_remaining, answer.minute_remaining),
    )


def _lower(one: int | None, other: int | None) -> int | None:
    figures = [figure for figure in (one, other) if figure is not None]
    return min(figures, default=None)


def backfill_pause(quota: Quota | None, calls: int) -> float:
    """Seconds between a backfill's polls: half of the minute's quota is for the live poll."""
    if quota is None or not quota.minute_limit or quota.minute_remaining is None:
        return 0.0
    if quota.minute_remaining > quota.minute_limit / 2:
        return 0.0
    return 120.0 * calls / quota.minute_limit


def is_small_plan(quota: Quota) -> bool:
    return quota.day_limit is not None and quota.day_limit < SMALL_PLAN


def has_requests_to_spare(quota: Quota | None) -> bool:
    """Whether requests may be spent on line-ups, squads and profiles of teams."""
    if quota is None or quota.day_limit is None or quota.day_remaining is None:
        return True
    return not is_small_plan(quota) or quota.day_remaining > quota.day_limit * (1 - SPARE_SHARE)


def has_plenty_left(quota: Quota | None) -> bool:
    """F11: whether matches with an unconfirmed goal may be polled faster by default.

    Not on a small plan, and not where the provider does not tell its quota."""
    if quota is None or quota.day_limit is None or quota.day_remaining is None:
        return False
    if is_small_plan(quota) or quota.day_remaining < quota.day_limit * PLENTY_OF_DAY:
        return False
    if quota.minute_limit is None or quota.minute_remaining is None:
        return True
    return quota.minute_remaining >= quota.minute_limit * PLENTY_OF_MINUTE


def reserve(day_limit: int) -> int:
    """The part of the day's quota that is not used at full pace."""
    return math.ceil(day_limit * RESERVE_SHARE)


def poll_interval(base: float, quota: Quota | None, calls_per_cycle: int, now: datetime) -> float:
    """Seconds until the next poll: `base`, stretched so that the quota lasts.

    The rest of the day's quota must last three hours, that of a small plan six (or until its reset
    at 00:00 UTC); the minute's limit must allow one cycle.
    """
    if quota is None or calls_per_cycle <= 0:
        return base
    interval, horizon, slowest = base, HORIZON, SLOWEST_SECONDS
    if is_small_plan(quota):
        horizon, slowest = SMALL_PLAN_HORIZON, SMALL_PLAN_SLOWEST_SECONDS
    if quota.minute_limit:
        interval = max(interval, 60.0 * calls_per_cycle / quota.minute_limit)
    if quota.day_remaining is not None:
        spendable = quota.day_remaining - reserve(quota.day_limit or quota.day_remaining)
        if spendable < calls_per_cycle:
            return max(base, slowest)
        midnight = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
        seconds = min(horizon, midnight - now).total_seconds()
        interval = max(interval, seconds * calls_per_cycle / spendable)
    return min(interval, max(base, slowest))
