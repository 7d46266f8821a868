"""How many requests the provider's plan allows, counted on the simulated clock."""

from dataclasses import dataclass
from datetime import date, datetime
from threading import Lock
from typing import Literal

Refusal = Literal["day", "minute"]


@dataclass(frozen=True)
class Quota:
    per_day: int = 150_000
    per_minute: int = 1_200


class Meter:
    def __init__(self, quota: Quota) -> None:
        self.quota = quota
        self._lock = Lock()
        self._day: date | None = None
        self._minute: datetime | None = None
        self._used_today = 0
        self._used_this_minute = 0

    def spend(self, now: datetime) -> Refusal | None:
        """Count one request, or say which limit refuses it."""
        with self._lock:
            self._turn(now)
            if self._used_this_minute >= self.quota.per_minute:
                return "minute"
            if self._used_today >= self.quota.per_day:
                return "day"
            self._used_today += 1
            self._used_this_minute += 1
            return None

    def used_on(self, now: datetime) -> int:
        with self._lock:
            self._turn(now)
            return self._used_today

    def headers(self, now: datetime) -> dict[str, str]:
        with self._lock:
            self._turn(now)
            left_today = max(0, self.quota.per_day - self._used_today)
            left_this_minute = max(0, self.quota.per_minute - self._used_this_minute)
        return {
            "x-ratelimit-requests-limit": str(self.quota.per_day),
            "x-ratelimit-requests-remaining": str(left_today),
            "X-RateLimit-Limit": str(self.quota.per_minute),
            "X-RateLimit-Remaining": str(left_this_minute),
        }

    def _turn(self, now: datetime) -> None:
        minute = now.replace(second=0, microsecond=0)
        if now.date() != self._day:
            self._day, self._used_today = now.date(), 0
        if minute != self._minute:
            self._minute, self._used_this_minute = minute, 0
