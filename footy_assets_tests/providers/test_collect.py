"""Requests to the providers during a live poll: limits, retries, timeouts and failures."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from threading import Event

import pytest
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.errors import ProviderUnavailable
from footy_assets.matchday.rules.feed import Failure, Unreadable
from footy_assets.providers import requests as provider_requests
from footy_assets.providers.collect import Collector
from footy_assets.providers.requests import BatchResult
from footy_assets.providers.rules.adapter import FetchResult
from footy_assets.providers.rules.descriptors import API_FOOTBALL, RequestLimits
from footy_assets.providers.rules.identify import ListedMatch
from footy_assets.providers.rules.match import Score
from footy_assets.providers.rules.task import REQUEST_SECONDS, TASK_SECONDS, TaskState
from footy_assets.providers.store.records import ProviderRecords
from footy_assets.sim import World, make_world
from footy_assets.store.collections import Document
from footy_assets_tests.providers.harness import (
    MATCHES,
    ProvidersHarness,
    descriptor,
    providers_harness,
    set_clock_after_kickoff,
)
from resources.football_data.client import FootballData

pytestmark = pytest.mark.slow


@pytest.fixture(scope="session")
def world() -> World:
    """A few ordinary matches at once."""
    return make_world(matches=MATCHES)


def test_A3_a_slow_provider_delays_no_other(
    three_providers: ProvidersHarness, world: World
) -> None:
    three_providers.second.football_data.slow_seconds = 1.5
    impatient_collector = Collector(
        *(
            three_providers.store,
            three_providers.adapters,
            three_providers.clock,
            lambda: three_providers.content,
        ),
        wait_seconds=0.5,
    )
    three_providers.poll()
    assert isinstance(three_providers.clock, ManualClock)
    three_providers.clock.advance(30)
    first = impatient_collector.round()
    assert {result.batch.domain for result in first.results} == {"third"}
    running = {"second": {"requests": 1, "matches": MATCHES}}
    assert impatient_collector.state.running() == running
    assert impatient_collector.round().results == []
    results: list[BatchResult] = []
    while not results:
        results = impatient_collector.round().results
    assert [(one.batch.domain, one.task.state) for one in results] == [
        ("second", TaskState.SUCCESS)
    ]
    assert impatient_collector.state.running() == {}
    assert three_providers.second.football_data.request_count == 2


def test_a_match_of_a_part_that_failed_has_failed_and_is_not_unknown(
    three_providers: ProvidersHarness, world: World
) -> None:
    class Partly(FootballData):
        """As a provider that is asked for each competition."""

        def fetch(self, wanted: Sequence[ListedMatch], within: float) -> FetchResult:
            found = super().fetch(wanted, within)
            return replace(found, matches=(), failures=(Failure("eng.1", "503"),))

    own, id_ = three_providers.adapters["second"], world.fixture_ids[0]
    three_providers.adapters["second"] = Partly(three_providers.second.url)
    three_providers.poll()
    record = ProviderRecords(three_providers.store.database).of([id_])[id_, "second"]
    assert (record.life.failures, record.never_covered) == (1, False)
    three_providers.adapters["second"] = own
    three_providers.poll()
    record = ProviderRecords(three_providers.store.database).of([id_])[id_, "second"]
    assert record.last_success == three_providers.clock.now()


def test_retry_a_request_times_out_after_15_s_and_a_task_after_45_s(
    three_providers: ProvidersHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (REQUEST_SECONDS, TASK_SECONDS) == (15.0, 45.0)
    monkeypatch.setattr(provider_requests, "TASK_SECONDS", 0.3)
    within: list[float] = []
    finished = Event()

    class Hangs(FootballData):
        def fetch(self, wanted: Sequence[ListedMatch], seconds: float) -> FetchResult:
            within.append(seconds)
            finished.wait()
            return super().fetch(wanted, seconds)

    adapters = {"second": Hangs(three_providers.second.url)}
    impatient_collector = Collector(
        *(three_providers.store, adapters, three_providers.clock, lambda: three_providers.content),
        wait_seconds=0.1,
    )
    results: list[BatchResult] = []
    while not results:
        results = impatient_collector.round().results
    finished.set()
    assert within == [15.0]
    assert [(one.task.state, one.answer) for one in results] == [(TaskState.ABANDONED, None)]


def test_A3_a_retry_waits_for_its_turn(three_providers: ProvidersHarness) -> None:
    times: list[datetime] = []

    class Down(FootballData):
        def fetch(self, wanted: Sequence[ListedMatch], within: float) -> FetchResult:
            times.append(three_providers.clock.now())
            raise ProviderUnavailable("down")

    content = descriptor({API_FOOTBALL: 100, "second": 80}, RequestLimits(min_interval=10))
    patient = Collector(
        *(
            three_providers.store,
            {"second": Down(three_providers.second.url)},
            three_providers.clock,
            lambda: content,
        ),
        jitter=lambda: 0.0,
        wait_seconds=TASK_SECONDS,
    )
    patient.round()
    assert [(at - times[0]).total_seconds() for at in times] == [0, 10, 20]
    assert patient.round().results == []


def test_A3_an_abandoned_request_counts_against_the_limit_until_it_ends(
    three_providers: ProvidersHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provider_requests, "TASK_SECONDS", 0.2)
    requests, answer = [], Event()

    class Hangs(FootballData):
        def fetch(self, wanted: Sequence[ListedMatch], within: float) -> FetchResult:
            requests.append(within)
            answer.wait(10)
            return FetchResult(())

    content = descriptor({API_FOOTBALL: 100, "second": 80}, RequestLimits(max_concurrent=1))
    impatient_collector = Collector(
        *(
            three_providers.store,
            {"second": Hangs(three_providers.second.url)},
            three_providers.clock,
            lambda: content,
        ),
        wait_seconds=0.3,
    )
    three_providers.poll()
    assert isinstance(three_providers.clock, ManualClock)
    assert [one.task.state for one in impatient_collector.round().results] == [TaskState.ABANDONED]
    three_providers.clock.advance(30)
    harness = impatient_collector.round().plan
    assert harness is not None
    assert (len(harness.start), len(harness.deferred), len(requests)) == (0, 1, 1)
    answer.set()
    while not impatient_collector.round().results:
        assert len(requests) <= 2
    assert len(requests) == 2


def test_an_unexpected_exception_of_a_provider_is_a_failure_and_stops_no_other(
    three_providers: ProvidersHarness,
) -> None:
    class Odd(FootballData):
        def fetch(self, wanted: Sequence[ListedMatch], within: float) -> FetchResult:
            raise ZeroDivisionError("odd")

    three_providers.adapters["second"] = Odd(three_providers.second.url)
    results = {one.batch.domain: one for one in three_providers.collector.round().results}
    assert results["second"].task.state is TaskState.FAILED
    assert results["second"].reason == "ZeroDivisionError: odd"
    assert results["third"].task.state is TaskState.SUCCESS


def test_A3_not_found_is_not_requested_again_for_a_minute(
    three_providers: ProvidersHarness, world: World
) -> None:
    three_providers.second.world = World(world.day, world.scripts[1:])
    three_providers.poll()
    records = ProviderRecords(three_providers.store.database)
    missing = world.fixture_ids[0]
    assert (missing, "second") in records.of([missing])
    assert records.of([missing])[missing, "second"].successes == 0
    assert records.of([missing])[missing, "third"].successes == 1


def test_A4_a_match_that_a_provider_lists_again_takes_no_mapping_away(
    three_providers: ProvidersHarness, world: World
) -> None:
    class ListsAgain(FootballData):
        def fetch(self, wanted: Sequence[ListedMatch], within: float) -> FetchResult:
            answer = super().fetch(wanted, within)
            first = answer.matches[0]
            again = replace(first, listed=replace(first.listed, id="again"), score=Score(9, 9))
            return replace(answer, matches=(*answer.matches, again))

    three_providers.poll()
    records = ProviderRecords(three_providers.store.database)
    mappings = records.mappings("second")
    assert sorted(mappings.values()) == sorted(world.fixture_ids)
    three_providers.adapters["second"] = ListsAgain(three_providers.second.url)
    three_providers.poll()
    assert records.mappings("second") == mappings
    latest = records.of(world.fixture_ids)
    assert all(latest[id_, "second"].successes == 2 for id_ in world.fixture_ids)


def test_A2_an_answer_without_a_readable_row_is_a_failure(
    three_providers: ProvidersHarness, world: World
) -> None:
    class Redesigned(FootballData):
        def fetch(self, wanted: Sequence[ListedMatch], within: float) -> FetchResult:
            return FetchResult(
                (), (Unreadable("row 7", "no score"), Unreadable("row 8", "no score"))
            )

    three_providers.adapters["second"] = Redesigned(three_providers.second.url)
    assert isinstance(three_providers.clock, ManualClock)
    three_providers.clock.advance(30)
    results = {one.batch.domain: one for one in three_providers.collector.round().results}
    assert results["second"].answer is None
    assert results["second"].reason == "2 rows, none readable; row 7: no score"
    record = ProviderRecords(three_providers.store.database).of([world.fixture_ids[0]])
    assert record[world.fixture_ids[0], "second"].failures == 1
    counters = three_providers.collector.state.figures()["counters"]
    assert counters["scrapes:second:failure"] == MATCHES


def test_A3_a_limit_of_the_provider_defers_and_fails_nothing(
    three_providers: ProvidersHarness, world: World
) -> None:
    three_providers.second.football_data.broken = "limited"
    three_providers.poll()
    assert three_providers.second.football_data.request_count == 1
    three_providers.poll()
    assert three_providers.second.football_data.request_count == 1
    three_providers.second.football_data.broken = None
    three_providers.poll(60)
    assert three_providers.second.football_data.request_count == 2
    record = ProviderRecords(three_providers.store.database).of([world.fixture_ids[0]])
    assert record[world.fixture_ids[0], "second"].failures == 0


def test_lifecycle_five_failures_pause_a_match_for_300_s(
    three_providers: ProvidersHarness, world: World
) -> None:
    three_providers.second.football_data.broken = "down"
    records = ProviderRecords(three_providers.store.database)
    id_ = world.fixture_ids[0]
    for _ in range(5):
        assert not (r := records.of([id_]).get((id_, "second"))) or not r.paused
        three_providers.poll()
    assert records.of([id_])[id_, "second"].paused
    requests = three_providers.second.football_data.request_count
    three_providers.second.football_data.broken = None
    for _ in range(9):
        three_providers.poll()
    assert three_providers.second.football_data.request_count == requests
    three_providers.poll(60)
    assert not records.of([id_])[id_, "second"].paused
    assert records.of([id_])[id_, "second"].life.failures == 0


def test_A1_a_provider_switched_off_gets_no_requests(three_providers: ProvidersHarness) -> None:
    three_providers.collector.state.switch("second", False, three_providers.clock.now())
    three_providers.poll()
    assert three_providers.second.football_data.request_count == 0
    assert three_providers.third.football_data.request_count == 1
    three_providers.collector.state.switch("second", True, three_providers.clock.now())
    three_providers.poll()
    assert three_providers.second.football_data.request_count == 1


@pytest.mark.parametrize("precedence", [{API_FOOTBALL: 100}, {API_FOOTBALL: 100, "second": 80}])
def test_A1_the_main_provider_switched_off_fails_no_match(
    database: Database[Document], world: World, clock: ManualClock, precedence: dict[str, int]
) -> None:
    with providers_harness(database, world, clock, precedence) as harness:
        harness.ingest()
        set_clock_after_kickoff(harness, minutes=5)
        harness.poll()
        harness.collector.state.switch(API_FOOTBALL, False, clock.now())
        harness.poll()
        counters = harness.collector.state.figures()["counters"]
        assert counters[f"scrapes:{API_FOOTBALL}:success"] == MATCHES
        assert f"scrapes:{API_FOOTBALL}:failure" not in counters
        if harness.content.only_lead:
            assert harness.monitor.summary(clock.now())["failure_ratio"] == 0.0
