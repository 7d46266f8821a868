"""How fast we may poll, given what the provider's quota leaves (F7)."""

import math
from dataclasses import dataclass
from datetime import datetime, timedelta

RESERVE_SHARE = 0.02
HORIZON = timedelta(hours=3)
SLOWEST_SECONDS = 300.0
# A full live load: sixty matches, twenty to a request, every half minute.
FULL_LOAD_CALLS, FULL_LOAD_EVERY = 3, timedelta(seconds=30)


@dataclass(frozen=True, slots=True)
class Quota:
    """What the last answer's headers said; None where they said nothing."""

    day_limit: int | None = None
    day_remaining: int | None = None
    minute_limit: int | None = None
    minute_remaining: int | None = None


def backfill_pause(quota: Quota | None, calls: int) -> float:
    """Seconds to wait between a backfill's polls: half of each minute is the live loop's."""
    if quota is None or not quota.minute_limit or quota.minute_remaining is None:
        return 0.0
    if quota.minute_remaining > quota.minute_limit / 2:
        return 0.0
    return 120.0 * calls / quota.minute_limit


def reserve(day_limit: int) -> int:
    """What no poll is made at full pace with."""
    return math.ceil(day_limit * RESERVE_SHARE)


def poll_interval(base: float, quota: Quota | None, calls_per_cycle: int, now: datetime) -> float:
    """Seconds until the next poll: `base`, stretched so that the quota lasts.

    The day's rest must carry a full live load for three hours (or until it resets at 00:00
    UTC); the minute's limit must carry one cycle.
    """
    if quota is None or calls_per_cycle <= 0:
        return base
    wanted = base
    if quota.minute_limit:
        wanted = max(wanted, 60.0 * calls_per_cycle / quota.minute_limit)
    if quota.day_remaining is not None:
        spendable = quota.day_remaining - reserve(quota.day_limit or quota.day_remaining)
        if spendable < calls_per_cycle:
            return max(base, SLOWEST_SECONDS)
        midnight = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
        seconds = min(HORIZON, midnight - now).total_seconds()
        wanted = max(wanted, seconds * calls_per_cycle / spendable)
    return min(wanted, max(base, SLOWEST_SECONDS))
