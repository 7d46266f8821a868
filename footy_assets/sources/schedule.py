"""A3, R2: what is asked now, what later, and in which order."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from footy_assets.sources.limits import Turnstile
from footy_assets.sources.priority import Priority

NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A match that a provider is to be asked about."""

    match_id: int
    domain: str
    priority: Priority
    last_success: datetime | None = None

    @property
    def order(self) -> tuple[int, datetime, int]:
        """R2: lower first; equal: stalest first."""
        return self.priority, self.last_success or NEVER, self.match_id


@dataclass(frozen=True, slots=True)
class Batch:
    """One request: `batch_size` matches of a provider, the most urgent of them first."""

    domain: str
    wanted: tuple[Wanted, ...]

    @property
    def priority(self) -> Priority:
        return self.wanted[0].priority


@dataclass(frozen=True, slots=True)
class Deferred:
    """`until` is None while it waits for a running request to end."""

    batch: Batch
    until: datetime | None


@dataclass(frozen=True, slots=True)
class Plan:
    start: tuple[Batch, ...]
    deferred: tuple[Deferred, ...]
    turnstiles: Mapping[str, Turnstile]


def batches(wanted: Iterable[Wanted], sizes: Mapping[str, int]) -> list[Batch]:
    """A request has room for so many matches: the urgent first, the rest fills it up for free."""
    of: dict[str, list[Wanted]] = {}
    for one in sorted(wanted, key=lambda one: one.order):
        of.setdefault(one.domain, []).append(one)
    made = [
        Batch(domain, tuple(ones[n : n + sizes.get(domain, 1)]))
        for domain, ones in of.items()
        for n in range(0, len(ones), sizes.get(domain, 1))
    ]
    return sorted(made, key=lambda batch: batch.wanted[0].order)


def plan(
    wanted: Iterable[Batch],
    turnstiles: Mapping[str, Turnstile],
    now: datetime,
    live_domains: frozenset[str] = frozenset(),
) -> Plan:
    """Start what the limits allow, in order; defer the rest.

    In `live_domains` matches are being played: whatever is not LIVE leaves one turn free there, so
    that the next LIVE request never waits behind it.
    """
    stiles = dict(turnstiles)
    start: list[Batch] = []
    deferred: list[Deferred] = []
    for batch in sorted(wanted, key=lambda batch: batch.wanted[0].order):
        stile = stiles[batch.domain]
        gives_way = batch.priority is not Priority.LIVE and batch.domain in live_domains
        free = stile.free_at(now, reserve=int(gives_way))
        if free is not None and free <= now:
            stiles[batch.domain] = stile.started(now)
            start.append(batch)
        else:
            deferred.append(Deferred(batch, free))
    return Plan(tuple(start), tuple(deferred), stiles)
