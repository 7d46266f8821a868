"""Grades the freshness of live matches every 15 s, and summarises the state of all providers."""

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import structlog
from pymongo.database import Database

from footy_assets.matchday.rules.statuses import FixtureState
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.providers.rules.descriptors import ProvidersFile
from footy_assets.providers.rules.health import (
    ALL_PROVIDERS,
    EVALUATION_INTERVAL,
    Freshness,
    Grade,
    ProviderHealth,
    evaluate,
    freshness,
    start_recovery,
)
from footy_assets.providers.rules.leadership import NEVER_CHANGED, evaluate_lead
from footy_assets.providers.rules.match import MatchPhase, phase_of
from footy_assets.providers.rules.priority import Priority
from footy_assets.providers.rules.records import ProviderRecord
from footy_assets.providers.rules.recovery import RECOVERIES_SHOWN, RecoveryOutcome
from footy_assets.providers.store.leaderships import Leaderships
from footy_assets.providers.store.provider_state import FRESHNESS_EDGES, ProviderState, queue_gauge
from footy_assets.providers.store.records import ProviderRecords
from footy_assets.providers.store.snapshots import MergedSnapshots
from footy_assets.store.collections import Document

FAILURE_WINDOW = timedelta(minutes=5)
# L6: at which level a change to a grade is logged.
LEVELS = {
    Grade.HEALTHY: logging.INFO,
    Grade.DEGRADED: logging.WARNING,
    Grade.FAILING: logging.CRITICAL,
    Grade.RECOVERING: logging.INFO,
}
log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class HealthEvaluation:
    """`all` is the grade the user sees: a match is as fresh as its freshest provider."""

    grades: Mapping[str, ProviderHealth]
    freshness: Mapping[str, Freshness]

    @property
    def all(self) -> Grade:
        return self.grades[ALL_PROVIDERS].grade


class HealthMonitor:
    def __init__(
        self, database: Database[Document], descriptor: Callable[[], ProvidersFile]
    ) -> None:
        self._store = MatchdayStore(database)
        self._records = ProviderRecords(database)
        self._snapshots = MergedSnapshots(database)
        self._load_file = descriptor
        self._leaderships = Leaderships(database)
        self.state = ProviderState(database)

    def evaluate(self, now: datetime) -> HealthEvaluation:
        """Grades all providers together, and each one on its own."""
        file = self._load_file()
        enabled = file.enabled(self.state.switches())
        live = [record for record in self._live_records() if record.domain in enabled]
        if not file.only_lead:
            self._evaluate_leads(file, live, now)
        grades: dict[str, ProviderHealth] = {}
        ages: dict[str, Freshness] = {}
        for subject in (ALL_PROVIDERS, *enabled):
            mine = live if subject == ALL_PROVIDERS else _records_of(subject, live)
            ages[subject] = freshness(list(freshest_age_by_match(mine, now).values()))
            before, seen = self.state.grade(subject)
            after = evaluate(before, ages[subject], _last_success(mine), now)
            if self.state.save_grade(subject, seen, after, ages[subject], now, observed=True):
                _log_change(subject, before, after, ages[subject])
            grades[subject] = after
        self.state.delete_grades_except(list(grades))
        self.state.observe(
            "freshness", list(freshest_age_by_match(live, now).values()), FRESHNESS_EDGES
        )
        return HealthEvaluation(grades, ages)

    def _evaluate_leads(
        self, file: ProvidersFile, live: Iterable[ProviderRecord], now: datetime
    ) -> None:
        """L2: who leads each live match."""
        ages: dict[int, dict[str, float]] = defaultdict(dict)
        for record in live:
            if not record.never_covered:
                ages[record.match_id][record.domain] = record.age(now)
        known = self._leaderships.of(ages)
        changes = {}
        for match_id, of_match in ages.items():
            before = known.get(match_id, NEVER_CHANGED)
            after = evaluate_lead(before, file.lead, of_match, file.precedence(), now)
            changes[match_id] = (before, after)
            if before.leader(file.lead) != after.leader(file.lead):
                log.warning("lead_changed", match_id=match_id, leader=after.leader(file.lead))
        self._leaderships.save(changes)

    def evaluate_if_due(self, now: datetime) -> HealthEvaluation | None:
        """Evaluates if 15 s have passed since any process last did."""
        _, seen = self.state.grade()
        last = seen.get("evaluated_at")
        if last is not None and timedelta(0) <= now - last < EVALUATION_INTERVAL:
            return None
        return self.evaluate(now)

    def state_of_checks(self) -> str:
        """What the checks of `live_events` report; they are due again when it changes."""
        health, _ = self.state.grade()
        return f"{health.grade}, {len(self._records.unsure_mappings())} unsure mapping(s)"

    def _last_discovery(self, name: str, lead: str) -> datetime | None:
        """L5: the lead's is that of the last ingest, whichever provider it is."""
        ingested = self._store.journal.last_ingest_at() if name == lead else None
        return self.state.last_discovery(name) or ingested

    def _live_records(self) -> list[ProviderRecord]:
        """The records of live matches that are still polled; a closed match does not age."""
        active = {f.id: f for f in self._store.unfinished() if f.state is FixtureState.ACTIVE}
        if not self._load_file().only_lead:
            return [record for record in self._records.live() if record.match_id in active]
        lead = self._load_file().lead
        answers = self.state.last_answers(lead)
        in_play = [f for f in active.values() if phase_of(f.status) is MatchPhase.LIVE]
        return [answers.record(fixture.id, lead, fixture.kickoff) for fixture in in_play]

    def recovery_started(self, domains: Iterable[str], now: datetime) -> None:
        for subject in (ALL_PROVIDERS, *domains):
            health, seen = self.state.grade(subject)
            after = start_recovery(health, now)
            if after != health:
                fresh = Freshness(**seen.get("freshness", {}))
                if self.state.save_grade(subject, seen, after, fresh, now):
                    _log_change(subject, health, after, fresh)

    def summary(self, now: datetime) -> dict[str, Any]:
        """The state of all providers now."""
        content = self._load_file()
        switches = self.state.switches()
        live = self._live_records()
        records = live if content.only_lead else self._records.all()
        _, seen = self.state.grade()
        gauges = self.state.figures().get("gauges", {})
        fresh = freshness(list(freshest_age_by_match(live, now).values()))
        recoveries = self.state.recoveries(RECOVERIES_SHOWN)
        return {
            "grade": seen.get("grade", str(Grade.HEALTHY)),
            "evaluated_at": seen.get("evaluated_at"),
            "freshness": {
                "median": fresh.median,
                "p50": fresh.median,
                "p95": fresh.p95,
                "p99": fresh.p99,
                "max": fresh.max,
                "sum": fresh.sum,
                "count": fresh.count,
            },
            "running": self.state.running(),
            "queue_depth": {
                priority.label: int(gauges.get(queue_gauge(priority), 0)) for priority in Priority
            },
            "active": len({record.match_id for record in live}),
            "failure_ratio": failure_ratio(records, now),
            "paused": sorted(
                f"{record.domain}:{record.match_id}" for record in records if record.paused
            ),
            "last_success": _last_success(records),
            "sources": {
                name: {
                    "enabled": switches.get(name, descriptor.enabled),
                    "lead": name == content.lead,
                    "adapter": descriptor.adapter,
                    "precedence": descriptor.precedence,
                    "grade": self.state.grade(name)[1].get("grade", str(Grade.HEALTHY)),
                    "last_success": _last_success([r for r in records if r.domain == name]),
                    "last_discovery": self._last_discovery(name, content.lead),
                }
                for name, descriptor in content.providers.items()
            },
            "led_by_others": {str(id_): name for id_, name in self._leaderships.acting().items()},
            "conflicts": len(self._snapshots.conflicts()),
            "unsure_mappings": len(self._records.unsure_mappings()),
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
            "recovering": any(entry.outcome is RecoveryOutcome.UNDER_WAY for entry in recoveries),
        }


def freshest_age_by_match(records: list[ProviderRecord], now: datetime) -> dict[int, float]:
    """The age of each match: that of its freshest provider."""
    ages: dict[int, float] = defaultdict(lambda: float("inf"))
    for record in records:
        ages[record.match_id] = min(ages[record.match_id], record.age(now))
    return dict(ages)


def _log_change(
    subject: str, before: ProviderHealth, after: ProviderHealth, fresh: Freshness
) -> None:
    """L6: one line for each change, by the process that stored it."""
    if after.grade is not before.grade:
        log.log(
            LEVELS[after.grade],
            "provider_grade_changed",
            provider=subject,
            before=str(before.grade),
            grade=str(after.grade),
            live=fresh.count,
            p95_seconds=round(fresh.p95, 1),
            max_seconds=round(fresh.max, 1),
        )


def failure_ratio(records: list[ProviderRecord], now: datetime) -> float:
    """The share of records whose last attempt failed, among those of the last five minutes."""
    recent = [
        r
        for r in records
        if _last_attempt(r) is not None and now - _attempted_at(r) <= FAILURE_WINDOW
    ]
    if not recent:
        return 0.0
    failed = sum(r.life.failures > 0 for r in recent)
    return round(failed / len(recent), 4)


def _records_of(domain: str, records: list[ProviderRecord]) -> list[ProviderRecord]:
    """The provider's records, without the matches it does not cover."""
    return [one for one in records if one.domain == domain and not one.never_covered]


def _last_attempt(record: ProviderRecord) -> datetime | None:
    return max(filter(None, (record.last_success, record.last_failure)), default=None)


def _attempted_at(record: ProviderRecord) -> datetime:
    return _last_attempt(record) or record.created


def _last_success(records: list[ProviderRecord]) -> datetime | None:
    return max(filter(None, (record.last_success for record in records)), default=None)
