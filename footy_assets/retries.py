"""P4: every retry policy, in one table."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """`timeout` is each attempt's own, where one attempt can be ended."""

    attempts: int
    first_wait: float
    factor: float
    timeout: float | None = None
    longest_wait: float = math.inf

    def waits(self) -> list[float]:
        """The pauses between attempts."""
        return [
            min(self.first_wait * self.factor**n, self.longest_wait)
            for n in range(self.attempts - 1)
        ]

    def run(
        self,
        call: Callable[[], T],
        heals: Callable[[Exception], bool],
        sleep: Callable[[float], None],
    ) -> T:
        """Call until it works. What cannot heal is raised at once, the rest after the last try."""
        for wait in self.waits():
            try:
                return call()
            except Exception as error:
                if not heals(error):
                    raise
            sleep(wait)
        return call()


RETRIES = {
    # Reads and writes alike.
    "database": RetryPolicy(attempts=3, first_wait=1.0, factor=2.0),
    "counting": RetryPolicy(attempts=5, first_wait=1.0, factor=2.0),
    "provider": RetryPolicy(attempts=3, first_wait=1.0, factor=2.0, timeout=30.0),
    "search": RetryPolicy(attempts=3, first_wait=10.0, factor=1.5, timeout=180.0),
    "download": RetryPolicy(attempts=3, first_wait=2.0, factor=2.0, timeout=90.0),
    "upload": RetryPolicy(attempts=3, first_wait=2.0, factor=1.5, timeout=60.0),
    "wikidata": RetryPolicy(attempts=3, first_wait=1.0, factor=2.0, timeout=10.0),
    "alias_picker": RetryPolicy(attempts=2, first_wait=1.0, factor=2.0, timeout=20.0),
    # Three hours: a subscriber may be down for one and miss nothing.
    "notification": RetryPolicy(
        attempts=42, first_wait=5.0, factor=2.0, timeout=10.0, longest_wait=300.0
    ),
    "validation": RetryPolicy(attempts=4, first_wait=1.0, factor=2.0, timeout=90.0),
}
