"""A browser for many jobs: on its own thread, recycled, restarted after a crash, always ended.

Playwright's blocking interface leaves an event loop running in its thread, in which no other
client can work. So it has a thread of its own, and callers wait with a limit.
"""

import math
import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from enum import Enum, auto
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from time import monotonic
from typing import Any, Generic, Self, TypeVar

import structlog
from playwright.sync_api import BrowserContext, Page, Playwright, sync_playwright
from playwright.sync_api import Error as PlaywrightError

from footy_assets.errors import FootyError, SiteUnavailable
from footy_assets.providers.rules.recovery import BrowserFigures, BrowserLimits, browser_need
from footy_assets.search.rules.site import Progress
from resources.browser.launch import BrowserOptions, first_page, launch
from resources.browser.processes import kill_using, process_tree, resident_megabytes

JOBS_PER_BROWSER = 50
NO_LIMIT = timedelta.max
SILENCE_SECONDS = 60.0
SAFETY_NET_SECONDS = 180.0
STOP_SECONDS = 10.0
IDLE_SECONDS = 2.0
CRASH_MESSAGES = (
    "has been closed",
    "crashed",
    "connection closed",
    "target closed",
    "browser closed",
)

T = TypeVar("T")
Job = Callable[[Page, Progress], T]
log = structlog.get_logger()


class BrowserGone(Exception):
    """The browser, its page or its driver ended during a job."""


class _MessageKind(Enum):
    PROGRESS = auto()
    DONE = auto()
    FAILED = auto()


@dataclass
class _Task(Generic[T]):
    job: Job[T]
    messages: Queue[tuple[_MessageKind, Any]] = field(default_factory=Queue)

    def report_progress(self, text: str) -> None:
        self.messages.put((_MessageKind.PROGRESS, text))


class BrowserSession:
    """Starts with the first job. Use as a context manager: it leaves nothing running."""

    def __init__(
        self,
        options: BrowserOptions,
        *,
        jobs_per_browser: int = JOBS_PER_BROWSER,
        silence: float = SILENCE_SECONDS,
        limits: BrowserLimits | None = None,
    ) -> None:
        self._options = options
        # Without limits of its own, the owner recycles the browser.
        self._limits = limits or BrowserLimits(NO_LIMIT, jobs_per_browser, sys.maxsize, math.inf)
        self.silence = silence
        self._worker: _Worker | None = None

    @property
    def started(self) -> int:
        """How many browsers this session has started."""
        return self._worker.started if self._worker else 0

    @property
    def profile(self) -> Path | None:
        """The profile folder of the running browser."""
        return self._worker.folder if self._worker else None

    def figures(self) -> BrowserFigures:
        """L6: uptime, processes and memory of the running browser; zeros if none runs."""
        return self._worker.figures() if self._worker else BrowserFigures()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        # First, so that no job goes to a worker that is about to end.
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.close()

    def run(self, job: Job[T], on_progress: Progress, within: float = SAFETY_NET_SECONDS) -> T:
        """Run a job in the browser; if the browser ends during it, once more in a new one.

        P3: a job is stopped for lack of progress, not for being slow; `within` is the limit.
        """
        try:
            return self._run_once(job, on_progress, within)
        except BrowserGone as gone:
            log.warning("browser_gone", reason=str(gone))
            on_progress("the browser ended; starting another")
        try:
            return self._run_once(job, on_progress, within)
        except BrowserGone as gone:
            raise SiteUnavailable(f"the browser ended twice in one search ({gone})") from gone

    def _run_once(self, job: Job[T], on_progress: Progress, within: float) -> T:
        if self._worker is None:
            self._worker = _Worker(self._options, self._limits)
        worker = self._worker
        task = _Task(job)
        worker.tasks.put(task)
        deadline = monotonic() + within
        while True:
            timeout = min(self.silence, deadline - monotonic())
            try:
                kind, content = task.messages.get(timeout=max(0.0, timeout))
            except Empty:
                self._kill(worker)
                limit = self.silence if timeout == self.silence else within
                raise SiteUnavailable(
                    f"the browser gave no sign of life within {limit:g} s"
                ) from None
            if kind is _MessageKind.PROGRESS:
                on_progress(content)
            elif kind is _MessageKind.DONE:
                result: T = content
                return result
            else:
                raise content

    def _kill(self, worker: "_Worker") -> None:
        log.warning("browser_hangs")
        self._worker = None
        worker.close(kill=True)


class _Worker:
    """The thread that owns Playwright, and what it keeps between jobs."""

    def __init__(self, options: BrowserOptions, limits: BrowserLimits) -> None:
        self.tasks: Queue[_Task[Any] | None] = Queue()
        self.started = 0
        self.folder: Path | None = None
        self._options, self._limits = options, limits
        self._playwright: Playwright | None = None
        self._context: BrowserContext | None = None
        self._page: Page | None = None
        self._jobs, self._started_at = 0, monotonic()
        self._profile_lock = ExitStack()
        self._thread = Thread(target=self._work, name="browser", daemon=True)
        self._thread.start()

    def close(self, kill: bool = False) -> None:
        """Wait for the thread to end, then kill the browser. Its folder is deleted after that."""
        self.tasks.put(None)
        folder = self.folder
        if not kill:
            self._thread.join(STOP_SECONDS)
        if folder is not None and (kill or self._thread.is_alive()):
            kill_using(folder)
        self._thread.join(STOP_SECONDS)

    def _work(self) -> None:
        while (task := self._next_task()) is not None:
            try:
                result = task.job(self._ready_page(task.report_progress), task.report_progress)
            except FootyError as error:
                task.messages.put((_MessageKind.FAILED, self._cause_of(error)))
            except Exception as error:
                task.messages.put((_MessageKind.FAILED, self._translate(error)))
            else:
                task.messages.put((_MessageKind.DONE, result))
        self._end(with_driver=True)

    def _ready_page(self, on_progress: Progress) -> Page:
        if self._page is not None and (need := browser_need(self.figures(), self._limits)):
            log.info("browser_recycled", reason=need.reason, condition=need.condition)
            self._end()
        if self._page is None:
            self._start(on_progress)
        self._jobs += 1
        if self._page is None:
            raise BrowserGone("it closed right after its start")
        return self._page

    def _start(self, on_progress: Progress) -> None:
        """P3: each step has its own limit and reports progress."""
        began = monotonic()
        on_progress("waiting for the browser's profile")
        if self._playwright is None:
            self._playwright = sync_playwright().start()
        try:
            self.folder = self._profile_lock.enter_context(self._options.profile_folder())
            on_progress("starting the browser")
            self._context = launch(self._playwright, self._options, self.folder)
            self._page = first_page(self._context, self._options.blocked)
        except BaseException:
            self._end()
            raise
        self.started, self._jobs, self._started_at = self.started + 1, 0, began
        log.info("browser_started", seconds=round(monotonic() - began, 2))

    def figures(self) -> BrowserFigures:
        folder = self.folder
        if folder is None:
            return BrowserFigures()
        family = process_tree(folder)
        return BrowserFigures(
            uptime=timedelta(seconds=monotonic() - self._started_at),
            tasks=self._jobs,
            processes=len(family),
            megabytes=sum(map(resident_megabytes, family)),
            contexts=1,
            pages=1,
        )

    def _next_task(self) -> _Task[Any] | None:
        """The next task. When idle, the page is emptied: an open timeline keeps working."""
        with suppress(Empty):
            return self.tasks.get(timeout=IDLE_SECONDS)
        if self._page is not None:
            with suppress(PlaywrightError):
                self._page.goto("about:blank")
        return self.tasks.get()

    def _cause_of(self, error: FootyError) -> Exception:
        """A site that cannot be reached may be the first sign of a browser that ends: a request is
        aborted before Playwright knows why."""
        if isinstance(error, SiteUnavailable) and self._context is not None:
            try:
                self._context.cookies()
            except PlaywrightError as gone:
                return self._translate(gone)
        return error

    def _translate(self, error: Exception) -> Exception:
        """Playwright's error as one of ours. A browser that failed is not used again."""
        lines = str(error).splitlines() or [type(error).__name__]
        gone = any(sign in lines[0].lower() for sign in CRASH_MESSAGES)
        self._end(with_driver=gone)
        if gone:
            return BrowserGone(lines[0])
        if isinstance(error, PlaywrightError):
            return SiteUnavailable(f"the browser: {lines[0]}")
        return error

    def _end(self, with_driver: bool = False) -> None:
        context, self._context, self._page = self._context, None, None
        if context is not None:
            with suppress(Exception):
                context.close()
        if with_driver and self._playwright is not None:
            playwright, self._playwright = self._playwright, None
            with suppress(Exception):
                playwright.stop()
        if self.folder is not None:
            kill_using(self.folder)
            self.folder = None
        self._profile_lock.close()
