"""L2: who leads a match. While the lead is stale and another is fresh, the other leads it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from footy_assets.providers.rules.health import STALE_SECONDS, VERY_STALE_SECONDS

EVALUATIONS = 2


@dataclass(frozen=True, slots=True)
class Leadership:
    """`acting` leads instead of the lead, or did so last; `leads` says which of the two.

    `stale` and `fresh` count evaluations in a row: in which who leads is stale while another is
    fresh, and in which the lead is fresh again.
    """

    acting: str | None = None
    leads: bool = False
    stale: int = 0
    fresh: int = 0
    since: datetime | None = None

    def leader(self, lead: str) -> str:
        return self.acting if self.leads and self.acting else lead


NEVER_CHANGED = Leadership()


def evaluate_lead(
    before: Leadership,
    lead: str,
    ages: Mapping[str, float],
    precedence: Mapping[str, int],
    now: datetime,
) -> Leadership:
    """`ages` are in seconds, of the providers that are switched on and cover the match."""
    if before.leads and is_fresh(ages.get(lead)):
        if before.fresh + 1 < EVALUATIONS:
            return replace(before, fresh=before.fresh + 1, stale=0)
        return Leadership(before.acting, since=now)
    leader = before.leader(lead)
    fresh = [name for name, age in ages.items() if name != leader and is_fresh(age)]
    if not fresh or not is_stale(ages.get(leader)):
        return replace(before, stale=0, fresh=0)
    if before.stale + 1 < EVALUATIONS:
        return replace(before, stale=before.stale + 1, fresh=0)
    next_leader = max(fresh, key=lambda name: precedence.get(name, 0))
    return Leadership(next_leader, leads=True, since=now)


def is_fresh(age: float | None) -> bool:
    return age is not None and age < STALE_SECONDS


def is_stale(age: float | None) -> bool:
    return age is None or age >= VERY_STALE_SECONDS
