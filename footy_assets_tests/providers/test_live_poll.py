"""The live poll on top of several providers: how each kind of fault affects goals."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from threading import Event

import pytest
from pymongo import MongoClient, monitoring
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.errors import ProviderUnavailable
from footy_assets.matchday.monitor import run_cycle
from footy_assets.matchday.rules.feed import Unreadable
from footy_assets.matchday.rules.goal import EventState
from footy_assets.providers import requests as provider_requests
from footy_assets.providers.collect import Collector
from footy_assets.providers.requests import BatchResult
from footy_assets.providers.rules.adapter import FetchResult
from footy_assets.providers.rules.descriptors import MAIN, RequestLimits
from footy_assets.providers.rules.health import Grade
from footy_assets.providers.rules.identify import ListedMatch
from footy_assets.providers.rules.priority import Priority
from footy_assets.providers.rules.task import REQUEST_SECONDS, TASK_SECONDS, TaskState
from footy_assets.providers.store.records import ProviderRecords
from footy_assets.providers.store.snapshots import MergedSnapshots
from footy_assets.sim import World
from footy_assets.store.collections import PROVIDER_FIGURES, Document
from footy_assets_tests.providers.harness import ProvidersHarness, descriptor, providers_harness
from resources.football_data.client import FootballData

pytestmark = pytest.mark.slow

MATCHES = 4


@pytest.fixture(scope="session")
def world() -> World:
    """A few ordinary matches at once."""
    from footy_assets.sim import make_world

    return make_world(matches=MATCHES)


@pytest.fixture
def three_providers(
    database: Database[Document], world: World, clock: ManualClock
) -> Iterator[ProvidersHarness]:
    with providers_harness(database, world, clock) as harness:
        harness.ingest()
        set_clock_after_kickoff(harness, minutes=2)
        yield harness


def set_clock_after_kickoff(harness: ProvidersHarness, minutes: float) -> None:
    assert isinstance(harness.clock, ManualClock)
    last = max(script.kickoff for script in harness.main.world.scripts)
    harness.clock.at = last + timedelta(minutes=minutes)


def first_seen(harness: ProvidersHarness, minutes: int) -> dict[tuple[int, int, int], datetime]:
    """When each goal was first stored, by match, team and minute."""
    for _ in range(minutes * 2):
        harness.poll()
    return {
        (goal.fixture_id, goal.team_id, goal.minute.elapsed): goal.first_seen_at
        for goal in harness.live_goals()
        if goal.first_seen_at is not None
    }


def test_with_one_provider_nothing_changes(
    database: Database[Document], world: World, clock: ManualClock
) -> None:
    with providers_harness(database, world, clock, {MAIN: 100}) as harness:
        harness.ingest()
        set_clock_after_kickoff(harness, minutes=-10)
        ids = list(world.fixture_ids)
        for _ in range(14):
            clock.advance(600)
            plain, merged = harness.raw.by_ids(ids), harness.feed.by_ids(ids)
            assert merged.sightings == plain.sightings
            assert (merged.failures, merged.calls) == (plain.failures, plain.calls)
        harness.main.faults.fail(times=None)
        assert harness.feed.by_ids(ids).failures == harness.raw.by_ids(ids).failures


class Writes(monitoring.CommandListener):
    """Records the MongoDB commands that write."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def started(self, event: monitoring.CommandStartedEvent) -> None:
        if event.command_name in ("insert", "update", "delete", "findAndModify"):
            self.seen.append(str(event.command[event.command_name]))

    def succeeded(self, event: monitoring.CommandSucceededEvent) -> None: ...

    def failed(self, event: monitoring.CommandFailedEvent) -> None: ...


def test_with_one_provider_an_unchanged_poll_writes_only_its_metrics_once(
    mongo_uri: str, database: Database[Document], world: World, clock: ManualClock
) -> None:
    writes = Writes()
    with (
        MongoClient(mongo_uri, tz_aware=True, event_listeners=[writes]) as client,
        providers_harness(client[database.name], world, clock, {MAIN: 100}) as harness,
    ):
        harness.ingest()
        set_clock_after_kickoff(harness, minutes=20)
        for _ in range(4):
            harness.poll(0)
        writes.seen.clear()
        report = run_cycle(harness.store, harness.feed, clock, harness.policy)
        assert report.sighted == MATCHES
        assert writes.seen == []
        harness.feed.record_poll()
        assert writes.seen == [PROVIDER_FIGURES]
        harness.feed.record_poll()
        assert writes.seen == [PROVIDER_FIGURES]


def test_with_one_provider_its_silence_is_graded_match_by_match(
    database: Database[Document], world: World, clock: ManualClock
) -> None:
    with providers_harness(database, world, clock, {MAIN: 100}) as main_only:
        main_only.ingest()
        set_clock_after_kickoff(main_only, minutes=5)
        main_only.poll()
        summary = main_only.monitor.summary(clock.now())
        assert (summary["freshness"]["count"], summary["freshness"]["max"]) == (MATCHES, 0.0)
        assert summary["failure_ratio"] == 0.0
        main_only.main.faults.fail(times=None)
        grades = []
        for _ in range(5):
            main_only.poll()
            grades.append(main_only.monitor.evaluate(clock.now()).all)
        assert grades == [Grade.HEALTHY, *[Grade.DEGRADED], *[Grade.FAILING] * 3]
        summary = main_only.monitor.summary(clock.now())
        assert (summary["freshness"]["max"], summary["failure_ratio"]) == (150.0, 1.0)
        main_only.main.faults.clear()
        for _ in range(3):
            main_only.poll()
            main_only.monitor.evaluate(clock.now())
        assert main_only.monitor.state.grade()[0].grade is Grade.HEALTHY
        assert ProviderRecords(database).all() == []


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
    assert impatient_collector.round().results == []
    results: list[BatchResult] = []
    while not results:
        results = impatient_collector.round().results
    assert [(one.batch.domain, one.task.state) for one in results] == [
        ("second", TaskState.SUCCESS)
    ]
    assert three_providers.second.football_data.request_count == 2


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

    content = descriptor({MAIN: 100, "second": 80}, RequestLimits(min_interval=10))
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

    content = descriptor({MAIN: 100, "second": 80}, RequestLimits(max_concurrent=1))
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


def test_health_is_evaluated_every_15_s_by_the_first_process(
    three_providers: ProvidersHarness,
) -> None:
    three_providers.poll()
    now = three_providers.clock.now()
    assert three_providers.monitor.evaluate_if_due(now) is not None
    assert three_providers.monitor.evaluate_if_due(now + timedelta(seconds=14)) is None
    assert three_providers.monitor.evaluate_if_due(now + timedelta(seconds=15)) is not None


def test_health_only_LIVE_matches_count(three_providers: ProvidersHarness, world: World) -> None:
    three_providers.poll()
    assert (
        three_providers.monitor.summary(three_providers.clock.now())["freshness"]["count"]
        == MATCHES
    )
    three_providers.main.faults.fail(times=None)
    three_providers.second.football_data.broken = three_providers.third.football_data.broken = (
        "down"
    )
    records = ProviderRecords(three_providers.store.database)
    over = [
        (record, replace(record, priority=Priority.COMPLETED))
        for record in records.all()
        if record.match_id != world.fixture_ids[0]
    ]
    records.save(over)
    late = three_providers.clock.now() + timedelta(seconds=200)
    fresh = three_providers.monitor.evaluate(late).freshness["all"]
    assert (fresh.count, fresh.max) == (1, 200.0)
    (last,) = [r for r in records.all() if r.priority is Priority.LIVE and r.domain == MAIN]
    records.save(
        (r, replace(r, priority=Priority.COMPLETED))
        for r in records.all()
        if r.match_id == last.match_id
    )
    assert three_providers.monitor.evaluate(late).all is Grade.HEALTHY


def test_a_provider_40_s_faster_makes_a_goal_appear_40_s_earlier(
    database: Database[Document], world: World, clock: ManualClock
) -> None:
    with providers_harness(database, world, clock, {MAIN: 100}) as main_only:
        main_only.ingest()
        set_clock_after_kickoff(main_only, 2)
        started_at = clock.at
        slow = first_seen(main_only, 44)
    database.client.drop_database(database.name)
    with providers_harness(database, world, clock, {MAIN: 100, "second": 80}) as both:
        clock.at = world.starts_at
        both.ingest()
        clock.at = started_at
        both.second.football_data.lens.offset = timedelta(seconds=40)
        fast = first_seen(both, 44)
        stable = [goal for goal in both.live_goals() if goal.stable]
    # Goals listed at the first poll cannot be seen earlier.
    common = {
        key for key in slow.keys() & fast.keys() if slow[key] > started_at + timedelta(minutes=1)
    }
    assert len(common) >= 3
    gains = [(slow[key] - fast[key]).total_seconds() for key in common]
    assert set(gains) <= {30.0, 60.0}
    assert slow.keys() == fast.keys()
    # E4: three polls in which the scorer is known; polls before that do not count.
    assert stable
    for goal in stable:
        assert goal.stable_at is not None
        assert goal.first_seen_at is not None
        assert goal.stable_at - goal.first_seen_at >= timedelta(seconds=60)
        assert len(goal.seen_in_polls) == 3


def test_main_down_no_goal_is_lost_or_marked_missing(
    three_providers: ProvidersHarness, world: World
) -> None:
    for _ in range(20):
        three_providers.poll()
    before = {goal.key for goal in three_providers.live_goals()}
    three_providers.main.faults.fail(times=None)
    for _ in range(30):
        three_providers.poll()
        spots = [(g.fixture_id, g.team_id, g.minute) for g in three_providers.live_goals()]
        assert len(spots) == len(set(spots))
    assert before <= {goal.key for goal in three_providers.live_goals()}
    down_since = three_providers.clock.now()
    three_providers.main.faults.clear()
    for _ in range(8):
        three_providers.poll()
    summary = three_providers.raw.by_ids(list(world.fixture_ids)).sightings
    for id_, sighting in summary.items():
        ours = [goal for goal in three_providers.live_goals() if goal.fixture_id == id_]
        assert len(ours) == len(sighting.goals or ())
        named = [g for g in sighting.goals or () if g.scorer.known]
        assert sum(goal.player.known for goal in ours) == len(named)
    seen_meanwhile = [
        goal
        for goal in three_providers.live_goals()
        if goal.key not in before and goal.first_seen_at and goal.first_seen_at <= down_since
    ]
    assert seen_meanwhile


def test_main_wrong_by_one_goal_makes_no_wrong_goal_stable(
    three_providers: ProvidersHarness, world: World
) -> None:
    three_providers.poll()
    liar = world.fixture_ids[0]
    minute = three_providers.raw.by_ids([liar]).sightings[liar].elapsed
    assert minute is not None
    three_providers.main.lens.invented[liar] = minute
    wrong_states = set()
    for _ in range(16):
        three_providers.poll()
        wrong = [goal for goal in three_providers.live_goals() if goal.player.name == "N. Obody"]
        wrong_states |= {goal.state for goal in wrong}
        assert not any(goal.stable for goal in wrong)
    assert wrong_states <= {EventState.DETECTED, EventState.DEBOUNCING}
    assert any(
        entry["field"] == "score.home"
        for entry in MergedSnapshots(three_providers.store.database).conflicts()
    )
    three_providers.main.lens.invented.clear()
    for _ in range(4):
        three_providers.poll()
    assert not [goal for goal in three_providers.live_goals() if goal.player.name == "N. Obody"]


def test_main_stale_the_others_are_trusted(three_providers: ProvidersHarness, world: World) -> None:
    for _ in range(4):
        three_providers.poll()
    three_providers.main.lens.frozen_at = three_providers.clock.now()
    before = {goal.key for goal in three_providers.live_goals()}
    for _ in range(30):
        three_providers.poll()
        three_providers.monitor.evaluate(three_providers.clock.now())
    summary = three_providers.adapters["second"]
    assert summary is not None
    fixtures = three_providers.store.fixtures_by_id(list(world.fixture_ids))
    truth = {id_: world.fixture_at(id_, three_providers.clock.now()) for id_ in world.fixture_ids}
    for id_, fixture in fixtures.items():
        goals = truth[id_]["goals"]
        assert fixture.goals == (goals["home"], goals["away"])
    assert before <= {goal.key for goal in three_providers.live_goals()}
    assert three_providers.monitor.state.grade(MAIN)[0].grade is Grade.FAILING
    assert three_providers.monitor.state.grade()[0].grade is Grade.HEALTHY


def test_main_rolled_back_without_a_reason_keeps_the_score(
    three_providers: ProvidersHarness, world: World
) -> None:
    """The main provider serves a cache of half an hour ago whose clock runs on."""
    for _ in range(60):
        three_providers.poll()
    scored = {
        id_: fixture.goals
        for id_, fixture in three_providers.store.fixtures_by_id(list(world.fixture_ids)).items()
        if sum(goal or 0 for goal in fixture.goals)
    }
    assert scored
    three_providers.main.lens.offset = timedelta(minutes=-30)
    three_providers.poll()
    three_providers.poll()
    now = three_providers.store.fixtures_by_id(list(scored))
    for id_, goals in scored.items():
        assert all(
            (after or 0) >= (before or 0)
            for before, after in zip(goals, now[id_].goals, strict=True)
        )


def test_main_stale_and_the_others_down_removes_no_goal(
    three_providers: ProvidersHarness, world: World
) -> None:
    three_providers.poll()
    three_providers.main.lens.frozen_at = three_providers.clock.now()
    for _ in range(60):
        three_providers.poll()
    scored = {
        i: f.goals for i, f in three_providers.store.fixtures_by_id(list(world.fixture_ids)).items()
    }
    frozen = three_providers.raw.by_ids(list(world.fixture_ids)).sightings
    assert any(scored[i] > (s.goals_home, s.goals_away) for i, s in frozen.items())
    seen = {goal.key for goal in three_providers.live_goals()}
    three_providers.second.football_data.broken = three_providers.third.football_data.broken = (
        "down"
    )
    for _ in range(9):
        three_providers.poll()
    assert {
        i: f.goals for i, f in three_providers.store.fixtures_by_id(list(scored)).items()
    } == scored
    assert {goal.key for goal in three_providers.live_goals()} == seen


def test_all_down_for_two_minutes_and_back(three_providers: ProvidersHarness) -> None:
    for _ in range(10):
        three_providers.poll()
    before = {goal.key for goal in three_providers.live_goals()}
    three_providers.main.faults.fail(times=None)
    three_providers.second.football_data.broken = three_providers.third.football_data.broken = (
        "down"
    )
    grades = []
    for _ in range(5):
        three_providers.poll()
        grades.append(three_providers.monitor.evaluate(three_providers.clock.now()).all)
    assert grades[-1] is Grade.FAILING
    assert Grade.DEGRADED in grades
    three_providers.main.faults.clear()
    three_providers.second.football_data.broken = three_providers.third.football_data.broken = None
    after = []
    for _ in range(6):
        three_providers.poll()
        after.append(three_providers.monitor.evaluate(three_providers.clock.now()).all)
    assert after[-1] is Grade.HEALTHY
    assert before <= {goal.key for goal in three_providers.live_goals()}


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


def test_health_a_match_that_a_provider_does_not_cover_is_not_a_failure(
    three_providers: ProvidersHarness, world: World
) -> None:
    three_providers.second.football_data.broken = "down"
    three_providers.poll()
    three_providers.second.football_data.broken = None
    three_providers.second.world = World(world.day, world.scripts[1:])
    for _ in range(8):
        three_providers.poll()
        looked = three_providers.monitor.evaluate(three_providers.clock.now())
    assert looked.grades["second"].grade is Grade.HEALTHY
    assert looked.freshness["second"].count == MATCHES - 1


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


@pytest.mark.parametrize("precedence", [{MAIN: 100}, {MAIN: 100, "second": 80}])
def test_A1_the_main_provider_switched_off_fails_no_match(
    database: Database[Document], world: World, clock: ManualClock, precedence: dict[str, int]
) -> None:
    with providers_harness(database, world, clock, precedence) as harness:
        harness.ingest()
        set_clock_after_kickoff(harness, minutes=5)
        harness.poll()
        harness.collector.state.switch(MAIN, False, clock.now())
        harness.poll()
        counters = harness.collector.state.figures()["counters"]
        assert counters[f"scrapes:{MAIN}:success"] == MATCHES
        assert f"scrapes:{MAIN}:failure" not in counters
        if harness.content.only_main:
            assert harness.monitor.summary(clock.now())["failure_ratio"] == 0.0
