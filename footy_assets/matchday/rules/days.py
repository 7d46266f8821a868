"""Which days can be backfilled."""

from collections.abc import Iterable
from datetime import date

FIRST_MATCHDAY = date(2015, 7, 1)


def playable(days: Iterable[str], today: date) -> list[str]:
    """Y11: the days from the first matchday up to today."""
    first, last = FIRST_MATCHDAY.isoformat(), today.isoformat()
    return sorted(day for day in set(days) if first <= day <= last)
