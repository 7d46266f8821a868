"""V3: the minute that the feed gives a goal, against the minutes that a clip's clock shows."""

import re
from dataclasses import dataclass

from footy_assets.errors import BadInput
from footy_assets.media.clock import ClockReading
from footy_assets.media.clock_text import LONGEST_ADDED, MINUTE

# How far a read may lie from the expected minute and still verify the clip.
NEAR_ENOUGH = 1
LATEST = 120
_WRITTEN = re.compile(r"\s*(?P<elapsed>\d{1,3})\s*(?:\+\s*(?P<extra>\d{1,2}))?\s*['’]?\s*")


@dataclass(frozen=True, slots=True)
class GoalMinute:
    """A minute as people and feeds count: the first minute of a match is 1."""

    elapsed: int
    extra: int = 0

    @classmethod
    def parse(cls, written: str) -> "GoalMinute":
        """`23`, `45+2` or `90+4'`."""
        match = _WRITTEN.fullmatch(written)
        minute = cls(int(match["elapsed"]), int(match["extra"] or 0)) if match else None
        if minute is None or minute.elapsed > LATEST:
            raise BadInput(f"{written!r} is no minute of a match", "Write it as 23 or 45+2")
        return minute

    @classmethod
    def of(cls, minute: "GoalMinute | str | int") -> "GoalMinute":
        """As people give it: 23, "45+2", or one already made."""
        return minute if isinstance(minute, cls) else cls.parse(str(minute))

    @property
    def on_the_clock(self) -> int:
        """V3: expected minute = elapsed + extra − 1, as a clock counts from 0."""
        return self.elapsed + self.extra - 1

    def __str__(self) -> str:
        return f"{self.elapsed}+{self.extra}" if self.extra else str(self.elapsed)


def verified_by(reading: ClockReading, elapsed: int, extra: int | None = None) -> bool | None:
    """V3: verified if any read is within ±1 of the expected minute; wrong if the clock is readable
    and says otherwise; None if there is no clock to tell.

    A clock that stands at a period's end while its added time cannot be read tells nothing about
    minutes after that end.
    """
    if not reading.minutes:
        return None
    expected = GoalMinute(elapsed, extra or 0).on_the_clock
    if any(abs(minute - expected) <= NEAR_ENOUGH for minute in reading.minutes):
        return True
    stood = reading.stands_at
    if (
        stood in reading.minutes
        and stood is not None
        and 0 <= expected - stood <= LONGEST_ADDED // MINUTE
    ):
        return None
    return False
