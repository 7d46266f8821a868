"""V3: compares the minute of a goal in the feed with the minutes that a clip's clock shows."""

import re
from dataclasses import dataclass

from footy_assets.errors import BadInput
from footy_assets.media.clock import ClockReading
from footy_assets.media.clock_text import MAX_ADDED, MINUTE

# A reading this far from the expected minute still verifies the clip.
TOLERANCE_MINUTES = 1
LAST_MINUTE = 120
_MINUTE_TEXT = re.compile(r"\s*(?P<elapsed>\d{1,3})\s*(?:\+\s*(?P<extra>\d{1,2}))?\s*['’]?\s*")


@dataclass(frozen=True, slots=True)
class GoalMinute:
    """A minute as people and feeds count: the first minute of a match is 1."""

    elapsed: int
    extra: int = 0

    @classmethod
    def parse(cls, written: str) -> "GoalMinute":
        """`23`, `45+2` or `90+4'`."""
        match = _MINUTE_TEXT.fullmatch(written)
        minute = cls(int(match["elapsed"]), int(match["extra"] or 0)) if match else None
        if minute is None or minute.elapsed > LAST_MINUTE:
            raise BadInput(f"{written!r} is not a minute of a match", "Write it as 23 or 45+2")
        return minute

    @property
    def clock_minute(self) -> int:
        """V3: expected minute = elapsed + extra − 1, as a clock counts from 0."""
        return self.elapsed + self.extra - 1

    def __str__(self) -> str:
        return f"{self.elapsed}+{self.extra}" if self.extra else str(self.elapsed)


def verify_minute(reading: ClockReading, elapsed: int, extra: int | None = None) -> bool | None:
    """V3: True if any reading is within ±1 of the expected minute, False if the clock is readable
    and shows another minute, None without a readable clock.

    A clock that stands still at the end of a period while its added time cannot be read gives None
    for minutes after that end.
    """
    if not reading.minutes:
        return None
    expected = GoalMinute(elapsed, extra or 0).clock_minute
    if any(abs(minute - expected) <= TOLERANCE_MINUTES for minute in reading.minutes):
        return True
    stands_at = reading.stands_at
    if (
        stands_at in reading.minutes
        and stands_at is not None
        and 0 <= expected - stands_at <= MAX_ADDED // MINUTE
    ):
        return None
    return False


def is_frozen_at(reading: ClockReading, minute: GoalMinute, mark: int | None = None) -> bool:
    """V7: whether a clock that does not run shows the goal's minute, as in a GIF or a loop, or as a
    clock without seconds does: `mark` counts from 1."""
    shown = [*reading.frozen_minutes, *([mark - 1] if mark is not None else [])]
    return any(abs(one - minute.clock_minute) <= TOLERANCE_MINUTES for one in shown)
