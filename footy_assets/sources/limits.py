"""A3: a provider's rate limits. They defer what is asked, and drop nothing."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True)
class RateLimits:
    max_concurrent: int = 4
    min_interval: float = 0.0
    burst: int = 1


@dataclass(frozen=True, slots=True)
class Turnstile:
    """Where a provider's requests stand against its limits.

    `even_until` is when all requests so far would be over if they came evenly spaced; `burst` of
    them may be ahead of that.
    """

    limits: RateLimits
    running: int = 0
    even_until: datetime | None = None

    def free_at(self, now: datetime, reserve: int = 0) -> datetime | None:
        """When one more may start; None while too many run. `reserve` turns are kept for others."""
        if self.running >= self.limits.max_concurrent - reserve:
            return None
        if self.even_until is None:
            return now
        ahead = max(0, self.limits.burst - 1 - reserve)
        return max(now, self.even_until - timedelta(seconds=self.limits.min_interval * ahead))

    def started(self, now: datetime) -> "Turnstile":
        even = max(now, self.even_until or now) + timedelta(seconds=self.limits.min_interval)
        return replace(self, running=self.running + 1, even_until=even)

    def again(self, now: datetime) -> tuple[datetime, "Turnstile"]:
        """One that runs already asks once more: from when it may, with that turn taken."""
        at = replace(self, running=0).free_at(now) or now
        even = max(at, self.even_until or at) + timedelta(seconds=self.limits.min_interval)
        return at, replace(self, even_until=even)

    def ended(self) -> "Turnstile":
        return replace(self, running=max(0, self.running - 1))

    def closed_until(self, when: datetime) -> "Turnstile":
        """The provider itself asked to be left alone: no burst before that."""
        ahead = timedelta(seconds=self.limits.min_interval * max(0, self.limits.burst - 1))
        return replace(self, even_until=max(when + ahead, self.even_until or when))
