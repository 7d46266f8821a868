"""S1, S2: when a goal is searched for, and when that is over."""

from dataclasses import dataclass
from datetime import datetime, timedelta

APART = timedelta(seconds=60)
REST = timedelta(seconds=10)
GIVE_UP_AFTER = timedelta(minutes=30)
# A match is over for certain this long after kickoff.
PAST_AFTER = timedelta(hours=4)


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """How often a goal is searched for. A past match is searched once."""

    attempts: int = 10
    apart: timedelta = APART
    give_up_after: timedelta = GIVE_UP_AFTER


def next_due(due_at: datetime, ended_at: datetime, apart: timedelta = APART) -> datetime:
    """S1: 60 s from start to start, by the times that were due, so that lag never adds up;
    never sooner than 10 s after the last one ended."""
    return max(due_at + apart, ended_at + REST)


def out_of_time(stable_at: datetime, now: datetime, plan: SearchPlan) -> bool:
    """S2: whatever is left half an hour after the goal stood is closed, visibly."""
    return now >= stable_at + plan.give_up_after


def attempts_for(kickoff: datetime, now: datetime, planned: int) -> int:
    """A goal of a past match is searched for once: nothing new is being posted about it."""
    return min(planned, 1) if now - kickoff > PAST_AFTER else planned
