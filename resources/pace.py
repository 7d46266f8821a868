"""A source's own rate limit: so many requests in any stretch of time."""

from collections import deque
from datetime import datetime, timedelta
from typing import Protocol

from footy_assets.clock import Clock
from footy_assets.discovery.sources import Progress
from footy_assets.errors import SourceRateLimited

QUARTER_HOUR = timedelta(minutes=15)
LONGEST_WAIT = timedelta(seconds=30)
STEP = 5.0


class Turns(Protocol):
    """Who has asked when: all processes together (`store/turns.py`), or this one alone."""

    def take(self, name: str, now: datetime, most: int, within: timedelta) -> datetime | None:
        """None if a turn was free and is taken now, else when the next gets free."""
        ...

    def count(self, name: str, now: datetime) -> None: ...
    def close_until(self, name: str, when: datetime) -> None: ...


class OwnTurns:
    """For one source in one process."""

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


class Pace:
    """Waits a little for its turn; where that is far off it says so, for others wait behind it."""

    def __init__(
        self,
        name: str,
        most: int,
        clock: Clock,
        within: timedelta = QUARTER_HOUR,
        turns: Turns | None = None,
    ) -> None:
        self.name, self.most, self.within = name, most, within
        self._clock = clock
        self._turns = turns or OwnTurns()

    def take_turn(self, on_progress: Progress) -> None:
        """Before a search. Raises `SourceRateLimited` when the wait would be long."""
        while due := self._turns.take(self.name, self._clock.now(), self.most, self.within):
            left = due - self._clock.now()
            if left > LONGEST_WAIT:
                raise SourceRateLimited(
                    f"{self.name} is not asked again before {due:%H:%M:%S} UTC, "
                    "to keep its rate limit"
                )
            on_progress(f"{self.name}: waiting {left.total_seconds():.0f} s for the rate limit")
            self._clock.sleep(min(left.total_seconds(), STEP))

    def count(self) -> None:
        """One more request has been made."""
        self._turns.count(self.name, self._clock.now())

    def close_until(self, when: datetime) -> None:
        """The source itself said how long it wants to be left alone."""
        self._turns.close_until(self.name, when)


def reset_time(header: str | None, clock: Clock) -> datetime | None:
    """When a limit ends, as `x-rate-limit-reset` and `ratelimit-reset` tell it: Unix seconds."""
    if not header or not header.isdigit():
        return None
    try:
        told = datetime.fromtimestamp(int(header), clock.now().tzinfo)
    except (OverflowError, ValueError, OSError):
        return None
    return told if told > clock.now() else None
