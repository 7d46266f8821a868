"""SE5: after a refusal a site is left alone, longer each time, by all processes."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

import httpx

from footy_assets.clock import Clock
from resources.sites.rate_limit import RateLimit

# 2, 4, 8 … minutes, unless the site says longer.
FIRST_BACK_OFF, LONGEST_BACK_OFF = timedelta(minutes=2), timedelta(minutes=32)
LONGEST_NAMED = timedelta(hours=1)
NAMING_HEADERS = ("retry-after", "x-ratelimit-reset")


class FeedStore(Protocol):
    """`footy_assets/store/site_feeds.py`."""

    def load(self, name: str) -> dict[str, Any] | None: ...
    def save(self, name: str, feed: dict[str, Any]) -> None: ...


@dataclass(frozen=True)
class SiteGate:
    """`name` is that of the site's rate limit."""

    name: str
    clock: Clock
    rate_limit: RateLimit
    store: FeedStore

    def refused(self, headers: httpx.Headers) -> datetime:
        """Closes the site; returns until when."""
        refusals = self._refusals()
        wait = min(FIRST_BACK_OFF * 2 ** min(refusals, 10), LONGEST_BACK_OFF)
        named = max(_seconds(headers.get(name)) for name in NAMING_HEADERS)
        until: datetime = self.clock.now() + max(wait, min(named, LONGEST_NAMED))
        self.rate_limit.close_until(self.name, until)
        self.store.save(self._key, {"refusals": refusals + 1})
        return until

    def answered(self) -> None:
        if self._refusals():
            self.store.save(self._key, {"refusals": 0})

    @property
    def _key(self) -> str:
        return f"refusals of {self.name}"

    def _refusals(self) -> int:
        found = (self.store.load(self._key) or {}).get("refusals")
        return found if isinstance(found, int) else 0


def _seconds(header: str | None) -> timedelta:
    """In seconds, with or without a fraction."""
    try:
        return timedelta(seconds=max(0.0, float(header or 0)))
    except (ValueError, OverflowError):
        return timedelta(0)
