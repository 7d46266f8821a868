"""R2: which match is asked for first, and how often."""

from datetime import datetime, timedelta
from enum import IntEnum

from footy_assets.sources.match import OVER, MatchStatus

IMMINENT_WITHIN = timedelta(hours=1)


class Priority(IntEnum):
    LIVE = 0
    IMMINENT = 1
    COMPLETED = 2


EVERY: dict[Priority, timedelta] = {
    Priority.LIVE: timedelta(seconds=30),
    Priority.IMMINENT: timedelta(minutes=1),
    Priority.COMPLETED: timedelta(minutes=5),
}


def priority_of(status: MatchStatus, start: datetime, now: datetime) -> Priority | None:
    """None: a match further off than an hour is nobody's business yet."""
    if status is MatchStatus.LIVE:
        return Priority.LIVE
    if status in OVER:
        return Priority.COMPLETED
    return Priority.IMMINENT if start <= now + IMMINENT_WITHIN else None


def is_due(priority: Priority, last_asked: datetime | None, now: datetime) -> bool:
    return last_asked is None or now >= last_asked + EVERY[priority]
