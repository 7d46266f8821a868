"""One search on X in the browser: open the page, collect posts, scroll. Every wait is limited."""

from dataclasses import dataclass
from datetime import datetime
from time import monotonic
from urllib.parse import quote

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Page, Response
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from footy_assets.errors import (
    LoginLost,
    SiteAnswerInvalid,
    SiteError,
    SiteRateLimited,
    SiteUnavailable,
)
from footy_assets.search.rules.renditions import RenditionLimits
from footy_assets.search.rules.site import Progress
from resources.x.articles import read_articles
from resources.x.page_state import PageState, has_session_cookie
from resources.x.timeline import FoundPosts, parse_timeline

SCROLLS = 10
OPEN_SECONDS = 14.0
APPEAR_SECONDS = 12.0
MORE_SECONDS = 6.0
POLL_MS = 60.0
CALL = "/SearchTimeline"
LIMIT_RESET = "x-rate-limit-reset"
SCROLL_TO_END = "() => window.scrollTo(0, document.documentElement.scrollHeight)"


class RateLimitReached(SiteRateLimited):
    """HTTP 429, with X's reset time."""

    def __init__(self, message: str, reset: str | None) -> None:
        super().__init__(message)
        self.reset = reset


@dataclass(frozen=True, slots=True)
class PageWaits:
    """Seconds to wait: `opens` for the page, `appears` for its posts, `more` after a scroll."""

    scrolls: int = SCROLLS
    opens: float = OPEN_SECONDS
    appears: float = APPEAR_SECONDS
    more: float = MORE_SECONDS


@dataclass(frozen=True, slots=True)
class PageResult:
    found: FoundPosts
    scrolls: int
    calls: int
    limit_reset: str | None = None
    by: str = "json"


def search_url(base_url: str, query: str) -> str:
    return f"{base_url}/search?q={quote(query)}&src=typed_query&f=live"


def open_page(page: Page, url: str, within: float) -> None:
    try:
        response = page.goto(url, wait_until="domcontentloaded", timeout=within * 1000)
    except PlaywrightTimeout as error:
        raise SiteUnavailable(f"X did not answer within {within:g} s") from error
    except PlaywrightError as error:
        if "net::" not in error.message:
            raise
        reason = error.message.split("net::")[1].split()[0]
        raise SiteUnavailable(f"X cannot be reached ({reason})") from error
    if response is None:
        return
    if response.status == 429:
        raise RateLimitReached("X: too many searches", response.headers.get(LIMIT_RESET))
    if response.status >= 500:
        raise SiteUnavailable(f"X answered {response.status}")


class SearchPage:
    """A search page, scrolled until its posts are older than the window (SE7)."""

    def __init__(
        self,
        page: Page,
        base_url: str,
        since: datetime,
        limits: PageWaits,
        on_progress: Progress,
        renditions: RenditionLimits,
    ) -> None:
        self._page, self._base, self._since = page, base_url, since
        self._limits, self._on_progress = limits, on_progress
        self._answers: list[Response] = []
        self._found = FoundPosts(renditions)
        self._seen: set[str] = set()
        self._calls = 0
        self._new = 0

    def search(self, query: str) -> PageResult:
        self._page.on("response", self._on_response)
        try:
            self._on_progress(f"opening X for {query}")
            open_page(self._page, search_url(self._base, query), self._limits.opens)
            self._on_progress("X answered; waiting for its posts")
            by_json = self._wait_for_first_posts()
            return self._scroll(by_json)
        finally:
            self._page.remove_listener("response", self._on_response)

    def _on_response(self, response: Response) -> None:
        if CALL in response.url and response.request.method != "OPTIONS":
            self._answers.append(response)

    # -- the first posts ----------------------------------------------------------------------

    def _wait_for_first_posts(self) -> bool:
        """Wait for posts, as JSON or on the page; True if they are JSON."""
        until = monotonic() + self._limits.appears
        failure: SiteError | None = None
        while monotonic() < until:
            if self._answers:
                try:
                    self._new = self._read_answer(self._answers.pop(0))
                    return True
                except (SiteAnswerInvalid, SiteUnavailable) as error:
                    failure = error
            state = PageState(self._page)
            if state.login_wall:
                raise LoginLost("X shows its login page")
            if state.articles and (failure or self._call_is_missing(until)):
                self._new = read_articles(self._page, self._base, self._found, self._seen)
                return False
            if state.empty and failure:
                return False
            self._page.wait_for_timeout(POLL_MS)
        raise self._no_posts_error(failure)

    def _call_is_missing(self, until: float) -> bool:
        """Whether half the time is over without the request that returns the posts."""
        return until - monotonic() < self._limits.appears / 2

    def _no_posts_error(self, failure: SiteError | None) -> SiteError:
        """SE7: no answer is an error, never an empty result."""
        if not has_session_cookie(self._page, self._base):
            return LoginLost("X shows no timeline, and there is no session")
        if failure is not None:
            return failure
        return SiteUnavailable(f"X showed no timeline within {self._limits.appears:g} s")

    # -- the rest -----------------------------------------------------------------------------

    def _scroll(self, by_json: bool) -> PageResult:
        scrolls, reset = 0, None
        while self._new and scrolls < self._limits.scrolls and not self._is_past_window():
            scrolls += 1
            self._on_progress(f"X: {len(self._found.posts)} posts, scroll {scrolls}")
            self._page.evaluate(SCROLL_TO_END)
            try:
                self._new = self._more_from_json() if by_json else self._more_from_page()
            except RateLimitReached as limit:
                # The posts found before stay valid.
                self._found.unreadable["page_refused"] += 1
                reset = limit.reset
                break
            except (SiteAnswerInvalid, SiteUnavailable):
                self._found.unreadable["page_failed"] += 1
                break
        self._on_progress(f"X: {len(self._found.posts)} posts after {scrolls} scrolls")
        by = "json" if by_json else "page"
        return PageResult(self._found, scrolls, max(1, self._calls), reset, by)

    def _is_past_window(self) -> bool:
        posts = self._found.posts.values()
        return any(post.posted_at < self._since for post in posts if not post.is_ad)

    def _more_from_json(self) -> int:
        until = monotonic() + self._limits.more
        while not self._answers:
            if monotonic() > until:
                return 0
            self._page.wait_for_timeout(POLL_MS)
        return self._read_answer(self._answers.pop(0))

    def _more_from_page(self) -> int:
        until = monotonic() + self._limits.more
        while monotonic() < until:
            self._page.wait_for_timeout(POLL_MS * 3)
            if PageState(self._page).login_wall:
                raise LoginLost("X shows its login page")
            if new := read_articles(self._page, self._base, self._found, self._seen):
                return new
        return 0

    def _read_answer(self, answer: Response) -> int:
        self._calls += 1
        status = answer.status
        if status in (401, 403):
            raise LoginLost(f"X refuses the session ({status})")
        if status == 429:
            raise RateLimitReached("X: too many searches", answer.headers.get(LIMIT_RESET))
        if status != 200:
            raise SiteUnavailable(f"X's timeline answered {status}")
        return parse_timeline(_body(answer), self._base, self._found)


def _body(answer: Response) -> bytes:
    try:
        return answer.body()
    except PlaywrightError as error:
        # The browser may have dropped the body; the page still shows its posts.
        if "No resource" not in error.message and "No data found" not in error.message:
            raise
        raise SiteUnavailable("X's timeline could not be read in time") from error
