"""The life of a match at one provider: found, followed, paused for its failures, over, archived."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

PAUSED_AFTER = 5
COOLDOWN = timedelta(seconds=300)
ARCHIVED_AFTER = timedelta(hours=24)


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

    def may_be_asked(self, now: datetime) -> bool:
        """A paused one waits for its cooldown; an archived one is asked no more."""
        if self.state is Life.ARCHIVED:
            return False
        return self.pause_until is None or now >= self.pause_until


def after_success(life: MatchLife, over: bool, now: datetime) -> MatchLife:
    """`over`: the answer said finished or abandoned; a break is not."""
    if life.state in (Life.COMPLETED, Life.ARCHIVED):
        return replace(life, failures=0)
    if over:
        return MatchLife(Life.COMPLETED, completed_at=now)
    if life.state is Life.PAUSED and not life.may_be_asked(now):
        return life
    return MatchLife(Life.ACTIVE)


def after_failure(life: MatchLife, now: datetime) -> MatchLife:
    failed = replace(life, failures=life.failures + 1)
    if life.state is Life.PAUSED:
        # The look after a cooldown failed, too: another one.
        again = life.may_be_asked(now)
        return replace(failed, pause_until=now + COOLDOWN) if again else failed
    if life.state in (Life.DISCOVERED, Life.ACTIVE) and failed.failures >= PAUSED_AFTER:
        return replace(failed, state=Life.PAUSED, pause_until=now + COOLDOWN)
    return failed


def as_time_passes(life: MatchLife, now: datetime) -> MatchLife:
    if life.state is not Life.COMPLETED or life.completed_at is None:
        return life
    over = now >= life.completed_at + ARCHIVED_AFTER
    return replace(life, state=Life.ARCHIVED) if over else life
