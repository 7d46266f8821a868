"""When something that ended is started again: at once, then at growing intervals, for ever.

Each part has its own count, and none ends the others: a stack that keeps what still works is worth
more than one that gave up.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import structlog

RESTARTS_ALLOWED = 3
RESTART_WINDOW_SECONDS = 300.0
FIRST_WAIT_SECONDS = 1.0
LONGEST_WAIT_SECONDS = 60.0

log = structlog.get_logger()


@dataclass
class RestartBackoff:
    """The deaths of one part in the last five minutes, and when it may be started again."""

    monotonic: Callable[[], float] = time.monotonic
    deaths: list[float] = field(default_factory=list)
    due_at: float | None = None

    def count_death(self) -> float:
        """Returns the seconds until the next start: 0, 1, 2, 4, … at most 60."""
        now = self.monotonic()
        self.deaths = [*self._recent(), now]
        before = len(self.deaths) - 1
        wait = min(FIRST_WAIT_SECONDS * 2 ** (before - 1), LONGEST_WAIT_SECONDS) if before else 0.0
        self.due_at = now + wait
        return wait

    @property
    def is_due(self) -> bool:
        return self.due_at is not None and self.monotonic() >= self.due_at

    @property
    def keeps_failing(self) -> bool:
        return len(self._recent()) > RESTARTS_ALLOWED

    def _recent(self) -> list[float]:
        now = self.monotonic()
        return [at for at in self.deaths if now - at < RESTART_WINDOW_SECONDS]


@dataclass
class Part:
    """Something that must run: how to see whether it does, and how to start it again."""

    is_running: Callable[[], bool]
    restart: Callable[[], None]
    # Why it ended, for people.
    explain: Callable[[], str]


@dataclass
class Restarts:
    """Starts parts again that ended. `failing` has a sentence for each that keeps ending."""

    on_progress: Callable[[str], None] = lambda _: None
    monotonic: Callable[[], float] = time.monotonic
    failing: dict[str, str] = field(default_factory=dict)
    _backoffs: dict[str, RestartBackoff] = field(default_factory=dict)

    def revive(self, parts: Mapping[str, Part]) -> None:
        """Looks at each part once; what one raises is reported, and is its own delay."""
        for name, part in parts.items():
            backoff = self._backoffs.setdefault(name, RestartBackoff(self.monotonic))
            if part.is_running():
                self._forget_failure(name, backoff)
                continue
            if backoff.due_at is None:
                self._count(name, backoff, part.explain())
            if backoff.is_due:
                self._start(name, backoff, part)

    def forget_delays(self) -> None:
        """Everything that ended is started again at the next look, for example with new room."""
        for backoff in self._backoffs.values():
            if backoff.due_at is not None:
                backoff.due_at = self.monotonic()

    def _start(self, name: str, backoff: RestartBackoff, part: Part) -> None:
        backoff.due_at = None
        try:
            part.restart()
        # Whatever keeps one part from starting must not end the others.
        except Exception as error:
            self._count(name, backoff, " ".join(str(error).split()))
        else:
            log.warning("restarted", part=name)

    def _count(self, name: str, backoff: RestartBackoff, reason: str) -> None:
        wait = backoff.count_death()
        log.warning("ended", part=name, reason=reason, restart_in_seconds=wait)
        if backoff.keeps_failing:
            if name not in self.failing:
                self.on_progress(
                    f"{name} keeps ending: {reason}. It is started again every "
                    f"{LONGEST_WAIT_SECONDS:g} s at most; everything else goes on."
                )
            self.failing[name] = reason

    def _forget_failure(self, name: str, backoff: RestartBackoff) -> None:
        if name in self.failing and not backoff.keeps_failing:
            del self.failing[name]
            self.on_progress(f"{name} works again")
