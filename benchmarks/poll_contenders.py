"""The contenders of the poll cost benchmark, and how one poll is measured."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from unittest.mock import patch

from pymongo.database import Database

from benchmarks.meters import ServerFigures, WriteCounter, cpu_seconds
from benchmarks.provider_process import ProviderProcess, provider_process
from benchmarks.replace_all import ReplaceAll
from footy_assets.clock import ManualClock
from footy_assets.matchday.ingest import Ingest
from footy_assets.matchday.monitor import run_cycle
from footy_assets.matchday.rules.feed import Answer
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.matchday.tracking import TrackingPolicy
from footy_assets.policies import monitor_policy
from footy_assets.providers.feed import MergedFeed
from footy_assets.providers.rules.descriptors import API_FOOTBALL_ONLY
from footy_assets.settings import settings_of
from footy_assets.store.collections import Document, ensure_indexes
from resources.api_football import translate
from resources.api_football.client import ApiFootball
from resources.embedded.mongod import MongoServer
from resources.mongo.connection import connect

# From 14:15 to 15:24 every match of the simulated day is in play.
STARTS_AT = datetime(2025, 5, 10, 14, 45, tzinfo=UTC)
OURS, EACH, BULK = "footy", "replace each", "replace in bulk"


@dataclass(frozen=True, slots=True)
class PollCounts:
    """`changes` counts the documents that a poll had to write."""

    calls: int
    changes: int


@dataclass(frozen=True, slots=True)
class Sample:
    """One poll of one contender."""

    wall: float
    cpu: float
    provider_wait: float
    provider_cpu: float
    mongod_cpu: float
    write_commands: int
    documents: int
    bytes_to_database: int
    calls: int
    changes: int
    counted_by_server: int


class TimedFeed(ApiFootball):
    """A client that measures how long it waits for the provider."""

    wait_seconds = 0.0

    def by_ids(self, ids: Sequence[int], within: float | None = None) -> Answer:
        wall, cpu = time.perf_counter(), time.process_time()
        answer = super().by_ids(ids, within)
        idle = (time.perf_counter() - wall) - (time.process_time() - cpu)
        self.wait_seconds += max(0.0, idle)
        if answer.failures:
            raise RuntimeError(f"the provider failed: {answer.failures[0]}")
        return answer


@contextmanager
def without_memory() -> Iterator[None]:
    """F10 for ours alone: what one contender has parsed must not spare another one the work."""
    remembering = ("parse_fixture", "_events", "_corners_by_team")
    plain = {name: getattr(translate, name).__wrapped__ for name in remembering}
    with patch.multiple(translate, **plain):
        yield


@dataclass
class Contest:
    """All contenders, over the same matches, each with its own database."""

    provider: ProviderProcess
    feed: TimedFeed
    clock: ManualClock
    server: Database[Document]
    mongod_pid: int
    counter: WriteCounter
    contenders: dict[str, Callable[[], PollCounts]]
    order: list[str]

    def round(self, step: timedelta) -> dict[str, Sample]:
        """Every contender polls once; the order changes with every round."""
        self.clock.advance(step.total_seconds())
        self.provider.set_time(self.clock.now())
        self.order = self.order[1:] + self.order[:1]
        return {name: self._measure(self.contenders[name]) for name in self.order}

    def _measure(self, poll: Callable[[], PollCounts]) -> Sample:
        before = ServerFigures.read(self.server)
        commands, documents = self.counter.commands, self.counter.documents
        mongod, provider = cpu_seconds(self.mongod_pid), cpu_seconds(self.provider.pid)
        waited, wall, cpu = self.feed.wait_seconds, time.perf_counter(), time.process_time()
        polled = poll()
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        mongod = cpu_seconds(self.mongod_pid) - mongod
        provider = cpu_seconds(self.provider.pid) - provider
        after = ServerFigures.read(self.server)
        return Sample(
            wall=wall,
            cpu=cpu,
            provider_wait=self.feed.wait_seconds - waited,
            provider_cpu=provider,
            mongod_cpu=mongod,
            write_commands=self.counter.commands - commands,
            documents=self.counter.documents - documents,
            bytes_to_database=after.bytes_in - before.bytes_in,
            calls=polled.calls,
            changes=polled.changes,
            counted_by_server=after.writes_since(before),
        )


@contextmanager
def contest(
    mongod: MongoServer, counter: WriteCounter, fixtures: int, real_size: bool
) -> Iterator[Contest]:
    clock, rules = ManualClock(STARTS_AT), monitor_policy(settings_of(sites="none"))
    with ExitStack() as stack:
        provider = stack.enter_context(provider_process(fixtures, clock, real_size=real_size))
        feed = TimedFeed(provider.url, None)
        stack.callback(feed.close)
        ours, each, bulk, server = (
            stack.enter_context(connect(mongod.uri, f"{name}_{fixtures}"))
            for name in ("ours", "each", "bulk", "server")
        )
        ensure_indexes(ours)
        store = MatchdayStore(ours)
        Ingest(store, feed, clock, TrackingPolicy(teams="*")).day(STARTS_AT.date())
        known = store.fixtures_of(STARTS_AT.date())

        merged = MergedFeed(feed, store, clock, lambda: API_FOOTBALL_ONLY)

        def footy() -> PollCounts:
            report = run_cycle(store, merged, clock, rules)
            goals = sum(report.goals.values())
            return PollCounts(report.calls, report.written + goals + bool(report.changed))

        def baseline(database: Database[Document], *, in_bulk: bool) -> Callable[[], PollCounts]:
            version = ReplaceAll(database, feed, bulk=in_bulk)
            version.insert(known)

            def poll() -> PollCounts:
                with without_memory():
                    return PollCounts(version.poll(clock.now(), rules.answer_within), 0)

            return poll

        contenders = {
            OURS: footy,
            EACH: baseline(each, in_bulk=False),
            BULK: baseline(bulk, in_bulk=True),
        }
        yield Contest(
            provider, feed, clock, server, mongod.pid, counter, contenders, list(contenders)
        )
