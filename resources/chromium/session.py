"""A browser that lives through many jobs: on a thread of its own, recycled, restarted, ended.

Playwright's blocking interface leaves an event loop running in its thread, in which no other
client of ours could work. So it gets one to itself, and whoever asks waits with a limit.
"""

from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from time import monotonic
from types import TracebackType
from typing import Any, Generic, TypeVar

import structlog
from playwright.sync_api import BrowserContext, Page, Playwright, sync_playwright
from playwright.sync_api import Error as PlaywrightError

from footy_assets.discovery.sources import Progress
from footy_assets.errors import FootyError, SourceUnavailable
from resources.chromium.launch import BrowserOptions, first_page, start
from resources.chromium.processes import kill_using

JOBS_PER_BROWSER = 50
SILENCE_SECONDS = 60.0
SAFETY_NET_SECONDS = 180.0
STOP_SECONDS = 10.0
REST_AFTER_SECONDS = 2.0
GONE = ("has been closed", "crashed", "connection closed", "target closed", "browser closed")

T = TypeVar("T")
Job = Callable[[Page, Progress], T]
log = structlog.get_logger()


class BrowserGone(Exception):
    """The browser, its page or its driver ended under a job."""


@dataclass
class _Task(Generic[T]):
    job: Job[T]
    news: Queue[tuple[str, Any]] = field(default_factory=Queue)

    def say(self, text: str) -> None:
        self.news.put(("said", text))


class BrowserSession:
    """Starts with the first job. Use as a context manager: nothing is left running after it."""

    def __init__(
        self,
        options: BrowserOptions,
        *,
        jobs_per_browser: int = JOBS_PER_BROWSER,
        silence: float = SILENCE_SECONDS,
    ) -> None:
        self._options, self._jobs_per_browser = options, jobs_per_browser
        self.silence = silence
        self._worker: _Worker | None = None

    @property
    def started(self) -> int:
        """How many browsers this session has used."""
        return self._worker.started if self._worker else 0

    @property
    def profile(self) -> Path | None:
        """The folder of the browser that runs now."""
        return self._worker.folder if self._worker else None

    def __enter__(self) -> "BrowserSession":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        # Nobody is to hand a job to a worker that is about to end.
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.close()

    def run(self, job: Job[T], on_progress: Progress, within: float = SAFETY_NET_SECONDS) -> T:
        """Do a job in the browser. If that ends under it, once more in a new one.

        P3: a job is ended for its silence, with a long safety net, not for being slow.
        """
        try:
            return self._ask(job, on_progress, within)
        except BrowserGone as gone:
            log.warning("browser_gone", reason=str(gone))
            on_progress("the browser ended; starting another")
        try:
            return self._ask(job, on_progress, within)
        except BrowserGone as gone:
            raise SourceUnavailable(f"the browser ended twice in one search ({gone})") from gone

    def _ask(self, job: Job[T], on_progress: Progress, within: float) -> T:
        if self._worker is None:
            self._worker = _Worker(self._options, self._jobs_per_browser)
        worker = self._worker
        task = _Task(job)
        worker.tasks.put(task)
        deadline = monotonic() + within
        while True:
            patience = min(self.silence, deadline - monotonic())
            try:
                kind, told = task.news.get(timeout=max(0.0, patience))
            except Empty:
                self._end_hard(worker)
                limit = self.silence if patience == self.silence else within
                raise SourceUnavailable(
                    f"the browser gave no sign of life within {limit:g} s"
                ) from None
            if kind == "said":
                on_progress(told)
            elif kind == "done":
                result: T = told
                return result
            else:
                raise told

    def _end_hard(self, worker: "_Worker") -> None:
        log.warning("browser_hangs")
        self._worker = None
        worker.close(hard=True)


class _Worker:
    """The thread that owns Playwright, and what it keeps between jobs."""

    def __init__(self, options: BrowserOptions, jobs_per_browser: int) -> None:
        self.tasks: Queue[_Task[Any] | None] = Queue()
        self.started = 0
        self.folder: Path | None = None
        self._options, self._most = options, jobs_per_browser
        self._playwright: Playwright | None = None
        self._context: BrowserContext | None = None
        self._page: Page | None = None
        self._jobs = 0
        self._held = ExitStack()
        self._thread = Thread(target=self._work, name="browser", daemon=True)
        self._thread.start()

    def close(self, hard: bool = False) -> None:
        """Let it end by itself; what does not is killed. Its folder goes only after that."""
        self.tasks.put(None)
        folder = self.folder
        if not hard:
            self._thread.join(STOP_SECONDS)
        if folder is not None and (hard or self._thread.is_alive()):
            kill_using(folder)
        self._thread.join(STOP_SECONDS)

    def _work(self) -> None:
        while (task := self._next_task()) is not None:
            try:
                result = task.job(self._ready_page(task.say), task.say)
            except FootyError as error:
                task.news.put(("failed", error))
            except Exception as error:
                task.news.put(("failed", self._explained(error)))
            else:
                task.news.put(("done", result))
        self._end(driver_too=True)

    def _ready_page(self, say: Progress) -> Page:
        if self._page is not None and self._jobs >= self._most:
            log.info("browser_recycled", jobs=self._jobs)
            self._end()
        if self._page is None:
            self._start(say)
        self._jobs += 1
        if self._page is None:
            raise BrowserGone("it closed right after its start")
        return self._page

    def _start(self, say: Progress) -> None:
        """P3: each of the steps is within its own limit, and told."""
        began = monotonic()
        say("waiting for the browser's profile")
        if self._playwright is None:
            self._playwright = sync_playwright().start()
        try:
            self.folder = self._held.enter_context(self._options.profile_folder())
            say("starting the browser")
            self._context = start(self._playwright, self._options, self.folder)
            self._page = first_page(self._context, self._options.blocked)
        except BaseException:
            self._end()
            raise
        self.started, self._jobs = self.started + 1, 0
        log.info("browser_started", seconds=round(monotonic() - began, 2))

    def _next_task(self) -> _Task[Any] | None:
        """An open timeline goes on working: when nothing follows, the page is emptied."""
        with suppress(Empty):
            return self.tasks.get(timeout=REST_AFTER_SECONDS)
        if self._page is not None:
            with suppress(PlaywrightError):
                self._page.goto("about:blank")
        return self.tasks.get()

    def _explained(self, error: Exception) -> Exception:
        """What Playwright says, as a failure of ours. A browser that failed is not used again."""
        lines = str(error).splitlines() or [type(error).__name__]
        gone = any(sign in lines[0].lower() for sign in GONE)
        self._end(driver_too=gone)
        if gone:
            return BrowserGone(lines[0])
        if isinstance(error, PlaywrightError):
            return SourceUnavailable(f"the browser: {lines[0]}")
        return error

    def _end(self, driver_too: bool = False) -> None:
        context, self._context, self._page = self._context, None, None
        if context is not None:
            with suppress(Exception):
                context.close()
        if driver_too and self._playwright is not None:
            playwright, self._playwright = self._playwright, None
            with suppress(Exception):
                playwright.stop()
        if self.folder is not None:
            kill_using(self.folder)
            self.folder = None
        self._held.close()
