"""P4: every retry policy, in one table."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    attempts: int
    first_wait: float
    factor: float
    timeout: float | None = None

    def waits(self) -> list[float]:
        """The pauses between attempts."""
        return [self.first_wait * self.factor**n for n in range(self.attempts - 1)]


RETRIES = {
    "provider": RetryPolicy(attempts=3, first_wait=1.0, factor=2.0, timeout=30.0),
    "wikidata": RetryPolicy(attempts=3, first_wait=1.0, factor=2.0, timeout=10.0),
    "alias_picker": RetryPolicy(attempts=2, first_wait=1.0, factor=2.0, timeout=20.0),
    "validation": RetryPolicy(attempts=4, first_wait=1.0, factor=2.0, timeout=90.0),
}
