"""SE1, SE2, SE9: when a goal is searched for, and when its search ends."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

APART = timedelta(seconds=60)
REST = timedelta(seconds=10)
GIVE_UP_AFTER = timedelta(minutes=30)
# By this long after kickoff every match is over.
PAST_AFTER = timedelta(hours=4)


class AttemptOutcome(StrEnum):
    """How an attempt ended, as stored. A failed one has its error as `failure`."""

    FOUND_NOTHING = "found nothing"
    VIDEOS_SETTLED = "videos settled"
    DEADLINE_PASSED = "the deadline passed"
    MATCH_CLOSED = "the match was closed by hand"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """How often a goal is searched for. A past match is searched once."""

    attempts: int = 10
    apart: timedelta = APART
    give_up_after: timedelta = GIVE_UP_AFTER

    @property
    def doubt(self) -> timedelta:
        """SE2: for how long a search must be overdue: two minutes after thirty."""
        return self.give_up_after / 15


def next_due(due_at: datetime, ended_at: datetime, apart: timedelta = APART) -> datetime:
    """SE1: 60 s from due time to due time, so that lag does not add up, and at least 10 s after
    the previous attempt ended."""
    return max(due_at + apart, ended_at + REST)


def latest_due(now: datetime, apart: timedelta = APART) -> datetime:
    """SE1: no next attempt is due later than this. A later due time was written by a clock that was
    ahead."""
    return now + max(apart, REST)


def attempts_for(kickoff: datetime, now: datetime, planned: int) -> int:
    """A goal of a past match is searched for once: nobody posts about it any more."""
    return min(planned, 1) if now - kickoff > PAST_AFTER else planned


def most_started(planned: int) -> int:
    """SE9: half as many again as planned, and at least one more."""
    return planned + max(planned // 2, 1)


def is_search_over(started: int, failed: Collection[int], planned: int) -> bool:
    """SE9: as many attempts as planned were answered, or no more may be started."""
    return started - len(failed) >= planned or started >= most_started(planned)


def failures_that_count(started: int, failed: Collection[int], planned: int) -> list[int]:
    """SE9: the failed attempts that stand in for missing answers, once no more may be started."""
    if not is_search_over(started, failed, planned):
        return []
    missing = planned - (started - len(failed))
    return sorted(failed)[: max(missing, 0)]


def numbers_to_close(counted: Collection[int], planned: int) -> list[int]:
    """SE2: the lowest numbers that are not counted, as many as the plan lacks."""
    missing = max(planned - len(counted), 0)
    return [n for n in range(1, planned + len(counted) + 1) if n not in counted][:missing]
