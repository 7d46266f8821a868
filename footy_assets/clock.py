"""Where time comes from: no other code reads the system clock."""

import time
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from math import inf
from pathlib import Path
from typing import Protocol


class Clock(Protocol):
    @property
    def speed(self) -> float: ...

    def now(self) -> datetime: ...

    def sleep(self, seconds: float) -> None:
        """Wait until `now()` has moved by `seconds`."""
        ...


@dataclass(frozen=True)
class SystemClock:
    speed: float = 1.0

    def now(self) -> datetime:
        return datetime.now(UTC)

    def sleep(self, seconds: float) -> None:
        time.sleep(max(0.0, seconds))


@dataclass(frozen=True)
class ScaledClock:
    """A clock that runs `speed` times as fast as the wall, and agrees across processes.

    It is a straight line through one anchor, so two processes with the same three numbers
    read the same time without talking to each other. `skipped` is a file that may say how many
    seconds all of them have left out.
    """

    starts_at: datetime
    speed: float
    anchor: float
    skipped: Path | None = None

    def now(self) -> datetime:
        passed = (time.time() - self.anchor) * self.speed + self._seconds_skipped()
        return self.starts_at + timedelta(seconds=passed)

    def skip_to(self, moment: datetime) -> None:
        """Leaves out the time until `moment`, for all processes; a moment that is over is none."""
        seconds = (moment - self.now()).total_seconds()
        if self.skipped is None or seconds <= 0:
            return
        fresh = self.skipped.with_suffix(".fresh")
        fresh.write_text(str(self._seconds_skipped() + seconds))
        fresh.replace(self.skipped)

    def _seconds_skipped(self) -> float:
        if self.skipped is not None:
            with suppress(FileNotFoundError):
                return float(self.skipped.read_text())
        return 0.0

    def sleep(self, seconds: float) -> None:
        time.sleep(max(0.0, seconds) / self.speed)

    def spec(self) -> str:
        line = f"{self.starts_at.isoformat()}@{self.speed}@{self.anchor}"
        return f"{line}@{self.skipped}" if self.skipped else line


@dataclass
class ManualClock:
    """A clock that moves only by `sleep` and `advance`, for tests."""

    at: datetime
    speed: float = 1.0
    slept: list[float] = field(default_factory=list)

    def now(self) -> datetime:
        return self.at

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.advance(seconds)

    def advance(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)


def parse_clock(spec: str | None) -> SystemClock | ScaledClock:
    """Read a clock from `START@SPEED@ANCHOR`, or `START@SPEED@ANCHOR@FILE`, whose file says how
    much is left out; no spec is the system's own clock."""
    if not spec:
        return SystemClock()
    try:
        start, speed, anchor, *file = spec.split("@", 3)
        starts_at = datetime.fromisoformat(start)
        skipped = Path(file[0]) if file else None
        clock = ScaledClock(starts_at, float(speed), float(anchor), skipped)
        if starts_at.tzinfo is not None:
            clock.now()
    except (ValueError, OverflowError) as error:
        raise ValueError(
            f"clock {spec!r} is not START@SPEED@ANCHOR, "
            "as in 2025-05-10T11:30:00+00:00@60@1746878400"
        ) from error
    if starts_at.tzinfo is None or not 0 < clock.speed < inf:
        raise ValueError(f"clock {spec!r} needs a time zone and a speed above 0")
    return clock
