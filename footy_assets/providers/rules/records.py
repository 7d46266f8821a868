"""R1: the state of one match at one provider."""

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from footy_assets.providers.rules.lifecycle import (
    DEFAULT_LIFECYCLE,
    Life,
    LifecycleLimits,
    MatchLife,
    after_failure,
    after_success,
)
from footy_assets.providers.rules.priority import Priority


@dataclass(frozen=True, slots=True)
class ProviderRecord:
    match_id: int
    domain: str
    created: datetime
    priority: Priority | None = None
    life: MatchLife = field(default_factory=MatchLife)
    last_success: datetime | None = None
    last_failure: datetime | None = None
    successes: int = 0
    failures: int = 0
    # The match clock at this provider (status, minute, stoppage), and when it last moved.
    clock: tuple[str, int, int] | None = None
    clock_moved_at: datetime | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def never_covered(self) -> bool:
        """The provider answers, but has never reported this match: it does not cover it."""
        return self.last_success is None and bool(self.metadata.get("not_known"))

    @property
    def paused(self) -> bool:
        return self.life.state is Life.PAUSED

    def age(self, now: datetime) -> float:
        """Seconds since the last success, or since the record was created."""
        return max(0.0, (now - (self.last_success or self.created)).total_seconds())

    def succeeded(self, over: bool, now: datetime) -> "ProviderRecord":
        return replace(
            self,
            life=after_success(self.life, over, now),
            last_success=now,
            successes=self.successes + 1,
        )

    def failed(
        self, now: datetime, limits: LifecycleLimits = DEFAULT_LIFECYCLE
    ) -> "ProviderRecord":
        return replace(
            self,
            life=after_failure(self.life, now, limits),
            last_failure=now,
            failures=self.failures + 1,
        )

    def mark_not_covered(self) -> "ProviderRecord":
        """The provider answered without this match."""
        return replace(self, metadata={**self.metadata, "not_known": True})


@dataclass(frozen=True, slots=True)
class LastAnswers:
    """When the main provider last reported each match. With no other provider this replaces the
    records (R1): one document a poll instead of one a match."""

    polled_at: datetime | None = None
    matches: Mapping[int, datetime] = field(default_factory=dict)

    def after(
        self, requested: Iterable[int], answered: Container[int], now: datetime
    ) -> "LastAnswers":
        last = {id_: now if id_ in answered else self.matches.get(id_) for id_ in requested}
        return LastAnswers(now, {id_: at for id_, at in last.items() if at is not None})

    def record(self, match_id: int, domain: str, start: datetime) -> ProviderRecord:
        """The record of a live match, derived from its last answer."""
        at = self.matches.get(match_id)
        missed = at is None or at != self.polled_at
        return ProviderRecord(
            match_id,
            domain,
            created=start,
            priority=Priority.LIVE,
            life=MatchLife(Life.ACTIVE, failures=int(missed)),
            last_success=at,
            last_failure=self.polled_at if missed else None,
        )


def records_elsewhere(
    records: Mapping[tuple[int, str], ProviderRecord], one: ProviderRecord, domains: Iterable[str]
) -> list[ProviderRecord]:
    """The records of the same match at the other providers."""
    keys = [(one.match_id, domain) for domain in domains if domain != one.domain]
    return [records[key] for key in keys if key in records]
