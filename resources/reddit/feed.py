"""SE5: r/soccer's feed, requested once a minute at most for all goals and processes together."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Protocol

import httpx
from pydantic import AwareDatetime, BaseModel, ValidationError

from footy_assets import __version__
from footy_assets.clock import Clock
from footy_assets.errors import SiteAnswerInvalid, SiteRateLimited, SiteRefused, SiteUnavailable
from resources.answers import send_bounded
from resources.reddit.models import FeedEntry, parse_feed
from resources.sites.rate_limit import RateLimit
from resources.tls import verify_for

NAME = "r/soccer"
PATH = "/r/soccer/new/.rss"
PER_REQUEST = 100
# Longer than a match with its searches; at some hundred posts an hour.
KEPT_FOR = timedelta(hours=6)
MOST_KEPT = 2_000
# Older data is none: a search must not find nothing because nothing was read.
STALE_AFTER_REQUESTS = 3
WAITS_UP_TO = timedelta(seconds=5)
TIMEOUT_SECONDS = 14.0
MAX_BYTES = 5_000_000
# After a refusal: 2, 4, 8 … minutes, unless Reddit says longer.
FIRST_BACK_OFF, LONGEST_BACK_OFF = timedelta(minutes=2), timedelta(minutes=32)
LONGEST_NAMED = timedelta(hours=1)
USER_AGENT = f"footy-assets/{__version__} (reads the feed of {NAME} once a minute)"
REFUSED_FIX = (
    "Reddit refuses this address; later searches try again. Or leave reddit out of FOOTY_SITES"
)


class FeedStore(Protocol):
    """`footy_assets/store/site_feeds.py`."""

    def load(self, name: str) -> dict[str, Any] | None: ...
    def save(self, name: str, feed: dict[str, Any]) -> None: ...


class StoredFeed(BaseModel):
    """`refusals` in a row lengthen the back-off. `unreadable` is of the last answer."""

    fetched_at: AwareDatetime | None = None
    refusals: int = 0
    entries: tuple[FeedEntry, ...] = ()
    unreadable: dict[str, int] = {}


@dataclass
class SoccerFeed:
    base_url: str
    clock: Clock
    rate_limit: RateLimit
    store: FeedStore
    every: timedelta
    timeout: float = TIMEOUT_SECONDS
    client: httpx.Client = field(init=False)

    def __post_init__(self) -> None:
        self.client = httpx.Client(
            timeout=self.timeout,
            verify=verify_for(self.base_url),
            headers={"user-agent": USER_AGENT},
        )

    def close(self) -> None:
        self.client.close()

    def read(self) -> StoredFeed:
        """The recent posts: from Reddit if a request is due, else as any process last read them.

        Raises `SiteError` if they cannot be read, also while Reddit is left alone.
        """
        stored = self._load()
        due = self._take()
        if due is not None and due - self.clock.now() <= WAITS_UP_TO:
            self.clock.sleep((due - self.clock.now()).total_seconds())
            due = self._take()
            stored = self._load()
        if due is None:
            return self._fetch(stored)
        if stored.fetched_at is None or self._is_stale(stored.fetched_at):
            raise SiteRateLimited(f"Reddit's feed is not read before {due:%H:%M:%S} UTC")
        return stored

    def _take(self) -> datetime | None:
        return self.rate_limit.take(NAME, self.clock.now(), 1, self.every)

    def _is_stale(self, fetched_at: datetime) -> bool:
        return self.clock.now() - fetched_at > self.every * STALE_AFTER_REQUESTS

    def _load(self) -> StoredFeed:
        try:
            return StoredFeed.model_validate(self.store.load(NAME) or {})
        except ValidationError:
            # Of another version; the next request replaces it.
            return StoredFeed()

    def _fetch(self, stored: StoredFeed) -> StoredFeed:
        response = self._get()
        status = response.status_code
        if status in (httpx.codes.TOO_MANY_REQUESTS, httpx.codes.FORBIDDEN):
            until = self._back_off(stored, response.headers)
            if status == httpx.codes.FORBIDDEN:
                raise SiteRefused("Reddit refuses its feed (403)", REFUSED_FIX)
            raise SiteRateLimited(f"Reddit: too many requests; none before {until:%H:%M:%S} UTC")
        if status >= 500:
            raise SiteUnavailable(f"Reddit answered {status}")
        if status != httpx.codes.OK:
            raise SiteAnswerInvalid(f"Reddit answered {status} for its feed")
        unreadable: Counter[str] = Counter()
        new = parse_feed(response.content, unreadable)
        if unreadable and not new:
            raise SiteAnswerInvalid("no entry of Reddit's feed can be read")
        now = self.clock.now()
        kept = {entry.id: entry for entry in (*stored.entries, *new)}.values()
        recent = [entry for entry in kept if entry.published > now - KEPT_FOR]
        newest = sorted(recent, key=lambda entry: entry.published, reverse=True)[:MOST_KEPT]
        feed = StoredFeed(fetched_at=now, entries=tuple(newest), unreadable=dict(unreadable))
        self.store.save(NAME, feed.model_dump())
        return feed

    def _get(self) -> httpx.Response:
        url = f"{self.base_url.rstrip('/')}{PATH}"
        try:
            params = {"limit": PER_REQUEST}
            return send_bounded(self.client, "GET", url, params=params, max_bytes=MAX_BYTES)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            why = str(error) or type(error).__name__
            raise SiteUnavailable(f"Reddit at {self.base_url}: {why}") from error

    def _back_off(self, stored: StoredFeed, headers: httpx.Headers) -> datetime:
        """Longer after each refusal, for all processes."""
        wait = min(FIRST_BACK_OFF * 2 ** min(stored.refusals, 10), LONGEST_BACK_OFF)
        named = [_seconds(headers.get(name)) for name in ("retry-after", "x-ratelimit-reset")]
        until: datetime = self.clock.now() + max(wait, min(max(named), LONGEST_NAMED))
        self.rate_limit.close_until(NAME, until)
        later = stored.model_copy(update={"refusals": stored.refusals + 1})
        self.store.save(NAME, later.model_dump())
        return until


def _seconds(header: str | None) -> timedelta:
    """Reddit gives seconds, with or without a fraction."""
    try:
        return timedelta(seconds=max(0.0, float(header or 0)))
    except (ValueError, OverflowError):
        return timedelta(0)
