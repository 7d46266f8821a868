"""SE5: reads the feeds of sites once a minute while a match is played, for all searches.

A search is then a query of our own store. While nobody plays, no request is sent.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

import structlog
from pymongo.errors import PyMongoError

from footy_assets.clock import Clock
from footy_assets.errors import SiteError
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.search.rules.posts import BEFORE_PREVIOUS_ATTEMPT
from footy_assets.search.searcher import MAX_FEED_DELAY
from footy_assets.search.store.searches import SearchStore

# A search may look for posts as old as this.
LOOK_BACK = MAX_FEED_DELAY + BEFORE_PREVIOUS_ATTEMPT
LOOK_AGAIN = timedelta(seconds=30)
FAILED_AGAIN = timedelta(minutes=1)
# In real time: how soon a stop is noticed.
STEP_SECONDS = 0.5

log = structlog.get_logger()


class KeptFeed(Protocol):
    """`resources/sites/shared_feed.py`."""

    name: str

    def keep_fresh(self, since: datetime) -> datetime:
        """Reads the feed if a request is due; returns when the next one is. Raises `SiteError`."""
        ...


def is_anyone_waiting(matchdays: MatchdayStore, searches: SearchStore) -> bool:
    """Whether a goal may be searched for soon: a match is played, or a search is open."""
    return matchdays.is_any_played() or searches.next_due_at() is not None


@dataclass
class FeedKeeper:
    """`counts` has what became of each reading: `read` or `failed`."""

    feeds: Sequence[KeptFeed]
    is_needed: Callable[[], bool]
    clock: Clock
    counts: Counter[str] = field(default_factory=Counter)

    def run(self, stopped: Callable[[], bool]) -> None:
        """Until `stopped`. Raises a `PyMongoError` when nothing can be stored."""
        due = dict.fromkeys((feed.name for feed in self.feeds), self.clock.now())
        while not stopped():
            wake_at = self.clock.now() + LOOK_AGAIN
            if self.is_needed():
                for feed in self.feeds:
                    if due[feed.name] <= self.clock.now():
                        due[feed.name] = self._read(feed)
                wake_at = min(wake_at, *due.values())
            while (left := (wake_at - self.clock.now()).total_seconds()) > 0 and not stopped():
                self.clock.sleep(min(left, STEP_SECONDS * self.clock.speed))

    def _read(self, feed: KeptFeed) -> datetime:
        """When the feed is to be read again. A feed fails alone."""
        try:
            again = feed.keep_fresh(self.clock.now() - LOOK_BACK)
        except PyMongoError:
            raise
        except Exception as error:
            level = log.warning if isinstance(error, SiteError) else log.exception
            level("feed_failed", feed=feed.name, reason=str(error) or type(error).__name__)
            self.counts["failed"] += 1
            return self.clock.now() + FAILED_AGAIN
        self.counts["read"] += 1
        return again
