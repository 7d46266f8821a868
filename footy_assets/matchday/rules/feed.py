"""The interface that every provider of fixtures implements."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Protocol

from footy_assets.matchday.rules.pace import Quota
from footy_assets.matchday.rules.sighting import FixtureSighting


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A part of an answer that could not be parsed; the rest was."""

    subject: str
    reason: str


@dataclass(frozen=True, slots=True)
class Failure:
    """A request that failed after all retries; `fixture_ids` got no answer."""

    subject: str
    reason: str
    fixture_ids: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"{self.subject}: {self.reason}"


@dataclass(slots=True)
class Answer:
    """`skipped` are fixtures that were not requested, because the plan allows few requests and
    there was nothing to learn of them. `warnings` are sentences for the operator."""

    sightings: dict[int, FixtureSighting] = field(default_factory=dict)
    unreadable: list[Unreadable] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    calls: int = 0
    quota: Quota | None = None
    skipped: set[int] = field(default_factory=set)
    warnings: list[str] = field(default_factory=list)

    def merge(self, other: "Answer") -> None:
        self.sightings |= other.sightings
        self.unreadable += other.unreadable
        self.failures += other.failures
        self.skipped |= other.skipped
        self.warnings += other.warnings
        self.calls += other.calls
        self.quota = other.quota or self.quota


@dataclass(frozen=True, slots=True)
class SeasonSpan:
    year: int
    start: date
    end: date


class Feed(Protocol):
    @property
    def lists_only_tracked(self) -> bool:
        """Whether `by_date` lists the tracked competitions only, so that all of it is kept."""
        ...

    def by_ids(self, ids: Sequence[int], within: float | None = None) -> Answer:
        """Fixtures with their events; a request without an answer `within` seconds is a failure."""
        ...

    def by_date(self, day: date) -> Answer:
        """All fixtures of a day, without their events."""
        ...

    def days_with_matches(self, first: date, last: date) -> Collection[date] | None:
        """None if only a request for each day could tell."""
        ...

    def team_ids(self, league_id: int, season: int) -> list[int]: ...

    def seasons(self, league_id: int) -> list[SeasonSpan]: ...
