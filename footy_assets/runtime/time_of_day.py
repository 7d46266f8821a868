"""Notices that the time of day was set back, which stops Dagster's daemon for as long.

Its loops sleep until a time of day, and its sensors tick an interval after their last tick: both
lie in the future then.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

# Corrections of a few seconds cost no more than those seconds.
WORTH_SECONDS = 10.0


@dataclass
class TimeOfDay:
    """Compares the time of day with a clock that only runs forward."""

    now: Callable[[], float] = time.time
    monotonic: Callable[[], float] = time.monotonic
    _ahead: float | None = None

    def set_back_by(self) -> float:
        """By how many seconds since the last look; 0 if it was not, or hardly."""
        before, self._ahead = self._ahead, self.now() - self.monotonic()
        lost = 0.0 if before is None else before - self._ahead
        return lost if lost >= WORTH_SECONDS else 0.0
