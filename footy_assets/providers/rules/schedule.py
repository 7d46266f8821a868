"""A3, R2: which requests start now, which later, and in what order."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from footy_assets.providers.rules.limits import Limiter
from footy_assets.providers.rules.priority import Priority

NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A match to request from a provider."""

    match_id: int
    domain: str
    priority: Priority
    last_success: datetime | None = None

    @property
    def order(self) -> tuple[int, datetime, int]:
        """R2: lower first; equal: stalest first."""
        return self.priority, self.last_success or NEVER, self.match_id


@dataclass(frozen=True, slots=True)
class RequestBatch:
    """One request: `batch_size` matches of a provider, the most urgent of them first."""

    domain: str
    wanted: tuple[Wanted, ...]

    @property
    def priority(self) -> Priority:
        return self.wanted[0].priority


@dataclass(frozen=True, slots=True)
class Deferred:
    """`until` is None while it waits for a running request to end."""

    batch: RequestBatch
    until: datetime | None


@dataclass(frozen=True, slots=True)
class RequestPlan:
    start: tuple[RequestBatch, ...]
    deferred: tuple[Deferred, ...]
    limiters: Mapping[str, Limiter]


def batches(wanted: Iterable[Wanted], sizes: Mapping[str, int]) -> list[RequestBatch]:
    """Groups matches into requests of at most `sizes[domain]`, the most urgent first."""
    of: dict[str, list[Wanted]] = {}
    for one in sorted(wanted, key=lambda one: one.order):
        of.setdefault(one.domain, []).append(one)
    made = [
        RequestBatch(domain, tuple(ones[n : n + sizes.get(domain, 1)]))
        for domain, ones in of.items()
        for n in range(0, len(ones), sizes.get(domain, 1))
    ]
    return sorted(made, key=lambda batch: batch.wanted[0].order)


def plan(
    wanted: Iterable[RequestBatch],
    limiters: Mapping[str, Limiter],
    now: datetime,
    live_domains: frozenset[str] = frozenset(),
) -> RequestPlan:
    """Starts what the limits allow, in order; defers the rest.

    In `live_domains` other requests leave one slot free, so that the next LIVE request never waits
    for them.
    """
    limiters = dict(limiters)
    start: list[RequestBatch] = []
    deferred: list[Deferred] = []
    for batch in sorted(wanted, key=lambda batch: batch.wanted[0].order):
        limiter = limiters[batch.domain]
        leaves_slot = batch.priority is not Priority.LIVE and batch.domain in live_domains
        free = limiter.next_start(now, reserve=int(leaves_slot))
        if free is not None and free <= now:
            limiters[batch.domain] = limiter.started(now)
            start.append(batch)
        else:
            deferred.append(Deferred(batch, free))
    return RequestPlan(tuple(start), tuple(deferred), limiters)
