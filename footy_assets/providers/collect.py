"""Polls the providers besides the main one, the most urgent matches first, and stores what they
report in MongoDB, where the live poll reads it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from random import random

import structlog

from footy_assets.clock import Clock
from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.providers.requests import BatchResult, ProviderRequests
from footy_assets.providers.rules.adapter import Adapter, ProviderMatch
from footy_assets.providers.rules.confidence import record_answer
from footy_assets.providers.rules.descriptors import Descriptor, ProvidersFile
from footy_assets.providers.rules.identify import (
    ListedMatch,
    Mapped,
    UnsureMapping,
    identify_all,
)
from footy_assets.providers.rules.lifecycle import (
    DEFAULT_LIFECYCLE,
    LifecycleLimits,
    as_time_passes,
)
from footy_assets.providers.rules.listed_match import to_listed
from footy_assets.providers.rules.match import Report, phase_of
from footy_assets.providers.rules.not_found import NotFoundCache
from footy_assets.providers.rules.priority import Priority, is_due, priority_of
from footy_assets.providers.rules.records import ProviderRecord, records_elsewhere
from footy_assets.providers.rules.schedule import RequestBatch, RequestPlan, Wanted, batches
from footy_assets.providers.store.provider_state import SCRAPE_EDGES, ProviderState, queue_gauge
from footy_assets.providers.store.records import ProviderRecords, with_priority

MATCHES_PER_REQUEST = 1_000
PAUSE_AFTER_RATE_LIMIT = timedelta(seconds=60)
# How long a round waits for the requests it has started; a later round collects the slower ones.
WAIT_SECONDS = 1.0
log = structlog.get_logger()


@dataclass(slots=True)
class Round:
    """The results that one round collected, and its plan for what is due."""

    results: list[BatchResult] = field(default_factory=list)
    plan: RequestPlan | None = None
    reports: list[Report] = field(default_factory=list)


class Collector:
    """`adapters` are by domain; `load_file` returns the current `sources.yaml`."""

    def __init__(
        self,
        store: MatchdayStore,
        adapters: Mapping[str, Adapter],
        clock: Clock,
        load_file: Callable[[], ProvidersFile],
        jitter: Callable[[], float] = random,
        wait_seconds: float = WAIT_SECONDS,
        limits: LifecycleLimits = DEFAULT_LIFECYCLE,
    ) -> None:
        self._store, self.adapters, self._clock = store, adapters, clock
        self._load_file, self._limits = load_file, limits
        self._requests = ProviderRequests(adapters, clock, jitter, wait_seconds)
        self._queue_depth: dict[str, float] = {}
        self._running: dict[str, dict[str, int]] | None = None
        self._records = ProviderRecords(store.database)
        self.state = ProviderState(store.database)
        self._not_found = NotFoundCache()
        self._last_requested: dict[tuple[str, int], datetime] = {}

    def stop(self) -> None:
        """Starts no further retry. Call it before closing the adapters."""
        self._requests.stop()
        self.state.set_running({})

    def round(self) -> Round:
        """Starts the requests that are due and allowed now; processes those that have ended."""
        file, now = self._load_file(), self._clock.now()
        enabled = {
            name: descriptor
            for name, descriptor in file.enabled(self.state.switches()).items()
            if name in self.adapters
        }
        matches = {fixture.id: fixture for fixture in self._matches(now)}
        records = self._records.of(list(matches))
        wanted = self._wanted(enabled, matches, records, now)
        live = frozenset(one.domain for one in wanted if one.priority is Priority.LIVE)
        due = [one for one in wanted if self._is_due(one, now)]
        self._last_requested = {
            key: at for key, at in self._last_requested.items() if key[1] in matches
        }
        limits = {name: descriptor.limits.as_limits() for name, descriptor in enabled.items()}
        sizes = dict.fromkeys(enabled, MATCHES_PER_REQUEST)
        plan = self._requests.plan(batches(due, sizes), limits, live, now)
        for batch in plan.start:
            for one in batch.wanted:
                self._last_requested[batch.domain, one.match_id] = now
            self._requests.start(batch, self._as_theirs(batch, matches))
        self._record_running()
        done = Round(self._requests.collect_finished(), plan)
        self._record_running()
        for result in done.results:
            done.reports += self._process(result, enabled, matches, records, file)
        self._record_queue_depth(plan)
        return done

    # -- what is due ----------------------------------------------------------------------

    def _matches(self, now: datetime) -> list[Fixture]:
        """Unfinished matches, and the finished ones of today and yesterday."""
        days = (now.date(), now.date() - timedelta(days=1))
        recent = [fixture for day in days for fixture in self._store.fixtures_of(day)]
        return [*self._store.unfinished(), *recent]

    def _wanted(
        self,
        enabled: Mapping[str, Descriptor],
        matches: Mapping[int, Fixture],
        records: Mapping[tuple[int, str], ProviderRecord],
        now: datetime,
    ) -> list[Wanted]:
        wanted = []
        in_flight = self._requests.in_flight()
        for id_, fixture in matches.items():
            priority = priority_of(phase_of(fixture.status), fixture.kickoff, now)
            if priority is None:
                continue
            for domain in enabled:
                if (domain, id_) in in_flight:
                    continue
                record = records.get((id_, domain))
                life = as_time_passes(record.life, now, self._limits) if record else None
                if life is not None and not life.may_be_polled(now):
                    continue
                if not self._not_found.contains(domain, id_, now):
                    last_success = record.last_success if record else None
                    wanted.append(Wanted(id_, domain, priority, last_success))
        return wanted

    def _is_due(self, one: Wanted, now: datetime) -> bool:
        return is_due(one.priority, self._last_requested.get((one.domain, one.match_id)), now)

    def _as_theirs(self, batch: RequestBatch, matches: Mapping[int, Fixture]) -> list[ListedMatch]:
        """The wanted matches, with the provider's own ids where they are known."""
        ids = [one.match_id for one in batch.wanted]
        known = self._records.mapped_ids(batch.domain, ids)
        return [replace(to_listed(matches[id_]), id=known.get(id_, "")) for id_ in ids]

    # -- results --------------------------------------------------------------------------

    def _process(
        self,
        result: BatchResult,
        enabled: Mapping[str, Descriptor],
        matches: Mapping[int, Fixture],
        records: Mapping[tuple[int, str], ProviderRecord],
        file: ProvidersFile,
    ) -> list[Report]:
        domain, now = result.batch.domain, self._clock.now()
        if domain not in enabled:
            # Switched off while the request was under way.
            return []
        if result.limited:
            # A3: deferred, not failed: a rate limit says nothing about the matches.
            self._requests.pause(domain, now + PAUSE_AFTER_RATE_LIMIT)
        for failure in result.answer.failures if result.answer is not None else ():
            log.warning("part_failed", domain=domain, reason=str(failure))
        answers = self._identify_matches(result, matches, file, now)
        confidence, precedence = enabled[domain].confidence, file.precedence()
        reports, changes = [], []
        for one in result.batch.wanted:
            before = records.get((one.match_id, domain))
            record = before or ProviderRecord(one.match_id, domain, now)
            answer = answers.get(one.match_id)
            if answer is not None:
                report = answer.to_report(one.match_id, domain, now, confidence)
                reports.append(report)
                others = records_elsewhere(records, record, precedence)
                after = record_answer(record, report.match, others, precedence, now, self._limits)
            elif result.answer is not None and not result.answer.failures:
                # The answer does not contain this match.
                self._not_found.add(domain, one.match_id, now)
                after = record.mark_not_covered()
            elif result.limited or (result.answer is not None and record.never_covered):
                after = record
            else:
                after = record.failed(now, self._limits)
            changes.append((before, with_priority(after, one.priority)))
        self._records.store_reports(reports)
        self._records.save(changes)
        self._record_metrics(result, len(reports))
        return reports

    def _identify_matches(
        self,
        result: BatchResult,
        matches: Mapping[int, Fixture],
        file: ProvidersFile,
        now: datetime,
    ) -> dict[int, ProviderMatch]:
        """A4: the answers by our match id. A sure mapping is kept; an unsure one is reported."""
        if result.answer is None:
            return {}
        domain = result.batch.domain
        mappings = self._records.mappings(domain)
        found: dict[int, ProviderMatch] = {}
        unknown: list[ProviderMatch] = []
        for theirs in result.answer.matches:
            match_id = mappings.get(theirs.listed.id)
            if match_id is None:
                unknown.append(theirs)
            else:
                found[match_id] = theirs
        if not unknown:
            return found
        # One to one: what another match of this answer is mapped to is taken.
        ours = [to_listed(fixture) for id_, fixture in matches.items() if id_ not in found]
        identified = identify_all([theirs.listed for theirs in unknown], ours, file.aliases)
        for theirs, mapping in zip(unknown, identified, strict=True):
            match mapping:
                case Mapped(our_id):
                    self._records.save_mapping(domain, theirs.listed.id, int(our_id), now)
                    found[int(our_id)] = theirs
                case UnsureMapping() as unsure:
                    self._records.save_unsure_mapping(domain, unsure, now)
        return found

    # -- metrics --------------------------------------------------------------------------

    def _record_metrics(self, result: BatchResult, reported: int) -> None:
        domain, failed = result.batch.domain, result.answer is None
        self.state.increment(
            **{
                f"scrapes:{domain}:success": reported,
                f"scrapes:{domain}:failure": len(result.batch.wanted) if failed else 0,
                f"navigation_failures:{domain}": int(failed),
            }
        )
        self.state.observe(f"scrape:{domain}", [result.seconds], SCRAPE_EDGES)
        if result.reason:
            log.warning("provider_failed", domain=domain, reason=result.reason)

    def _record_running(self) -> None:
        """The first time also replaces what a process that was killed has left."""
        running = self._requests.running()
        if running != self._running:
            self._running = running
            self.state.set_running(running)

    def _record_queue_depth(self, plan: RequestPlan) -> None:
        depth = {queue_gauge(priority): 0.0 for priority in Priority}
        for deferred in plan.deferred:
            depth[queue_gauge(deferred.batch.priority)] += len(deferred.batch.wanted)
        if depth != self._queue_depth:
            self._queue_depth = depth
            self.state.set_gauges(**depth)
