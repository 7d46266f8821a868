"""Which days have a matchday that can be played back."""

from collections.abc import Iterable
from datetime import date

FIRST_MATCHDAY = date(2015, 7, 1)


def playable(days: Iterable[str], today: date) -> list[str]:
    """Y11: of these days, those of our calendar that are not to come."""
    first, last = FIRST_MATCHDAY.isoformat(), today.isoformat()
    return sorted(day for day in set(days) if first <= day <= last)
