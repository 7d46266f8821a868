"""Bluesky as a video source, over its public AppView."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Any

import httpx
import structlog
from pydantic import ValidationError

from footy_assets.clock import Clock
from footy_assets.discovery.popularity import popularity
from footy_assets.discovery.posts import Post, Window
from footy_assets.discovery.query import GoalQuery
from footy_assets.discovery.sources import Found, Progress
from footy_assets.errors import (
    SourceAnswerInvalid,
    SourceRateLimited,
    SourceRefused,
    SourceUnavailable,
)
from resources.bluesky.models import PostView, Results
from resources.pace import Pace, reset_time

SOURCE = "bluesky"
METHOD = "/xrpc/app.bsky.feed.searchPosts"
WEB = "https://bsky.app"
PER_PAGE = 100
MOST_PAGES = 5
TIMEOUT_SECONDS = 14.0
LIMIT_RESET = "ratelimit-reset"
REFUSED_FIX = (
    "Bluesky switches its public search off at times: it is tried again by itself; or set "
    "FOOTY_BLUESKY_URL to another AppView, or leave bluesky out of FOOTY_SOURCES"
)
log = structlog.get_logger()


class BlueskySource:
    """A `VideoSource`. Use as a context manager."""

    def __init__(
        self, base_url: str, *, clock: Clock, pace: Pace, timeout: float = TIMEOUT_SECONDS
    ) -> None:
        self.base_url = base_url.rstrip("/")
        self._clock, self._pace = clock, pace
        self._client = httpx.Client(timeout=timeout, verify=self.base_url.startswith("https"))

    @property
    def name(self) -> str:
        return SOURCE

    def __enter__(self) -> "BlueskySource":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._client.close()

    def search(self, query: GoalQuery, window: Window, on_progress: Progress) -> Found:
        """By each word for the scorer, for there is no OR; posts must name the side too."""
        posts: dict[str, Post] = {}
        unreadable: Counter[str] = Counter()
        for number, word in enumerate(query.words()):
            try:
                posts |= self._about(word, window, unreadable, on_progress)
            except (SourceRefused, SourceRateLimited):
                if number == 0:
                    raise
                unreadable["word_refused"] += 1
        named = tuple(post for post in posts.values() if query.names_the_side(post.text))
        log.info("bluesky_searched", query=query.words(), posts=len(posts), named=len(named))
        return Found(named, len(posts) + unreadable.total(), dict(unreadable))

    def _about(
        self, word: str, window: Window, unreadable: Counter[str], on_progress: Progress
    ) -> dict[str, Post]:
        asked: dict[str, Any] = {
            "q": word,
            "sort": "latest",
            "limit": PER_PAGE,
            "since": _instant(window.since),
        }
        if window.until is not None:
            # Not inclusive there.
            asked["until"] = _instant(window.until + timedelta(seconds=1))
        posts: dict[str, Post] = {}
        for number in range(MOST_PAGES):
            try:
                self._pace.take_turn(on_progress)
                on_progress(f"Bluesky: {len(posts)} posts about {word}, page {number + 1}")
                results = self._page(asked)
            except (SourceRefused, SourceRateLimited):
                if number == 0:
                    raise
                # Without a login Bluesky may give the first page only; that one is whole.
                unreadable["page_refused"] += 1
                break
            new = [post for raw in results.posts if (post := _read(raw, unreadable))]
            posts |= {post.post_id: post for post in new}
            over = any(post.posted_at < window.since for post in new)
            if over or not results.cursor or not results.posts:
                break
            asked["cursor"] = results.cursor
        return posts

    def _page(self, asked: dict[str, Any]) -> Results:
        try:
            response = self._client.get(f"{self.base_url}{METHOD}", params=asked)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            why = str(error) or type(error).__name__
            raise SourceUnavailable(f"Bluesky at {self.base_url}: {why}") from error
        status = response.status_code
        if status == httpx.codes.TOO_MANY_REQUESTS:
            if until := reset_time(response.headers.get(LIMIT_RESET), self._clock):
                self._pace.close_until(until)
            raise SourceRateLimited("Bluesky: too many searches")
        if status in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN):
            raise SourceRefused(f"Bluesky refuses the search ({status})", REFUSED_FIX)
        if status >= 500:
            raise SourceUnavailable(f"Bluesky answered {status}")
        if status != httpx.codes.OK:
            raise SourceAnswerInvalid(f"Bluesky does not take our search ({status})")
        try:
            return Results.model_validate_json(response.content)
        except ValidationError as error:
            raise SourceAnswerInvalid("Bluesky's answer has an unknown form") from error


def _read(raw: Any, unreadable: Counter[str]) -> Post | None:
    try:
        view = PostView.model_validate(raw)
    except ValidationError:
        unreadable["unknown_form"] += 1
        return None
    return Post(
        source=SOURCE,
        post_id=view.post_id,
        url=f"{WEB}/profile/{view.author.handle or view.author.did}/post/{view.key}",
        posted_at=view.posted_at,
        text=view.record.text,
        author=view.author.handle,
        video_url=view.embed.film if view.embed else None,
        popularity=popularity(view.like_count, view.repost_count),
    )


def _instant(at: datetime) -> str:
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")
