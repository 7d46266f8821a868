"""Rate limits for tests without a database."""

from collections import defaultdict, deque
from datetime import datetime, timedelta


class LocalRateLimit:
    """In one process."""

    def __init__(self) -> None:
        self._made: defaultdict[str, deque[datetime]] = defaultdict(deque)
        self._closed_until: dict[str, datetime] = {}

    def take(self, name: str, now: datetime, most: int, within: timedelta) -> datetime | None:
        made = self._made[name]
        while made and made[0] <= now - within:
            made.popleft()
        free = made[len(made) - most] + within if len(made) >= most else now
        free = max(free, self._closed_until.get(name, now))
        if free > now:
            return free
        made.append(now)
        return None

    def count(self, name: str, now: datetime) -> None:
        self._made[name].append(now)

    def used(self, name: str, now: datetime, within: timedelta) -> int | None:
        if self._closed_until.get(name, now) > now:
            return None
        return sum(made > now - within for made in self._made[name])

    def close_until(self, name: str, when: datetime) -> None:
        self._closed_until[name] = max(when, self._closed_until.get(name, when))
