"""The pulse: grades every 15 s, and a summary of everything for whoever asks."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from pymongo.database import Database

from footy_assets.matchday.statuses import FixtureState
from footy_assets.sources.descriptors import MAIN, SourcesFile
from footy_assets.sources.health import (
    EVALUATED_EVERY,
    EVERYTHING,
    Freshness,
    Grade,
    Health,
    evaluate,
    freshness,
    recovery_runs,
)
from footy_assets.sources.match import MatchStatus, status_of
from footy_assets.sources.records import SourceRecord
from footy_assets.sources.recovery import SHOWN, Outcome
from footy_assets.store.collections import Document
from footy_assets.store.matchdays import MatchdayStore
from footy_assets.store.source_records import SourceRecords
from footy_assets.store.source_snapshots import SourceSnapshots
from footy_assets.store.source_state import FRESHNESS_EDGES, SourceState

FAILURE_WINDOW = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Graded:
    """`all` is how the user fares: a match is as fresh as its freshest provider."""

    grades: Mapping[str, Health]
    freshness: Mapping[str, Freshness]

    @property
    def all(self) -> Grade:
        return self.grades[EVERYTHING].grade


class Pulse:
    def __init__(self, database: Database[Document], described: Callable[[], SourcesFile]) -> None:
        self._store = MatchdayStore(database)
        self._records = SourceRecords(database)
        self._snapshots = SourceSnapshots(database)
        self._described = described
        self.state = SourceState(database)

    def look(self, now: datetime) -> Graded:
        """One evaluation of everything together and of each provider alone."""
        enabled = self._described().enabled(self.state.switches())
        live = [record for record in self._watched() if record.domain in enabled]
        grades: dict[str, Health] = {}
        ages: dict[str, Freshness] = {}
        for subject in (EVERYTHING, *enabled):
            mine = live if subject == EVERYTHING else _told_by(subject, live)
            ages[subject] = freshness(list(youngest(mine, now).values()))
            before, seen = self.state.grade(subject)
            after = evaluate(before, ages[subject], _last_success(mine), now)
            self.state.graded(subject, seen, after, ages[subject], now)
            grades[subject] = after
        self.state.forget_grades(but=list(grades))
        self.state.observe("freshness", list(youngest(live, now).values()), FRESHNESS_EDGES)
        return Graded(grades, ages)

    def look_if_due(self, now: datetime) -> Graded | None:
        """However many processes ask, every 15 s one of them looks."""
        _, seen = self.state.grade()
        last = seen.get("evaluated_at")
        if last is not None and timedelta(0) <= now - last < EVALUATED_EVERY:
            return None
        return self.look(now)

    def _watched(self) -> list[SourceRecord]:
        """Of matches in play that are still ours to watch; one that was closed ages no more."""
        watched = {f.id: f for f in self._store.unfinished() if f.state is FixtureState.ACTIVE}
        if not self._described().alone:
            return [record for record in self._records.live() if record.match_id in watched]
        heard = self.state.heard(MAIN)
        in_play = [f for f in watched.values() if status_of(f.status) is MatchStatus.LIVE]
        return [heard.record(fixture.id, MAIN, fixture.kickoff) for fixture in in_play]

    def recovery_started(self, domains: Iterable[str], now: datetime) -> None:
        for subject in (EVERYTHING, *domains):
            health, seen = self.state.grade(subject)
            after = recovery_runs(health, now)
            if after != health:
                fresh = Freshness(**seen.get("freshness", {}))
                self.state.graded(subject, seen, after, fresh, now)

    def summary(self, now: datetime) -> dict[str, Any]:
        """Everything that `/status` and `footy health` show."""
        content = self._described()
        switches = self.state.switches()
        live = self._watched()
        records = live if content.alone else self._records.all()
        _, seen = self.state.grade()
        gauges = self.state.figures().get("gauges", {})
        fresh = freshness(list(youngest(live, now).values()))
        recoveries = self.state.recoveries(SHOWN)
        return {
            "grade": seen.get("grade", str(Grade.HEALTHY)),
            "evaluated_at": seen.get("evaluated_at"),
            "freshness": {
                "median": fresh.median,
                "p95": fresh.p95,
                "max": fresh.max,
                "count": fresh.count,
            },
            "queue_depth": {
                name: int(gauges.get(f"queue_{name}", 0))
                for name in ("live", "imminent", "completed")
            },
            "active": len({record.match_id for record in live}),
            "failure_ratio": failure_ratio(records, now),
            "paused": sorted(
                f"{record.domain}:{record.match_id}" for record in records if record.paused
            ),
            "last_success": _last_success(records),
            "sources": {
                name: {
                    "enabled": switches.get(name, described.enabled),
                    "adapter": described.adapter,
                    "precedence": described.precedence,
                    "grade": self.state.grade(name)[1].get("grade", str(Grade.HEALTHY)),
                    "last_success": _last_success([r for r in records if r.domain == name]),
                }
                for name, described in content.sources.items()
            },
            "conflicts": len(self._snapshots.conflicts()),
            "unsure_mappings": len(self._records.doubts()),
            "audit": [
                {
                    "id": entry.id,
                    "at": entry.at,
                    "action": str(entry.action),
                    "condition": entry.condition,
                    "subject": entry.subject,
                    "outcome": str(entry.outcome),
                    "seconds": entry.seconds,
                    "before": dict(entry.before),
                    "after": dict(entry.after),
                }
                for entry in recoveries
            ],
            "recovering": any(entry.outcome is Outcome.UNDER_WAY for entry in recoveries),
        }


def youngest(records: list[SourceRecord], now: datetime) -> dict[int, float]:
    """Each match's age: that of its freshest provider."""
    ages: dict[int, float] = defaultdict(lambda: float("inf"))
    for record in records:
        ages[record.match_id] = min(ages[record.match_id], record.age(now))
    return dict(ages)


def failure_ratio(records: list[SourceRecord], now: datetime) -> float:
    """The share of records that last failed, among those heard of or failed in five minutes."""
    recent = [r for r in records if _last_try(r) is not None and now - _tried(r) <= FAILURE_WINDOW]
    if not recent:
        return 0.0
    failed = sum(r.life.failures > 0 for r in recent)
    return round(failed / len(recent), 4)


def _told_by(domain: str, records: list[SourceRecord]) -> list[SourceRecord]:
    """A match that a provider does not cover says nothing about how the provider is."""
    return [one for one in records if one.domain == domain and not one.never_known]


def _last_try(record: SourceRecord) -> datetime | None:
    return max(filter(None, (record.last_success, record.last_failure)), default=None)


def _tried(record: SourceRecord) -> datetime:
    return _last_try(record) or record.created


def _last_success(records: list[SourceRecord]) -> datetime | None:
    return max(filter(None, (record.last_success for record in records)), default=None)
