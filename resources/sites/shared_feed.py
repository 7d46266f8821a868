"""SE5: a feed of a site, requested once a minute at most for all goals and processes together."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Generic, Self, TypeVar

import httpx
from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

from footy_assets.clock import Clock
from footy_assets.errors import SiteError, SiteRateLimited, SiteRefused, SiteUnavailable
from footy_assets.search.rules.posts import Window
from resources.answers import send_bounded
from resources.sites.rate_limit import RateLimit
from resources.sites.site_gate import FeedStore, SiteGate
from resources.tls import verify_for

# Longer than a match with its searches.
KEPT_FOR = timedelta(hours=6)
# Older data is none: a search must not find nothing because nothing was read.
STALE_AFTER_REQUESTS = 3
# A feed that another process reads once a minute is not requested by searches for so long.
KEPT_FRESH_FOR_REQUESTS = 2
WAITS_UP_TO = timedelta(seconds=5)
TIMEOUT_SECONDS = 14.0
MAX_BYTES = 5_000_000


class FeedPost(BaseModel):
    model_config = ConfigDict(frozen=True)

    id: str
    published: AwareDatetime

    def is_within(self, window: Window) -> bool:
        return self.published >= window.since and (
            window.until is None or self.published <= window.until
        )


P = TypeVar("P", bound=FeedPost)


class StoredFeed(BaseModel, Generic[P]):
    """`unreadable` is of the last answer. All posts since `complete_since` are in `entries`, where
    it is known. Until `kept_until` a process keeps the feed fresh. `problem` is why the last
    request failed for a reason that stays, such as a channel that does not exist."""

    fetched_at: AwareDatetime | None = None
    complete_since: AwareDatetime | None = None
    kept_until: AwareDatetime | None = None
    problem: str = ""
    entries: tuple[P, ...] = ()
    unreadable: dict[str, int] = {}


@dataclass(frozen=True, slots=True)
class FeedAnswer(Generic[P]):
    entries: tuple[P, ...]
    unreadable: dict[str, int] = field(default_factory=dict)
    complete_since: datetime | None = None


@dataclass(frozen=True, slots=True)
class FeedParts:
    """What every feed of a site is opened with. `rate_limit` and `store` are shared by all
    processes."""

    base_url: str
    clock: Clock
    rate_limit: RateLimit
    store: FeedStore
    every: timedelta
    timeout: float = TIMEOUT_SECONDS

    def client(self, user_agent: str) -> httpx.Client:
        return httpx.Client(
            timeout=self.timeout,
            verify=verify_for(self.base_url),
            headers={"user-agent": user_agent},
        )


class SharedFeed(ABC, Generic[P]):
    """`name` is the feed's in both stores; `site` is the name that people read. `gate_name` is the
    rate limit that a refusal closes: the feed's own, or one that several feeds share."""

    name: str
    site: str
    entry_type: type[P]
    most_kept: int
    refused_fix: str

    def __init__(self, parts: FeedParts, client: httpx.Client, gate_name: str) -> None:
        self.parts, self.clock, self._client = parts, parts.clock, client
        self.gate = SiteGate(gate_name, parts.clock, parts.rate_limit, parts.store)

    def close(self) -> None:
        self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @abstractmethod
    def request(self, stored: StoredFeed[P], since: datetime) -> FeedAnswer[P]:
        """The newest posts, back to `since` where the site has older pages. Raises `SiteError`."""

    def read(self, since: datetime | None = None) -> StoredFeed[P]:
        """The recent posts: from the site if a request is due and nobody keeps the feed fresh,
        else as any process last read them.

        Raises `SiteError` if they cannot be read, also while the site is left alone.
        """
        stored = self.load()
        if stored.kept_until is not None and stored.kept_until > self.clock.now():
            return stored
        due = self.take()
        if due is not None and due - self.clock.now() <= WAITS_UP_TO:
            self.clock.sleep((due - self.clock.now()).total_seconds())
            due = self.take()
            stored = self.load()
        if due is None:
            return self._fetch(stored, since)
        if stored.fetched_at is None or self._is_stale(stored.fetched_at):
            raise self.not_read(stored, due)
        return stored

    def keep_fresh(self, since: datetime) -> datetime:
        """Reads the feed if a request is due; returns when the next one is. Raises `SiteError`."""
        due = self.take()
        if due is not None:
            return due
        now, every = self.clock.now(), self.parts.every
        self._fetch(self.load(), since, now + every * KEPT_FRESH_FOR_REQUESTS)
        return now + every

    def take(self) -> datetime | None:
        """None if a request may be sent now, else when one may."""
        now = self.clock.now()
        return self.parts.rate_limit.take(self.name, now, 1, self.parts.every)

    def load(self) -> StoredFeed[P]:
        try:
            return self._stored(self.parts.store.load(self.name) or {})
        except ValidationError:
            # Of another version; the next request replaces it.
            return self._stored({})

    def save(self, feed: StoredFeed[P]) -> None:
        self.parts.store.save(self.name, feed.model_dump())

    def not_read(self, stored: StoredFeed[P], due: datetime) -> SiteError:
        """Why there are no posts while no request may be sent."""
        return SiteRateLimited(f"{self.site}'s feed is not read before {due:%H:%M:%S} UTC")

    def get(self, path: str, **params: Any) -> httpx.Response:
        """An answer that is no refusal and no failure of the site."""
        base = self.parts.base_url.rstrip("/")
        try:
            response = send_bounded(
                self._client, "GET", f"{base}{path}", params=params, max_bytes=MAX_BYTES
            )
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            why = str(error) or type(error).__name__
            raise SiteUnavailable(f"{self.site} at {base}: {why}") from error
        status = response.status_code
        if status in (httpx.codes.TOO_MANY_REQUESTS, httpx.codes.FORBIDDEN):
            until = self.gate.refused(response.headers)
            if status == httpx.codes.FORBIDDEN:
                raise SiteRefused(f"{self.site} refuses its feed (403)", self.refused_fix)
            after = f"none before {until:%H:%M:%S} UTC"
            raise SiteRateLimited(f"{self.site}: too many requests; {after}")
        if status >= 500:
            raise SiteUnavailable(f"{self.site} answered {status}")
        self.gate.answered()
        return response

    def _is_stale(self, fetched_at: datetime) -> bool:
        return self.clock.now() - fetched_at > self.parts.every * STALE_AFTER_REQUESTS

    def _fetch(
        self, stored: StoredFeed[P], since: datetime | None, kept_until: datetime | None = None
    ) -> StoredFeed[P]:
        oldest = self.clock.now() - KEPT_FOR
        answer = self.request(stored, max(since or self.clock.now(), oldest))
        entries = self._newest((*stored.entries, *answer.entries), oldest)
        if len(entries) == self.most_kept:
            oldest = entries[-1].published
        complete_since = answer.complete_since
        feed = self._stored(
            {
                "fetched_at": self.clock.now(),
                "complete_since": complete_since and max(complete_since, oldest),
                "kept_until": kept_until or stored.kept_until,
                "entries": entries,
                "unreadable": answer.unreadable,
            }
        )
        self.save(feed)
        return feed

    def _stored(self, values: dict[str, Any]) -> StoredFeed[P]:
        kind: type[StoredFeed[P]] = StoredFeed[self.entry_type]  # type: ignore[name-defined]
        return kind.model_validate(values)

    def _newest(self, entries: Iterable[P], since: datetime) -> tuple[P, ...]:
        """A post that was read again is the newer one."""
        unique = {entry.id: entry for entry in entries}.values()
        recent = [entry for entry in unique if entry.published > since]
        recent.sort(key=lambda entry: entry.published, reverse=True)
        return tuple(recent[: self.most_kept])
