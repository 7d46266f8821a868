"""One search on X as the browser makes it: open, read, scroll. Every wait has an end."""

from dataclasses import dataclass
from datetime import datetime
from time import monotonic
from urllib.parse import quote

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Page, Response
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from footy_assets.discovery.sources import Progress
from footy_assets.errors import (
    LoginLost,
    SourceAnswerInvalid,
    SourceError,
    SourceRateLimited,
    SourceUnavailable,
)
from resources.x.articles import read_articles
from resources.x.timeline import Gathered, read_timeline
from resources.x.wall import Shown, has_session_cookie

SCROLLS = 10
OPEN_SECONDS = 14.0
APPEAR_SECONDS = 12.0
MORE_SECONDS = 6.0
GLANCE_MS = 60.0
CALL = "/SearchTimeline"
LIMIT_RESET = "x-rate-limit-reset"
TO_THE_END = "() => window.scrollTo(0, document.documentElement.scrollHeight)"


class LimitMet(SourceRateLimited):
    """X's 429, with the time it names."""

    def __init__(self, message: str, reset: str | None) -> None:
        super().__init__(message)
        self.reset = reset


@dataclass(frozen=True, slots=True)
class Limits:
    """`opens` for the page, `appears` for its posts, `more` for those of a scroll."""

    scrolls: int = SCROLLS
    opens: float = OPEN_SECONDS
    appears: float = APPEAR_SECONDS
    more: float = MORE_SECONDS


@dataclass(frozen=True, slots=True)
class Visited:
    gathered: Gathered
    scrolls: int
    calls: int
    limit_reset: str | None = None
    by: str = "json"


def search_address(base_url: str, query: str) -> str:
    return f"{base_url}/search?q={quote(query)}&src=typed_query&f=live"


def open_page(page: Page, address: str, within: float) -> None:
    try:
        response = page.goto(address, wait_until="domcontentloaded", timeout=within * 1000)
    except PlaywrightTimeout as error:
        raise SourceUnavailable(f"X did not answer within {within:g} s") from error
    except PlaywrightError as error:
        if "net::" not in error.message:
            raise
        reason = error.message.split("net::")[1].split()[0]
        raise SourceUnavailable(f"X cannot be reached ({reason})") from error
    if response is None:
        return
    if response.status == 429:
        raise LimitMet("X: too many searches", response.headers.get(LIMIT_RESET))
    if response.status >= 500:
        raise SourceUnavailable(f"X answered {response.status}")


class Visit:
    """A page from its opening until it is older than the window, or scrolled enough (S7)."""

    def __init__(
        self, page: Page, base_url: str, since: datetime, limits: Limits, say: Progress
    ) -> None:
        self._page, self._base, self._since = page, base_url, since
        self._limits, self._say = limits, say
        self._answers: list[Response] = []
        self._gathered = Gathered()
        self._seen: set[str] = set()
        self._calls = 0
        self._came = 0

    def search(self, query: str) -> Visited:
        self._page.on("response", self._hear)
        try:
            self._say(f"opening X for {query}")
            open_page(self._page, search_address(self._base, query), self._limits.opens)
            self._say("X answered; waiting for its posts")
            by_json = self._first()
            return self._scrolled(by_json)
        finally:
            self._page.remove_listener("response", self._hear)

    def _hear(self, response: Response) -> None:
        if CALL in response.url and response.request.method != "OPTIONS":
            self._answers.append(response)

    # -- the first posts ----------------------------------------------------------------------

    def _first(self) -> bool:
        """Wait for posts, in either way; whether they came as JSON."""
        until = monotonic() + self._limits.appears
        broken: SourceError | None = None
        while monotonic() < until:
            if self._answers:
                try:
                    self._came = self._read_answer(self._answers.pop(0))
                    return True
                except (SourceAnswerInvalid, SourceUnavailable) as error:
                    broken = error
            shown = Shown(self._page)
            if shown.wall:
                raise LoginLost("X shows its login page")
            if shown.articles and (broken or self._call_is_missing(until)):
                self._came = read_articles(self._page, self._base, self._gathered, self._seen)
                return False
            if shown.nothing and broken:
                return False
            self._page.wait_for_timeout(GLANCE_MS)
        raise self._nothing_came(broken)

    def _call_is_missing(self, until: float) -> bool:
        """Posts are shown, and half the time went by without the call that brings them."""
        return until - monotonic() < self._limits.appears / 2

    def _nothing_came(self, broken: SourceError | None) -> SourceError:
        """S7: never an empty result for want of an answer."""
        if not has_session_cookie(self._page, self._base):
            return LoginLost("X shows no timeline, and there is no session")
        if broken is not None:
            return broken
        return SourceUnavailable(f"X showed no timeline within {self._limits.appears:g} s")

    # -- the rest -----------------------------------------------------------------------------

    def _scrolled(self, by_json: bool) -> Visited:
        scrolls, reset = 0, None
        while self._came and scrolls < self._limits.scrolls and not self._old_enough():
            scrolls += 1
            self._say(f"X: {len(self._gathered.posts)} posts, scroll {scrolls}")
            self._page.evaluate(TO_THE_END)
            try:
                self._came = self._more_json() if by_json else self._more_articles()
            except LimitMet as limit:
                # What was found before is as good as ever.
                self._gathered.unreadable["page_refused"] += 1
                reset = limit.reset
                break
            except (SourceAnswerInvalid, SourceUnavailable):
                self._gathered.unreadable["page_failed"] += 1
                break
        self._say(f"X: {len(self._gathered.posts)} posts after {scrolls} scrolls")
        by = "json" if by_json else "page"
        return Visited(self._gathered, scrolls, max(1, self._calls), reset, by)

    def _old_enough(self) -> bool:
        posts = self._gathered.posts.values()
        return any(post.posted_at < self._since for post in posts if not post.is_ad)

    def _more_json(self) -> int:
        until = monotonic() + self._limits.more
        while not self._answers:
            if monotonic() > until:
                return 0
            self._page.wait_for_timeout(GLANCE_MS)
        return self._read_answer(self._answers.pop(0))

    def _more_articles(self) -> int:
        until = monotonic() + self._limits.more
        while monotonic() < until:
            self._page.wait_for_timeout(GLANCE_MS * 3)
            if Shown(self._page).wall:
                raise LoginLost("X shows its login page")
            if new := read_articles(self._page, self._base, self._gathered, self._seen):
                return new
        return 0

    def _read_answer(self, answer: Response) -> int:
        self._calls += 1
        status = answer.status
        if status in (401, 403):
            raise LoginLost(f"X refuses the session ({status})")
        if status == 429:
            raise LimitMet("X: too many searches", answer.headers.get(LIMIT_RESET))
        if status != 200:
            raise SourceUnavailable(f"X's timeline answered {status}")
        return read_timeline(_body(answer), self._base, self._gathered)


def _body(answer: Response) -> bytes:
    try:
        return answer.body()
    except PlaywrightError as error:
        # The browser may have let go of it; the page still shows what it said.
        if "No resource" not in error.message and "No data found" not in error.message:
            raise
        raise SourceUnavailable("X's timeline could not be read in time") from error
