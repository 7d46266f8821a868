"""R1: what we know of one match at one provider."""

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from footy_assets.sources.lifecycle import Life, MatchLife, after_failure, after_success
from footy_assets.sources.priority import Priority


@dataclass(frozen=True, slots=True)
class SourceRecord:
    match_id: int
    domain: str
    created: datetime
    priority: Priority | None = None
    life: MatchLife = field(default_factory=MatchLife)
    last_success: datetime | None = None
    last_failure: datetime | None = None
    successes: int = 0
    failures: int = 0
    # The match's own clock at this provider, and when it last moved.
    clock: tuple[str, int, int] | None = None
    clock_moved_at: datetime | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def never_known(self) -> bool:
        """The provider answers, and has not told of this match once: it does not cover it."""
        return self.last_success is None and bool(self.metadata.get("not_known"))

    @property
    def paused(self) -> bool:
        return self.life.state is Life.PAUSED

    def age(self, now: datetime) -> float:
        """Freshness in seconds: computed, never stored. Never heard of: since we follow it."""
        return max(0.0, (now - (self.last_success or self.created)).total_seconds())

    def succeeded(self, over: bool, now: datetime) -> "SourceRecord":
        return replace(
            self,
            life=after_success(self.life, over, now),
            last_success=now,
            successes=self.successes + 1,
        )

    def failed(self, now: datetime) -> "SourceRecord":
        return replace(
            self,
            life=after_failure(self.life, now),
            last_failure=now,
            failures=self.failures + 1,
        )

    def not_known(self) -> "SourceRecord":
        """It answered, without this match."""
        return replace(self, metadata={**self.metadata, "not_known": True})


@dataclass(frozen=True, slots=True)
class LastHeard:
    """Of a provider that is alone: when each match was last told of, in the one document that a
    poll writes. Nobody is laid beside it, so no more is kept (R1)."""

    polled_at: datetime | None = None
    matches: Mapping[int, datetime] = field(default_factory=dict)

    def after(self, asked: Iterable[int], heard: Container[int], now: datetime) -> "LastHeard":
        told = {id_: now if id_ in heard else self.matches.get(id_) for id_ in asked}
        return LastHeard(now, {id_: at for id_, at in told.items() if at is not None})

    def record(self, match_id: int, domain: str, start: datetime) -> SourceRecord:
        """A match in play, as if it had a record of its own."""
        at = self.matches.get(match_id)
        missed = at is None or at != self.polled_at
        return SourceRecord(
            match_id,
            domain,
            created=start,
            priority=Priority.LIVE,
            life=MatchLife(Life.ACTIVE, failures=int(missed)),
            last_success=at,
            last_failure=self.polled_at if missed else None,
        )


def beside_of(
    records: Mapping[tuple[int, str], SourceRecord], one: SourceRecord, domains: Iterable[str]
) -> list[SourceRecord]:
    """The same match at the other providers."""
    keys = [(one.match_id, domain) for domain in domains if domain != one.domain]
    return [records[key] for key in keys if key in records]
