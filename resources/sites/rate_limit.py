"""Keeps a site's rate limit: at most so many requests within a period.

Not from the package `limits`: it reads time.time() where ours is passed in (the demo's runs sixty
times faster), and answers yes or no where we need to know when the next request may be sent.
"""

from datetime import datetime, timedelta
from typing import Protocol

from footy_assets.clock import Clock
from footy_assets.errors import SiteRateLimited
from footy_assets.search.rules.site import Progress

QUARTER_HOUR = timedelta(minutes=15)
LONGEST_WAIT = timedelta(seconds=30)
STEP = 5.0


class RateLimit(Protocol):
    """Counts the requests of all processes: `footy_assets/store/rate_limit.py`."""

    def take(self, name: str, now: datetime, most: int, within: timedelta) -> datetime | None:
        """None if a request is free and is counted now, else when the next one is."""
        ...

    def count(self, name: str, now: datetime) -> None: ...
    def used(self, name: str, now: datetime, within: timedelta) -> int | None:
        """How many requests were sent within that time; None while the site is closed."""
        ...

    def close_until(self, name: str, when: datetime) -> None: ...


class RateLimiter:
    """Waits briefly for the next free request, and raises `SiteRateLimited` if that is far off."""

    def __init__(
        self,
        name: str,
        most: int,
        clock: Clock,
        rate_limit: RateLimit,
        within: timedelta = QUARTER_HOUR,
    ) -> None:
        self.name, self.most, self.within = name, most, within
        self._clock = clock
        self._rate_limit = rate_limit

    def wait_for_turn(self, on_progress: Progress) -> None:
        """Call before each request. Raises `SiteRateLimited` if the wait is long."""
        while due := self._rate_limit.take(self.name, self._clock.now(), self.most, self.within):
            left = due - self._clock.now()
            if left > LONGEST_WAIT:
                raise SiteRateLimited(
                    f"{self.name} is not searched before {due:%H:%M:%S} UTC, to keep its rate limit"
                )
            on_progress(f"{self.name}: waiting {left.total_seconds():.0f} s for the rate limit")
            self._clock.sleep(min(left.total_seconds(), STEP))

    def count(self) -> None:
        """Count a request that was made without waiting."""
        self._rate_limit.count(self.name, self._clock.now())

    def has_room(self) -> bool:
        """SE8: whether at most half of the requests are used, and the site is not closed."""
        used = self._rate_limit.used(self.name, self._clock.now(), self.within)
        return used is not None and used * 2 <= self.most

    def close_until(self, when: datetime) -> None:
        """Send nothing until the time that the site named."""
        self._rate_limit.close_until(self.name, when)


def reset_time(header: str | None, clock: Clock) -> datetime | None:
    """When a limit ends: `x-rate-limit-reset` and `ratelimit-reset` hold Unix seconds."""
    if not header or not header.isdigit():
        return None
    try:
        resets_at = datetime.fromtimestamp(int(header), clock.now().tzinfo)
    except (OverflowError, ValueError, OSError):
        return None
    return resets_at if resets_at > clock.now() else None
