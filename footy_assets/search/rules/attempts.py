"""SE1, SE2: when a goal is searched for, and when its search ends."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

APART = timedelta(seconds=60)
REST = timedelta(seconds=10)
GIVE_UP_AFTER = timedelta(minutes=30)
# By this long after kickoff every match is over.
PAST_AFTER = timedelta(hours=4)


class AttemptOutcome(StrEnum):
    """How an attempt ended, as stored. A failed one carries its error instead."""

    FOUND_NOTHING = "found nothing"
    VIDEOS_SETTLED = "videos settled"
    DEADLINE_PASSED = "the deadline passed"
    MATCH_CLOSED = "the match was closed by hand"


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """How often a goal is searched for. A past match is searched once."""

    attempts: int = 10
    apart: timedelta = APART
    give_up_after: timedelta = GIVE_UP_AFTER


def next_due(due_at: datetime, ended_at: datetime, apart: timedelta = APART) -> datetime:
    """SE1: 60 s from due time to due time, so that lag does not add up, and at least 10 s after
    the previous attempt ended."""
    return max(due_at + apart, ended_at + REST)


def attempts_for(kickoff: datetime, now: datetime, planned: int) -> int:
    """A goal of a past match is searched for once: nobody posts about it any more."""
    return min(planned, 1) if now - kickoff > PAST_AFTER else planned
