"""Waiting in tests for what another thread or process does."""

import time
from collections.abc import Callable

# For a machine under load; only a test that fails waits this long.
PATIENCE_SECONDS = 60.0


def wait_until(
    condition: Callable[[], bool],
    seconds: float = PATIENCE_SECONDS,
    *,
    every: float = 0.02,
    explain: Callable[[], str] = str,
) -> None:
    """Returns once `condition` holds; `explain` says what is there instead if it never does."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, explain() or f"not within {seconds:g} s"
        time.sleep(every)


def no_sleep(seconds: float) -> None:
    """Retries without waiting."""
