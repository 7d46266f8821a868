"""X as a video site: one browser for many searches, within its rate limit."""

from collections import Counter
from collections.abc import Callable, Mapping

import structlog
from playwright.sync_api import Page

from footy_assets.clock import Clock
from footy_assets.errors import LoginLost
from footy_assets.retries import RETRIES
from footy_assets.search.rules.posts import Window
from footy_assets.search.rules.query import GoalQuery
from footy_assets.search.rules.renditions import RenditionLimits
from footy_assets.search.rules.site import Progress, SiteResult
from resources.browser.session import BrowserSession
from resources.sites.rate_limit import RateLimiter, reset_time
from resources.x.search_page import PageResult, PageWaits, RateLimitReached, SearchPage
from resources.x.timeline import SITE

SEARCH_SECONDS = RETRIES["search"].timeout or 180.0
# Stores the figures of a site's browser, by their names.
RecordBrowser = Callable[[str, Mapping[str, float]], None]
log = structlog.get_logger()


def keep_no_figures(site: str, figures: Mapping[str, float]) -> None: ...


class XSite:
    """A `VideoSite`. The browser starts with the first search and belongs to the caller."""

    def __init__(
        self,
        browser: BrowserSession,
        base_url: str,
        *,
        clock: Clock,
        limiter: RateLimiter,
        limits: PageWaits | None = None,
        has_login: Callable[[], bool] = lambda: True,
        record: RecordBrowser = keep_no_figures,
        renditions: RenditionLimits | None = None,
    ) -> None:
        self.base_url = base_url.rstrip("/")
        self._browser, self._clock, self._limiter = browser, clock, limiter
        self._limits, self._has_login = limits or PageWaits(), has_login
        self._record = record
        self._renditions = renditions or RenditionLimits()

    @property
    def name(self) -> str:
        return SITE

    def has_room(self) -> bool:
        return self._limiter.has_room()

    def search(self, query: GoalQuery, window: Window, on_progress: Progress) -> SiteResult:
        """Newest first. A past window goes into the query: it is too far down to scroll to."""
        if not self._has_login():
            raise LoginLost("nobody has logged in to X yet")
        self._limiter.wait_for_turn(on_progress)
        text = query.for_x() + _time_operators(window)

        def search_page(page: Page, on_progress: Progress) -> PageResult:
            return SearchPage(
                page, self.base_url, window.since, self._limits, on_progress, self._renditions
            ).search(text)

        try:
            result = self._browser.run(search_page, on_progress, SEARCH_SECONDS)
        except RateLimitReached as limit:
            self._pause_until_reset(limit.reset)
            raise
        finally:
            self._record_browser()
        for _ in range(result.calls - 1):
            self._limiter.count()
        if result.limit_reset:
            self._pause_until_reset(result.limit_reset)
        found = result.found
        log.info(
            "x_searched", query=text, posts=len(found.posts), scrolls=result.scrolls, by=result.by
        )
        looked_at = len(found.posts) + sum(found.unreadable.values())
        return SiteResult(tuple(found.posts.values()), looked_at, dict(Counter(found.unreadable)))

    def _record_browser(self) -> None:
        """L6."""
        figures = self._browser.figures()
        self._record(
            SITE,
            {
                "uptime": figures.uptime.total_seconds(),
                "tasks": figures.tasks,
                "processes": figures.processes,
                "megabytes": figures.megabytes,
            },
        )

    def _pause_until_reset(self, reset: str | None) -> None:
        until = reset_time(reset, self._clock)
        if until is not None:
            self._limiter.close_until(until)


def _time_operators(window: Window) -> str:
    if window.until is None:
        return ""
    since, until = int(window.since.timestamp()), int(window.until.timestamp()) + 1
    return f" since_time:{since} until_time:{until}"
