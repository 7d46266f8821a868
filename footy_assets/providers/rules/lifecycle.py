"""The lifecycle of a match at one provider: discovered, active, paused, completed, archived."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

COOLDOWN = timedelta(seconds=300)


@dataclass(frozen=True, slots=True)
class LifecycleLimits:
    """L6: failures in a row that pause a match, and how long after its end it is archived."""

    paused_after: int = 5
    archived_after: timedelta = timedelta(hours=24)


DEFAULT_LIFECYCLE = LifecycleLimits()


class Life(StrEnum):
    DISCOVERED = "discovered"
    ACTIVE = "active"
    PAUSED = "paused"
    COMPLETED = "completed"
    ARCHIVED = "archived"


@dataclass(frozen=True, slots=True)
class MatchLife:
    state: Life = Life.DISCOVERED
    failures: int = 0
    pause_until: datetime | None = None
    completed_at: datetime | None = None

    def may_be_polled(self, now: datetime) -> bool:
        """Not while paused, and not once archived."""
        if self.state is Life.ARCHIVED:
            return False
        return self.pause_until is None or now >= self.pause_until


def after_success(life: MatchLife, over: bool, now: datetime) -> MatchLife:
    """`over`: the match is finished or abandoned; a break is not."""
    if life.state in (Life.COMPLETED, Life.ARCHIVED):
        return replace(life, failures=0)
    if over:
        return MatchLife(Life.COMPLETED, completed_at=now)
    if life.state is Life.PAUSED and not life.may_be_polled(now):
        return life
    return MatchLife(Life.ACTIVE)


def after_failure(
    life: MatchLife, now: datetime, limits: LifecycleLimits = DEFAULT_LIFECYCLE
) -> MatchLife:
    failed = replace(life, failures=life.failures + 1)
    if life.state is Life.PAUSED:
        # The attempt after the cooldown failed, too: pause again.
        again = life.may_be_polled(now)
        return replace(failed, pause_until=now + COOLDOWN) if again else failed
    if life.state in (Life.DISCOVERED, Life.ACTIVE) and failed.failures >= limits.paused_after:
        return replace(failed, state=Life.PAUSED, pause_until=now + COOLDOWN)
    return failed


def as_time_passes(
    life: MatchLife, now: datetime, limits: LifecycleLimits = DEFAULT_LIFECYCLE
) -> MatchLife:
    if life.state is not Life.COMPLETED or life.completed_at is None:
        return life
    over = now >= life.completed_at + limits.archived_after
    return replace(life, state=Life.ARCHIVED) if over else life
