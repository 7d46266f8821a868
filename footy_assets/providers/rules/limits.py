"""A3: a provider's rate limits. They defer requests, and drop none.

Not from the package `limits`: this is a value without a clock that also counts running requests
and keeps some in reserve, and it says when a request may start instead of refusing it.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True)
class RateLimits:
    max_concurrent: int = 4
    min_interval: float = 0.0
    burst: int = 1


@dataclass(frozen=True, slots=True)
class Limiter:
    """How far a provider's requests have used up its limits.

    `even_until` is when the requests so far would end if they were evenly spaced; up to `burst`
    requests may be ahead of that.
    """

    limits: RateLimits
    running: int = 0
    even_until: datetime | None = None

    def next_start(self, now: datetime, reserve: int = 0) -> datetime | None:
        """When one more may start; None while too many run. `reserve` slots are kept free."""
        if self.running >= self.limits.max_concurrent - reserve:
            return None
        if self.even_until is None:
            return now
        ahead = max(0, self.limits.burst - 1 - reserve)
        return max(now, self.even_until - timedelta(seconds=self.limits.min_interval * ahead))

    def started(self, now: datetime) -> "Limiter":
        even = max(now, self.even_until or now) + timedelta(seconds=self.limits.min_interval)
        return replace(self, running=self.running + 1, even_until=even)

    def retry(self, now: datetime) -> tuple[datetime, "Limiter"]:
        """When a running request may be sent again, and the limiter with that counted."""
        at = replace(self, running=0).next_start(now) or now
        even = max(at, self.even_until or at) + timedelta(seconds=self.limits.min_interval)
        return at, replace(self, even_until=even)

    def ended(self) -> "Limiter":
        return replace(self, running=max(0, self.running - 1))

    def paused_until(self, when: datetime) -> "Limiter":
        """The provider has refused further requests until then."""
        ahead = timedelta(seconds=self.limits.min_interval * max(0, self.limits.burst - 1))
        return replace(self, even_until=max(when + ahead, self.even_until or when))
