"""Bluesky as a video site, over the search of an AppView."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import structlog
from pydantic import ValidationError

from footy_assets.clock import Clock
from footy_assets.errors import (
    SiteAnswerInvalid,
    SiteRateLimited,
    SiteRefused,
    SiteUnavailable,
)
from footy_assets.search.rules.popularity import popularity
from footy_assets.search.rules.posts import Post, Window, read_ratio
from footy_assets.search.rules.query import GoalQuery
from footy_assets.search.rules.site import Progress, SiteResult
from footy_assets.site_name import SiteName
from resources.answers import send_bounded
from resources.bluesky.models import PostView, Results
from resources.sites.rate_limit import RateLimiter, reset_time
from resources.tls import verify_for

SITE = SiteName.BLUESKY.value
METHOD = "/xrpc/app.bsky.feed.searchPosts"
WEB = "https://bsky.app"
PER_PAGE = 100
MOST_PAGES = 5
TIMEOUT_SECONDS = 14.0
LIMIT_RESET = "ratelimit-reset"
REFUSED_FIX = (
    "Bluesky's public AppView refuses searches without a login. Unset FOOTY_BLUESKY_URL to hear "
    "posts instead, or set it to another AppView"
)
log = structlog.get_logger()


class BlueskySite:
    """A `VideoSite`. Use as a context manager."""

    def __init__(
        self, base_url: str, *, clock: Clock, limiter: RateLimiter, timeout: float = TIMEOUT_SECONDS
    ) -> None:
        self.base_url = base_url.rstrip("/")
        self._clock, self._limiter = clock, limiter
        self._client = httpx.Client(timeout=timeout, verify=verify_for(self.base_url))

    @property
    def name(self) -> str:
        return SITE

    def __enter__(self) -> "BlueskySite":
        return self

    def __exit__(self, *error: object) -> None:
        self._client.close()

    def has_room(self) -> bool:
        return self._limiter.has_room()

    def search(self, query: GoalQuery, window: Window, on_progress: Progress) -> SiteResult:
        """Search each name of the scorer: there is no OR. Posts must also mention the team."""
        posts: dict[str, Post] = {}
        unreadable: Counter[str] = Counter()
        terms = query.single_terms()
        for number, term in enumerate(terms):
            try:
                posts |= self._search_term(term, window, unreadable, on_progress)
            except (SiteRefused, SiteRateLimited):
                if number == 0:
                    raise
                unreadable["word_refused"] += 1
        of_team = tuple(post for post in posts.values() if query.mentions_team(post.text))
        log.info(
            "bluesky_searched", query=query.single_terms(), posts=len(posts), of_team=len(of_team)
        )
        return SiteResult(of_team, len(posts) + unreadable.total(), dict(unreadable))

    def _search_term(
        self, term: str, window: Window, unreadable: Counter[str], on_progress: Progress
    ) -> dict[str, Post]:
        params: dict[str, Any] = {
            "q": term,
            "sort": "latest",
            "limit": PER_PAGE,
            "since": _timestamp(window.since),
        }
        if window.until is not None:
            # Bluesky excludes the limit itself.
            params["until"] = _timestamp(window.until + timedelta(seconds=1))
        posts: dict[str, Post] = {}
        for number in range(MOST_PAGES):
            try:
                self._limiter.wait_for_turn(on_progress)
                on_progress(f"Bluesky: {len(posts)} posts about {term}, page {number + 1}")
                results = self._get_page(params)
            except (SiteRefused, SiteRateLimited):
                if number == 0:
                    raise
                # Without a login Bluesky may return the first page only.
                unreadable["page_refused"] += 1
                break
            new = [post for raw in results.posts if (post := _parse(raw, unreadable))]
            posts |= {post.post_id: post for post in new}
            past_window = any(post.posted_at < window.since for post in new)
            if past_window or not results.cursor or not results.posts:
                break
            params["cursor"] = results.cursor
        return posts

    def _get_page(self, params: dict[str, Any]) -> Results:
        try:
            url = f"{self.base_url}{METHOD}"
            response = send_bounded(self._client, "GET", url, params=params)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            why = str(error) or type(error).__name__
            raise SiteUnavailable(f"Bluesky at {self.base_url}: {why}") from error
        status = response.status_code
        if status == httpx.codes.TOO_MANY_REQUESTS:
            if until := reset_time(response.headers.get(LIMIT_RESET), self._clock):
                self._limiter.close_until(until)
            raise SiteRateLimited("Bluesky: too many searches")
        if status in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN):
            raise SiteRefused(f"Bluesky refuses the search ({status})", REFUSED_FIX)
        if status >= 500:
            raise SiteUnavailable(f"Bluesky answered {status}")
        if status != httpx.codes.OK:
            raise SiteAnswerInvalid(f"Bluesky rejects the search ({status})")
        try:
            return Results.model_validate_json(response.content)
        except ValidationError as error:
            raise SiteAnswerInvalid("Bluesky's answer has an unknown form") from error


def _parse(raw: Any, unreadable: Counter[str]) -> Post | None:
    try:
        view = PostView.model_validate(raw)
    except ValidationError:
        unreadable["unknown_form"] += 1
        return None
    video = view.embed.video if view.embed else None
    ratio = video.aspect_ratio if video else None
    width, height, aspect = read_ratio(ratio.width, ratio.height) if ratio else (None, None, None)
    return Post(
        site=SITE,
        post_id=view.post_id,
        url=f"{WEB}/profile/{view.author.handle or view.author.did}/post/{view.key}",
        posted_at=view.posted_at,
        text=view.record.text,
        author=view.author.handle,
        video_url=video.playlist if video else None,
        width=width,
        height=height,
        aspect=aspect,
        popularity=popularity(view.like_count, view.repost_count),
    )


def _timestamp(at: datetime) -> str:
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")
