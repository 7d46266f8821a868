"""Grades health by the age of the data of live matches."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

EVALUATION_INTERVAL = timedelta(seconds=15)
STALE_SECONDS = 60.0
VERY_STALE_SECONDS = 120.0
SILENT_SECONDS = 90.0
CALM_EVALUATIONS = 2
# The subject under which all providers together are graded.
ALL_PROVIDERS = "all"
RECOVERY_TIMEOUT = timedelta(seconds=120)


class Grade(StrEnum):
    HEALTHY = "healthy"
    DEGRADED = "degraded"
    FAILING = "failing"
    RECOVERING = "recovering"


@dataclass(frozen=True, slots=True)
class Freshness:
    """Ages in seconds of the matches in play."""

    count: int = 0
    median: float = 0.0
    p95: float = 0.0
    max: float = 0.0
    p99: float = 0.0
    sum: float = 0.0

    @property
    def stale(self) -> bool:
        return self.median >= STALE_SECONDS or self.p95 >= STALE_SECONDS

    @property
    def very_stale(self) -> bool:
        return self.max >= VERY_STALE_SECONDS


@dataclass(frozen=True, slots=True)
class ProviderHealth:
    grade: Grade = Grade.HEALTHY
    calm: int = 0
    recovering_since: datetime | None = None
    # The grades that the last evaluation went through.
    steps: tuple[Grade, ...] = ()


def freshness(ages: Sequence[float]) -> Freshness:
    """Of LIVE matches only. Quantiles are by nearest rank."""
    if not ages:
        return Freshness()
    ordered = sorted(ages)

    def rank(share: float) -> float:
        return ordered[max(0, math.ceil(share * len(ordered)) - 1)]

    return Freshness(
        count=len(ordered),
        median=rank(0.5),
        p95=rank(0.95),
        max=ordered[-1],
        p99=rank(0.99),
        sum=sum(ordered),
    )


def evaluate(
    health: ProviderHealth, fresh: Freshness, last_success: datetime | None, now: datetime
) -> ProviderHealth:
    """The health after one evaluation."""
    if fresh.count == 0:
        return ProviderHealth(Grade.HEALTHY)
    silent = last_success is None or (now - last_success).total_seconds() >= SILENT_SECONDS
    failing = fresh.very_stale or silent
    match health.grade:
        case Grade.HEALTHY:
            if not fresh.stale and not fresh.very_stale:
                return ProviderHealth(Grade.HEALTHY)
            steps = (Grade.DEGRADED, Grade.FAILING) if failing else (Grade.DEGRADED,)
            return ProviderHealth(steps[-1], steps=steps)
        case Grade.DEGRADED:
            if failing:
                return ProviderHealth(Grade.FAILING, steps=(Grade.FAILING,))
            calm = 0 if fresh.stale else health.calm + 1
            if calm >= CALM_EVALUATIONS:
                return ProviderHealth(Grade.HEALTHY, steps=(Grade.HEALTHY,))
            return ProviderHealth(Grade.DEGRADED, calm)
        case Grade.FAILING:
            # Fresh again without a recovery: degraded first, healthy after two evaluations.
            if failing:
                return ProviderHealth(Grade.FAILING)
            return ProviderHealth(Grade.DEGRADED, steps=(Grade.DEGRADED,))
        case Grade.RECOVERING:
            return _recovering(health, last_success, now)


def start_recovery(health: ProviderHealth, now: datetime) -> ProviderHealth:
    """Only FAILING becomes RECOVERING: a routine recycle in good health does not."""
    if health.grade is not Grade.FAILING:
        return health
    return ProviderHealth(Grade.RECOVERING, recovering_since=now, steps=(Grade.RECOVERING,))


def _recovering(
    health: ProviderHealth, last_success: datetime | None, now: datetime
) -> ProviderHealth:
    since = health.recovering_since or now
    if last_success is not None and last_success > since:
        return ProviderHealth(Grade.HEALTHY, steps=(Grade.HEALTHY,))
    if now - since < RECOVERY_TIMEOUT:
        return replace(health, steps=())
    # Two minutes without a success.
    return ProviderHealth(Grade.FAILING, steps=(Grade.FAILING,))
