"""Asking the providers beside the main one: in order of urgency, within their limits, again if need
be. What they say goes to MongoDB, where the live poll finds it. A slow one holds nobody up."""

from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import random
from threading import Event, Lock
from time import perf_counter

import structlog

from footy_assets.clock import Clock
from footy_assets.errors import FootyError, ProviderAnswerInvalid, ProviderRateLimited
from footy_assets.matchday.fixture import Fixture
from footy_assets.sources.adapter import Adapter, Fetched, Sheet
from footy_assets.sources.confidence import noted
from footy_assets.sources.descriptors import Descriptor, SourcesFile
from footy_assets.sources.identify import Listed, Mapped, Unsure, identify
from footy_assets.sources.lifecycle import as_time_passes
from footy_assets.sources.limits import Turnstile
from footy_assets.sources.match import Report, status_of
from footy_assets.sources.not_found import NotFoundMemory
from footy_assets.sources.priority import Priority, is_due, priority_of
from footy_assets.sources.records import SourceRecord, beside_of
from footy_assets.sources.schedule import Batch, Plan, Wanted, batches, plan
from footy_assets.sources.task import REQUEST_SECONDS, TASK_SECONDS, Task, TaskState, wait_before
from footy_assets.store.matchdays import MatchdayStore
from footy_assets.store.source_records import SourceRecords, with_priority
from footy_assets.store.source_state import SCRAPE_EDGES, SourceState

BATCH = 1_000
QUIET_AFTER_LIMIT = timedelta(seconds=60)
# How long a round waits for what it has started; who takes longer is heard in a later one.
PATIENCE_SECONDS = 1.0
log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Asked:
    """One batch, asked to its end."""

    batch: Batch
    task: Task
    fetched: Fetched | None
    seconds: float
    reason: str | None = None
    limited: bool = False


@dataclass(frozen=True, slots=True)
class _InFlight:
    batch: Batch
    future: Future[Asked]
    began: float


@dataclass(slots=True)
class Round:
    """What came of questions in one round, and what waits for the next."""

    asked: list[Asked] = field(default_factory=list)
    plan: Plan | None = None
    reports: list[Report] = field(default_factory=list)


class Collector:
    """`adapters` by domain, for as long as they live; `described` says which are on, and how."""

    def __init__(
        self,
        store: MatchdayStore,
        adapters: Mapping[str, Adapter],
        clock: Clock,
        described: Callable[[], SourcesFile],
        chance: Callable[[], float] = random,
        patience: float = PATIENCE_SECONDS,
    ) -> None:
        self._store, self.adapters, self._clock = store, adapters, clock
        self._described, self._chance, self._patience = described, chance, patience
        self._in_flight: list[_InFlight] = []
        self._given_up: list[_InFlight] = []
        self._depth: dict[str, float] = {}
        self._records = SourceRecords(store.database)
        self.state = SourceState(store.database)
        self._not_found = NotFoundMemory()
        self._turnstiles: dict[str, Turnstile] = {}
        self._turns = Lock()
        self._last_asked: dict[tuple[str, int], datetime] = {}
        self._stopped = Event()

    def stop(self) -> None:
        """For whoever closes the adapters: what waits to be tried again is not."""
        self._stopped.set()

    def round(self) -> Round:
        """Ask whatever is due and allowed now, and take in what was answered since the last one."""
        content, now = self._described(), self._clock.now()
        enabled = content.enabled(self.state.switches())
        on = {name: d for name, d in enabled.items() if name in self.adapters}
        matches = {fixture.id: fixture for fixture in self._matches(now)}
        records = self._records.of(list(matches))
        wanted = self._wanted(on, matches, records, now)
        live = frozenset(one.domain for one in wanted if one.priority is Priority.LIVE)
        due = [one for one in wanted if self._is_due(one, now)]
        self._last_asked = {key: at for key, at in self._last_asked.items() if key[1] in matches}
        with self._turns:
            stiles = {name: self._turnstile(name, described) for name, described in on.items()}
            made = plan(batches(due, dict.fromkeys(on, BATCH)), stiles, now, live)
            self._turnstiles |= made.turnstiles
        for batch in made.start:
            self._start(batch, matches, now)
        done = Round(self._ended(), made)
        for asked in done.asked:
            done.reports += self._take_in(asked, on, matches, records, content)
        self._tell_depth(made)
        return done

    # -- what is to be asked --------------------------------------------------------------

    def _matches(self, now: datetime) -> list[Fixture]:
        """Unfinished ones, and those of today and yesterday that are over."""
        days = (now.date(), now.date() - timedelta(days=1))
        over = [fixture for day in days for fixture in self._store.fixtures_of(day)]
        return [*self._store.unfinished(), *over]

    def _wanted(
        self,
        on: Mapping[str, Descriptor],
        matches: Mapping[int, Fixture],
        records: Mapping[tuple[int, str], SourceRecord],
        now: datetime,
    ) -> list[Wanted]:
        found = []
        being_asked = {
            (one.domain, one.match_id) for flight in self._in_flight for one in flight.batch.wanted
        }
        for id_, fixture in matches.items():
            priority = priority_of(status_of(fixture.status), fixture.kickoff, now)
            if priority is None:
                continue
            for domain in on:
                if (domain, id_) in being_asked:
                    continue
                record = records.get((id_, domain))
                life = as_time_passes(record.life, now) if record else None
                if life is not None and not life.may_be_asked(now):
                    continue
                if not self._not_found.remembers(domain, id_, now):
                    heard = record.last_success if record else None
                    found.append(Wanted(id_, domain, priority, heard))
        return found

    def _is_due(self, one: Wanted, now: datetime) -> bool:
        return is_due(one.priority, self._last_asked.get((one.domain, one.match_id)), now)

    def _turnstile(self, domain: str, described: Descriptor) -> Turnstile:
        limits = described.limits.as_limits()
        stile = self._turnstiles.get(domain)
        if stile is None or stile.limits != limits:
            stile = Turnstile(limits)
        return stile

    # -- asking ---------------------------------------------------------------------------

    def _start(self, batch: Batch, matches: Mapping[int, Fixture], now: datetime) -> None:
        for one in batch.wanted:
            self._last_asked[batch.domain, one.match_id] = now
        pool = ThreadPoolExecutor(1, thread_name_prefix="source")
        future = pool.submit(self._ask, batch, matches)
        pool.shutdown(wait=False)
        self._in_flight.append(_InFlight(batch, future, perf_counter()))

    def _ended(self) -> list[Asked]:
        """What has an answer by now, or has had its time."""
        wait([flight.future for flight in self._in_flight], timeout=self._patience)
        ended, left, over = [], [], [one for one in self._given_up if one.future.done()]
        self._given_up = [one for one in self._given_up if not one.future.done()]
        for flight in self._in_flight:
            if flight.future.done():
                over.append(flight)
                ended.append(flight.future.result())
            elif perf_counter() - flight.began >= TASK_SECONDS:
                silent = f"no answer within {TASK_SECONDS:g} s"
                gave_up = Task(TaskState.ABANDONED, 1)
                self._given_up.append(flight)
                ended.append(Asked(flight.batch, gave_up, None, TASK_SECONDS, silent))
            else:
                left.append(flight)
        self._in_flight = left
        for flight in over:
            # A3: whoever is given up still asks, and has its turn until it is done.
            domain = flight.batch.domain
            with self._turns:
                self._turnstiles[domain] = self._turnstiles[domain].ended()
        return ended

    def _ask(self, batch: Batch, matches: Mapping[int, Fixture]) -> Asked:
        """The retry machine: up to three attempts, 45 s in all."""
        listed = [_listed(matches[one.match_id]) for one in batch.wanted]
        task, began = Task(), perf_counter()
        reason, limited, fetched = None, False, None
        while not task.over:
            left = TASK_SECONDS - (perf_counter() - began)
            pause = self._pause(batch.domain, task.attempts, left * self._clock.speed)
            if pause is None:
                break
            self._clock.sleep(pause)
            if self._stopped.is_set():
                break
            task = task.started()
            try:
                fetched = _readable(self.adapters[batch.domain].fetch(listed, REQUEST_SECONDS))
                task = task.succeeded()
            except FootyError as error:
                reason, limited = str(error), isinstance(error, ProviderRateLimited)
                task = task.failed()
                if limited or not error.retryable:
                    break
                task = task.tried_again_or_given_up()
            except Exception as error:
                # What surprises us in one provider stops no other.
                log.exception("source_surprised", domain=batch.domain)
                reason, task = f"{type(error).__name__}: {error}", task.failed()
                break
        return Asked(batch, task, fetched, perf_counter() - began, reason, limited)

    def _pause(self, domain: str, attempts: int, left: float) -> float | None:
        """Seconds before the next attempt; None where there is no time for it.

        A3: the first has its turn from the plan, each further one takes another.
        """
        pause = wait_before(attempts + 1, self._chance())
        if attempts == 0:
            return pause if pause <= left else None
        with self._turns:
            now = self._clock.now()
            at, stile = self._turnstiles[domain].again(now + timedelta(seconds=pause))
            pause = (at - now).total_seconds()
            if pause > left:
                return None
            self._turnstiles[domain] = stile
        return pause

    # -- taking in ------------------------------------------------------------------------

    def _take_in(
        self,
        asked: Asked,
        on: Mapping[str, Descriptor],
        matches: Mapping[int, Fixture],
        records: Mapping[tuple[int, str], SourceRecord],
        content: SourcesFile,
    ) -> list[Report]:
        domain, now = asked.batch.domain, self._clock.now()
        if domain not in on:
            # Switched off meanwhile: what it says counts no more.
            return []
        if asked.limited:
            # A3: deferred, not failed: the limit says nothing about the matches.
            with self._turns:
                stile = self._turnstiles[domain]
                self._turnstiles[domain] = stile.closed_until(now + QUIET_AFTER_LIMIT)
        sheets = self._identified(asked, matches, content, now)
        confidence, precedence = on[domain].confidence, content.precedence()
        reports, changes = [], []
        for one in asked.batch.wanted:
            key = (one.match_id, domain)
            before = records.get(key)
            record = before or SourceRecord(one.match_id, domain, now)
            sheet = sheets.get(one.match_id)
            if sheet is not None:
                report = sheet.as_report(one.match_id, domain, now, confidence)
                reports.append(report)
                beside = beside_of(records, record, precedence)
                after = noted(record, report.match, beside, precedence, now)
            elif asked.fetched is not None:
                # It answered, and does not know this match.
                self._not_found.note(domain, one.match_id, now)
                after = record.not_known()
            elif asked.limited:
                after = record
            else:
                after = record.failed(now)
            changes.append((before, with_priority(after, one.priority)))
        self._records.store_reports(reports)
        self._records.save(changes)
        self._tell(asked, len(reports), now)
        return reports

    def _identified(
        self, asked: Asked, matches: Mapping[int, Fixture], content: SourcesFile, now: datetime
    ) -> dict[int, Sheet]:
        """A4. A mapping that was sure once stays; a doubt is told."""
        if asked.fetched is None:
            return {}
        domain = asked.batch.domain
        sure = self._records.mapped(domain)
        ours = [_listed(fixture) for fixture in matches.values()]
        found: dict[int, Sheet] = {}
        for sheet in asked.fetched.sheets:
            known = sure.get(sheet.listed.id)
            if known is None:
                match identify(sheet.listed, ours, content.aliases):
                    case Mapped(match_id):
                        known = int(match_id)
                        self._records.map(domain, sheet.listed.id, known, now)
                    case Unsure() as doubt:
                        self._records.unsure(domain, doubt, now)
            if known is not None:
                found[known] = sheet
        return found

    def _tell(self, asked: Asked, heard: int, now: datetime) -> None:
        domain, wanted = asked.batch.domain, len(asked.batch.wanted)
        failed = 0 if asked.fetched is not None else wanted
        self.state.count(
            **{
                f"scrapes:{domain}:success": heard,
                f"scrapes:{domain}:failure": failed,
                f"navigation_failures:{domain}": int(asked.fetched is None),
            }
        )
        self.state.observe(f"scrape:{domain}", [asked.seconds], SCRAPE_EDGES)
        if asked.reason:
            log.warning("source_failed", domain=domain, reason=asked.reason)

    def _tell_depth(self, made: Plan) -> None:
        depth = {f"queue_{priority.name.lower()}": 0.0 for priority in Priority}
        for waiting in made.deferred:
            depth[f"queue_{waiting.batch.priority.name.lower()}"] += len(waiting.batch.wanted)
        if depth != self._depth:
            self._depth = depth
            self.state.set_gauges(**depth)


def _readable(fetched: Fetched) -> Fetched:
    """An answer of which nothing can be read is a failure: its form has changed."""
    if fetched.sheets or not fetched.unreadable:
        return fetched
    first, rows = fetched.unreadable[0], len(fetched.unreadable)
    raise ProviderAnswerInvalid(f"{rows} rows, none readable; {first.subject}: {first.reason}")


def _listed(fixture: Fixture) -> Listed:
    return Listed(
        str(fixture.id),
        fixture.kickoff,
        fixture.home.name,
        fixture.away.name,
        fixture.league.name,
    )
