"""Y8: configurable limits; Y2: flagged documents; Y6: retries.

Retries are no policy of `retries.py`: Y6 fixes pauses that no factor produces, and a document that
the provider does not have gets only the immediate ones.
"""

import math
from dataclasses import dataclass
from datetime import timedelta
from fractions import Fraction

# Y6: seconds between the tries of one document. After the last try it is parked.
RETRY_AFTER = (0, 0, 10, 30, 60, 120, 300)


@dataclass(frozen=True, slots=True)
class HistoryRules:
    """A tier has no time limit: time alone never advances a saga (Y5)."""

    threshold: int = 1
    flag_share: float = 0.05
    flag_minimum: int = 1
    alert_after: timedelta = timedelta(minutes=30)
    at_once: int = 8


def flagged_count(documents: int, rules: HistoryRules) -> int:
    """Y2: how many of a tier's last documents signal when they are processed."""
    if documents <= 0:
        return 0
    # In whole numbers: 0.05 × 8000 is not 400 in floating point everywhere.
    share = math.ceil(documents * Fraction(str(rules.flag_share)))
    return min(documents, max(rules.flag_minimum, share))


def retry_wait(failures: int, is_final: bool = False) -> int | None:
    """Y6: seconds until the next try of a document that failed this often; None parks it.

    `is_final`: the provider answers that it has no such thing; only the immediate retries are used.
    """
    if failures > len(RETRY_AFTER):
        return None
    wait = RETRY_AFTER[failures - 1]
    return None if is_final and wait else wait
