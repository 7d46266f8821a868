"""Y8: what may be configured; Y2's flags; Y6's retries."""

import math
from dataclasses import dataclass
from datetime import timedelta
from fractions import Fraction

# Y6: the pauses between tries of one document. After the last it is parked, with its reason.
RETRY_AFTER = (0, 0, 10, 30, 60, 120, 300)


@dataclass(frozen=True, slots=True)
class HistoryRules:
    """There is no time limit of a tier: a saga is never moved on by a clock (Y5)."""

    threshold: int = 1
    flag_share: float = 0.05
    flag_minimum: int = 1
    alert_after: timedelta = timedelta(minutes=30)
    at_once: int = 8


def flagged_count(documents: int, rules: HistoryRules) -> int:
    """Y2: how many of a tier's last documents tell when they are done."""
    if documents <= 0:
        return 0
    # In whole numbers: 0.05 × 8000 is not 400 in floating point everywhere.
    share = math.ceil(documents * Fraction(str(rules.flag_share)))
    return min(documents, max(rules.flag_minimum, share))


def wait_after(failures: int, believed: bool = False) -> int | None:
    """Y6: seconds until a document that failed so often is tried again; None parks it.

    A provider that says it has no such thing is believed when it has said so at once and again.
    """
    if failures > len(RETRY_AFTER):
        return None
    wait = RETRY_AFTER[failures - 1]
    return None if believed and wait else wait
