"""How we are doing: one grade from how old our knowledge of the matches in play is."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

EVALUATED_EVERY = timedelta(seconds=15)
OLD_SECONDS = 60.0
TOO_OLD_SECONDS = 120.0
SILENT_SECONDS = 90.0
CALM_EVALUATIONS = 2
# The name under which all providers together are graded.
EVERYTHING = "all"
RECOVERY_TAKES = timedelta(seconds=120)


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

    @property
    def old(self) -> bool:
        return self.median >= OLD_SECONDS or self.p95 >= OLD_SECONDS

    @property
    def too_old(self) -> bool:
        return self.max >= TOO_OLD_SECONDS


@dataclass(frozen=True, slots=True)
class Health:
    grade: Grade = Grade.HEALTHY
    calm: int = 0
    recovering_since: datetime | None = None
    # The grades that the last evaluation went through.
    steps: tuple[Grade, ...] = ()


def freshness(ages: Sequence[float]) -> Freshness:
    """Only LIVE matches count. A quantile is an age that a match has: the nearest rank."""
    if not ages:
        return Freshness()
    ordered = sorted(ages)

    def rank(share: float) -> float:
        return ordered[max(0, math.ceil(share * len(ordered)) - 1)]

    return Freshness(len(ordered), rank(0.5), rank(0.95), ordered[-1])


def evaluate(
    health: Health, fresh: Freshness, last_success: datetime | None, now: datetime
) -> Health:
    """One look, every 15 s."""
    if fresh.count == 0:
        return Health(Grade.HEALTHY)
    silent = last_success is None or (now - last_success).total_seconds() >= SILENT_SECONDS
    failing = fresh.too_old or silent
    match health.grade:
        case Grade.HEALTHY:
            if not fresh.old and not fresh.too_old:
                return Health(Grade.HEALTHY)
            steps = (Grade.DEGRADED, Grade.FAILING) if failing else (Grade.DEGRADED,)
            return Health(steps[-1], steps=steps)
        case Grade.DEGRADED:
            if failing:
                return Health(Grade.FAILING, steps=(Grade.FAILING,))
            calm = 0 if fresh.old else health.calm + 1
            if calm >= CALM_EVALUATIONS:
                return Health(Grade.HEALTHY, steps=(Grade.HEALTHY,))
            return Health(Grade.DEGRADED, calm)
        case Grade.FAILING:
            # What is fresh again without a recovery goes the same way, and must stay so twice.
            if failing:
                return Health(Grade.FAILING)
            return Health(Grade.DEGRADED, steps=(Grade.DEGRADED,))
        case Grade.RECOVERING:
            return _recovering(health, last_success, now)


def recovery_runs(health: Health, now: datetime) -> Health:
    """FAILING only: a recycle for its uptime, in good health, is no recovery."""
    if health.grade is not Grade.FAILING:
        return health
    return Health(Grade.RECOVERING, recovering_since=now, steps=(Grade.RECOVERING,))


def _recovering(health: Health, last_success: datetime | None, now: datetime) -> Health:
    since = health.recovering_since or now
    if last_success is not None and last_success > since:
        return Health(Grade.HEALTHY, steps=(Grade.HEALTHY,))
    if now - since < RECOVERY_TAKES:
        return replace(health, steps=())
    # Two minutes without a success are a silence: what the figures say then is FAILING.
    return Health(Grade.FAILING, steps=(Grade.FAILING,))
