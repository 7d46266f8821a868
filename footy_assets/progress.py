"""P3: a step is stopped for lack of progress, not for being slow; a long timeout is the limit."""

import time
from collections.abc import Callable
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field
from queue import Empty, Queue
from threading import Event, Thread
from typing import Any, TypeVar

from footy_assets.errors import Stalled

SILENCE_SECONDS = 60.0
SAFETY_NET_SECONDS = 300.0
CHECK_SECONDS = 0.2

T = TypeVar("T")
_watchdog: ContextVar["Watchdog | None"] = ContextVar("watchdog of this step", default=None)


def heartbeat() -> None:
    """Report progress of the step that runs here. A step that was abandoned ends here."""
    watchdog = _watchdog.get()
    if watchdog is not None:
        watchdog.record_heartbeat()


def end_if_abandoned() -> None:
    """End the step that runs here if its result is no longer awaited. This is no progress."""
    watchdog = _watchdog.get()
    if watchdog is not None:
        watchdog.raise_if_abandoned()


class _Abandoned(BaseException):
    """Raised inside a step whose result is no longer awaited."""


@dataclass
class Watchdog:
    """Runs a step and waits for it. `monotonic` is the clock that silence is measured by."""

    silence: float = SILENCE_SECONDS
    safety_net: float = SAFETY_NET_SECONDS
    monotonic: Callable[[], float] = time.monotonic
    _results: Queue[tuple[bool, Any]] = field(default_factory=Queue)
    _abandoned: Event = field(default_factory=Event)
    _last_heartbeat: float = 0.0

    def raise_if_abandoned(self) -> None:
        if self._abandoned.is_set():
            raise _Abandoned

    def record_heartbeat(self) -> None:
        self.raise_if_abandoned()
        self._last_heartbeat = self.monotonic()

    def abandon(self) -> None:
        """Nobody awaits the step any more: it ends at its next heartbeat."""
        self._abandoned.set()

    def run(self, name: str, step: Callable[[], T]) -> T:
        """Run a step on its own thread.

        Raises `Stalled` when it is silent; its thread then ends at the next heartbeat.
        """
        began = self._last_heartbeat = self.monotonic()
        context = copy_context()
        context.run(_watchdog.set, self)
        Thread(target=context.run, args=(self._run_step, step), name=name, daemon=True).start()
        while True:
            try:
                succeeded, outcome = self._results.get(timeout=CHECK_SECONDS)
            except Empty:
                self._check_progress(name, began)
                continue
            if succeeded:
                result: T = outcome
                return result
            raise outcome

    def _run_step(self, step: Callable[[], T]) -> None:
        try:
            self._results.put((True, step()))
        except BaseException as error:
            self._results.put((False, error))

    def _check_progress(self, name: str, began: float) -> None:
        now = self.monotonic()
        if now - self._last_heartbeat > self.silence:
            self._abandoned.set()
            raise Stalled(f"{name}: no progress within {self.silence:g} s")
        if now - began > self.safety_net:
            self._abandoned.set()
            raise Stalled(f"{name}: not done within {self.safety_net:g} s")
