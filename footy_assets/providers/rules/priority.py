"""R2: which match is polled first, and how often."""

from datetime import datetime, timedelta
from enum import IntEnum

from footy_assets.providers.rules.match import OVER, MatchPhase

IMMINENT_WITHIN = timedelta(hours=1)


class Priority(IntEnum):
    LIVE = 0
    IMMINENT = 1
    COMPLETED = 2

    @property
    def label(self) -> str:
        return self.name.lower()


POLL_INTERVALS: dict[Priority, timedelta] = {
    Priority.LIVE: timedelta(seconds=30),
    Priority.IMMINENT: timedelta(minutes=1),
    Priority.COMPLETED: timedelta(minutes=5),
}


def priority_of(phase: MatchPhase, start: datetime, now: datetime) -> Priority | None:
    """None for a match that starts in more than an hour: it is not polled yet."""
    if phase is MatchPhase.LIVE:
        return Priority.LIVE
    if phase in OVER:
        return Priority.COMPLETED
    return Priority.IMMINENT if start <= now + IMMINENT_WITHIN else None


def is_due(priority: Priority, last_requested: datetime | None, now: datetime) -> bool:
    return last_requested is None or now >= last_requested + POLL_INTERVALS[priority]
