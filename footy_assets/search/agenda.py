"""SE1, SE2, SE8: opens searches for stable goals and for those that are seen, and closes overdue
ones."""

import math
from dataclasses import dataclass
from datetime import datetime

from footy_assets.search.rules.attempts import SearchPlan
from footy_assets.search.store.ahead import AheadStore
from footy_assets.search.store.searches import SearchStore

# What a sweep does in about half a minute.
DUE_PER_SWEEP = 5


@dataclass(frozen=True, slots=True)
class Agenda:
    """How many attempts and searches ahead are due, and how many overdue ones were closed."""

    due: int
    closed: int


def sweeps_wanted(due: int, most: int) -> int:
    """One sweep runs what is due one after the other; more only when much is due."""
    return min(most, math.ceil(due / DUE_PER_SWEEP)) if due else 0


def update_agenda(
    searches: SearchStore, now: datetime, plan: SearchPlan, ahead: AheadStore | None = None
) -> Agenda:
    """Opens a search for each stable goal, with `ahead` also for those that are not stable yet, and
    closes the searches that are overdue."""
    searches.open_searches()
    searches.correct_times_ahead(now, plan.apart)
    closed = searches.close_overdue(now, plan.give_up_after, plan.doubt)
    due = len(searches.due_goals(now))
    if ahead is not None:
        ahead.open(now)
        due += len(ahead.due_goals(now))
    return Agenda(due, len(closed))
