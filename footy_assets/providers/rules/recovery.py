"""Which recovery is needed, and its outcome."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from footy_assets.providers.rules.health import RECOVERY_TIMEOUT, Grade

RECOVERIES_KEPT = 100
RECOVERIES_SHOWN = 10


class Action(StrEnum):
    BROWSER_RECYCLE = "browser_recycle"
    SOFT_RESTART = "soft_restart"
    MANUAL = "manual"
    CONTEXT_POOL_RESET = "context_pool_reset"


class RecoveryOutcome(StrEnum):
    UNDER_WAY = "under_way"
    SUCCESS = "success"
    PARTIAL = "partial"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class BrowserFigures:
    uptime: timedelta = timedelta(0)
    tasks: int = 0
    processes: int = 0
    megabytes: float = 0.0
    contexts: int = 0
    pages: int = 0


@dataclass(frozen=True, slots=True)
class BrowserLimits:
    """L6: at any of these the browser is recycled, at `pages` its further pages are closed."""

    uptime: timedelta = timedelta(hours=6)
    tasks: int = 2_000
    processes: int = 40
    megabytes: float = 1_500.0
    pages: int = 8


@dataclass(frozen=True, slots=True)
class Need:
    """A recovery action, and the condition that requires it."""

    action: Action
    reason: str
    condition: str


@dataclass(frozen=True, slots=True)
class RecoveryEntry:
    """`subject` is the recovered provider; None for all of them."""

    id: str
    at: datetime
    action: Action
    condition: str
    outcome: RecoveryOutcome = RecoveryOutcome.UNDER_WAY
    seconds: float | None = None
    before: Mapping[str, Any] = field(default_factory=dict)
    after: Mapping[str, Any] = field(default_factory=dict)
    subject: str | None = None


def browser_need(figures: BrowserFigures, limits: BrowserLimits) -> Need | None:
    """Too many pages reset the contexts; every other limit recycles the browser."""
    recycle, reset = Action.BROWSER_RECYCLE, Action.CONTEXT_POOL_RESET
    table = (
        ("uptime", figures.uptime >= limits.uptime, recycle, f"up for {figures.uptime}"),
        ("tasks", figures.tasks >= limits.tasks, recycle, f"{figures.tasks} tasks"),
        (
            "processes",
            figures.processes >= limits.processes,
            recycle,
            f"{figures.processes} processes",
        ),
        (
            "memory",
            figures.megabytes >= limits.megabytes,
            recycle,
            f"{figures.megabytes:.0f} MB",
        ),
        ("pages", figures.pages >= limits.pages, reset, f"{figures.pages} pages"),
    )
    for reason, over, action, condition in table:
        if over:
            return Need(action, reason, condition)
    return None


def watchdog_need(grade: Grade, last_restart: datetime | None, now: datetime) -> Need | None:
    """Restarts a failing provider, at most once per recovery timeout."""
    if grade is not Grade.FAILING:
        return None
    if last_restart is not None and now - last_restart < RECOVERY_TIMEOUT:
        return None
    return Need(Action.SOFT_RESTART, "watchdog", f"grade {grade}")


def outcome_of(grade: Grade, took: timedelta) -> RecoveryOutcome | None:
    """Success: HEALTHY within 120 s; then DEGRADED is partial, FAILING failed. None: too early."""
    if grade is Grade.HEALTHY and took <= RECOVERY_TIMEOUT:
        return RecoveryOutcome.SUCCESS
    if took < RECOVERY_TIMEOUT:
        return None
    return (
        RecoveryOutcome.PARTIAL
        if grade in (Grade.DEGRADED, Grade.HEALTHY)
        else RecoveryOutcome.FAILED
    )
