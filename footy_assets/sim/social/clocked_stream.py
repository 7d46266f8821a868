"""Posts on Bluesky as a stream that goes on with a clock."""

from datetime import datetime, timedelta
from threading import Lock

from footy_assets.clock import Clock
from footy_assets.sim.social.posts import Posts
from footy_assets.sim.social.stream import (
    EventLog,
    Version,
    chatter,
    created,
    position_at,
)

SITE = "bluesky"
# Shorter than any silence that a listener takes for a broken server, at every speed of the clock.
CHATTER_EVERY = timedelta(seconds=30)


class ClockedStream:
    """A `SimStream` of posts and chatter from `begins_at` until now. Several threads may use it."""

    def __init__(self, posts: Posts, clock: Clock, begins_at: datetime) -> None:
        self._posts, self._clock = posts, clock
        self._log, self._lock = EventLog(), Lock()
        self._until, self._next_chatter = begins_at, begins_at

    def message(self, number: int, version: Version) -> str | None:
        return self._log.message(number, version) or self._current().message(number, version)

    def first_at(self, position: int) -> int:
        return self._current().first_at(position)

    def oldest(self) -> int:
        return self._current().oldest()

    def count(self) -> int:
        return self._current().count()

    def wait(self, seconds: float) -> None:
        self._log.wait(seconds)

    def _current(self) -> EventLog:
        """The log with everything that has happened by now."""
        with self._lock:
            now = self._clock.now()
            new = [
                created(post)
                for post in self._posts(now)
                if SITE in post.sites and self._until < post.posted_at <= now
            ]
            while self._next_chatter <= now:
                new.append(chatter(position_at(self._next_chatter)))
                self._next_chatter += CHATTER_EVERY
            self._log.add(*sorted(new, key=lambda event: event.position))
            self._until = max(now, self._until)
        return self._log
