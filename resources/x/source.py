"""X as a video source: one browser for many searches, within its rate limit."""

from collections import Counter
from collections.abc import Callable

import structlog
from playwright.sync_api import Page

from footy_assets.clock import Clock
from footy_assets.discovery.posts import Window
from footy_assets.discovery.query import GoalQuery
from footy_assets.discovery.sources import Found, Progress
from footy_assets.errors import LoginLost, SourceUnavailable
from footy_assets.retries import RETRIES
from resources.chromium.session import BrowserSession
from resources.pace import Pace, reset_time
from resources.x.timeline import SOURCE
from resources.x.visit import LimitMet, Limits, Visit, Visited, open_page
from resources.x.wall import Shown, has_session_cookie

SEARCH_SECONDS = RETRIES["search"].timeout or 180.0
log = structlog.get_logger()


class XSource:
    """A `VideoSource`. The browser starts with the first search and belongs to the caller."""

    def __init__(
        self,
        browser: BrowserSession,
        base_url: str,
        *,
        clock: Clock,
        pace: Pace,
        limits: Limits | None = None,
        has_login: Callable[[], bool] = lambda: True,
    ) -> None:
        self.base_url = base_url.rstrip("/")
        self._browser, self._clock, self._pace = browser, clock, pace
        self._limits, self._has_login = limits or Limits(), has_login

    @property
    def name(self) -> str:
        return SOURCE

    def search(self, query: GoalQuery, window: Window, on_progress: Progress) -> Found:
        """Newest first. A past window is asked for by its times: it lies too deep to scroll to."""
        if not self._has_login():
            raise LoginLost("nobody has logged in to X yet")
        self._pace.take_turn(on_progress)
        typed = query.for_x() + _times(window)

        def visit(page: Page, say: Progress) -> Visited:
            return Visit(page, self.base_url, window.since, self._limits, say).search(typed)

        try:
            seen = self._browser.run(visit, on_progress, SEARCH_SECONDS)
        except LimitMet as limit:
            self._leave_alone(limit.reset)
            raise
        for _ in range(seen.calls - 1):
            self._pace.count()
        if seen.limit_reset:
            self._leave_alone(seen.limit_reset)
        gathered = seen.gathered
        log.info(
            "x_searched", query=typed, posts=len(gathered.posts), scrolls=seen.scrolls, by=seen.by
        )
        looked_at = len(gathered.posts) + sum(gathered.unreadable.values())
        return Found(tuple(gathered.posts.values()), looked_at, dict(Counter(gathered.unreadable)))

    def check_session(self, on_progress: Progress) -> None:
        """Raises `LoginLost`, or `SourceUnavailable` when X cannot be asked."""
        limits = self._limits

        def look(page: Page, say: Progress) -> None:
            say("asking X whether we are logged in")
            open_page(page, f"{self.base_url}/home", limits.opens)
            for _ in range(int(limits.appears * 4)):
                shown = Shown(page)
                if shown.wall:
                    raise LoginLost("X shows its login page")
                if shown.account:
                    return
                page.wait_for_timeout(250)
            if not has_session_cookie(page, self.base_url):
                raise LoginLost("X shows no account, and there is no session")
            raise SourceUnavailable(f"X showed no account within {limits.appears:g} s")

        self._browser.run(look, on_progress, SEARCH_SECONDS)

    def _leave_alone(self, reset: str | None) -> None:
        until = reset_time(reset, self._clock)
        if until is not None:
            self._pace.close_until(until)


def _times(window: Window) -> str:
    if window.until is None:
        return ""
    since, until = int(window.since.timestamp()), int(window.until.timestamp()) + 1
    return f" since_time:{since} until_time:{until}"
