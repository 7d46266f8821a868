"""P4: every retry policy, in one table."""

import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from tenacity import (
    AsyncRetrying,
    RetryCallState,
    Retrying,
    retry_if_exception,
    stop_after_attempt,
)

from footy_assets.errors import is_retryable

RetryIf = Callable[[BaseException], bool]


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """`timeout` is each attempt's own, where one attempt can be ended."""

    attempts: int
    first_wait: float
    factor: float
    timeout: float | None = None
    longest_wait: float = math.inf

    def wait_after(self, attempt: int) -> float:
        """The pause after an attempt; the first is 1."""
        return min(self.first_wait * self.factor ** (attempt - 1), self.longest_wait)

    def waits(self) -> list[float]:
        """The pauses between attempts."""
        return [self.wait_after(attempt) for attempt in range(1, self.attempts)]

    def retrying(
        self,
        sleep: Callable[[float], None],
        retry_if: RetryIf = is_retryable,
        before_sleep: Callable[[RetryCallState], None] | None = None,
    ) -> Retrying:
        """Calls a function until it succeeds.

        An error that `retry_if` refuses is raised at once, any other after the last attempt.
        """
        return Retrying(sleep=sleep, before_sleep=before_sleep, **self._rules(retry_if))

    def retrying_async(
        self, sleep: Callable[[float], Awaitable[None]], retry_if: RetryIf = is_retryable
    ) -> AsyncRetrying:
        return AsyncRetrying(sleep=sleep, **self._rules(retry_if))

    def _rules(self, retry_if: RetryIf) -> dict[str, Any]:
        return {
            "stop": stop_after_attempt(self.attempts),
            "wait": lambda state: self.wait_after(state.attempt_number),
            "retry": retry_if_exception(retry_if),
            "reraise": True,
        }


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
    # For ever: a listener has nothing else to do. Each wait is at the next server.
    "stream": RetryPolicy(attempts=1, first_wait=1.0, factor=2.0, timeout=10.0, longest_wait=60.0),
    "validation": RetryPolicy(attempts=4, first_wait=1.0, factor=2.0, timeout=90.0),
}
