"""A rate limit for tests without a database."""

from collections import deque
from datetime import datetime, timedelta


class LocalRateLimit:
    """For one site in one process."""

    def __init__(self) -> None:
        self._made: deque[datetime] = deque()
        self._closed_until: datetime | None = None

    def take(self, name: str, now: datetime, most: int, within: timedelta) -> datetime | None:
        while self._made and self._made[0] <= now - within:
            self._made.popleft()
        free = now
        if len(self._made) >= most:
            free = self._made[len(self._made) - most] + within
        free = max(free, self._closed_until or now)
        if free > now:
            return free
        self._made.append(now)
        return None

    def count(self, name: str, now: datetime) -> None:
        self._made.append(now)

    def close_until(self, name: str, when: datetime) -> None:
        self._closed_until = max(when, self._closed_until or when)
