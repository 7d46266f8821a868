"""P3: a step is ended for lack of progress, with a long safety net, not for being slow."""

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
LOOK_SECONDS = 0.2

T = TypeVar("T")
_watch: ContextVar["Watch | None"] = ContextVar("the watch over this step", default=None)


def beat() -> None:
    """The step that runs here is alive. One that was given up meanwhile ends here."""
    watch = _watch.get()
    if watch is not None:
        watch.hear()


class _GivenUp(BaseException):
    """Raised inside a step that nobody waits for any more."""


@dataclass
class Watch:
    """Waits for steps. `monotonic` is the clock that silence is measured by."""

    silence: float = SILENCE_SECONDS
    safety_net: float = SAFETY_NET_SECONDS
    monotonic: Callable[[], float] = time.monotonic
    _ends: Queue[tuple[bool, Any]] = field(default_factory=Queue)
    _given_up: Event = field(default_factory=Event)
    _heard_at: float = 0.0

    def hear(self) -> None:
        if self._given_up.is_set():
            raise _GivenUp
        self._heard_at = self.monotonic()

    def over(self, name: str, step: Callable[[], T]) -> T:
        """Do a step on a thread of its own. Raises `Stalled`; the thread ends at its next beat."""
        began = self._heard_at = self.monotonic()
        context = copy_context()
        context.run(_watch.set, self)
        Thread(target=context.run, args=(self._do, step), name=name, daemon=True).start()
        while True:
            try:
                worked, outcome = self._ends.get(timeout=LOOK_SECONDS)
            except Empty:
                self._judge(name, began)
                continue
            if worked:
                result: T = outcome
                return result
            raise outcome

    def _do(self, step: Callable[[], T]) -> None:
        try:
            self._ends.put((True, step()))
        except BaseException as error:
            self._ends.put((False, error))

    def _judge(self, name: str, began: float) -> None:
        now = self.monotonic()
        if now - self._heard_at > self.silence:
            self._given_up.set()
            raise Stalled(f"{name}: no progress within {self.silence:g} s")
        if now - began > self.safety_net:
            self._given_up.set()
            raise Stalled(f"{name}: not done within {self.safety_net:g} s")
