"""SE1, SE2: opens searches for stable goals, and closes overdue ones."""

from dataclasses import dataclass
from datetime import datetime

from footy_assets.search.rules.attempts import SearchPlan
from footy_assets.search.store.searches import SearchStore


@dataclass(frozen=True, slots=True)
class Agenda:
    """How many attempts are due, and how many overdue searches were closed."""

    due: int
    closed: int


def update_agenda(searches: SearchStore, now: datetime, plan: SearchPlan) -> Agenda:
    """Opens a search for each stable goal and closes the searches that are overdue."""
    searches.open_searches()
    searches.correct_times_ahead(now, plan.apart)
    closed = searches.close_overdue(now, plan.give_up_after, plan.doubt)
    return Agenda(len(searches.due_goals(now)), len(closed))
