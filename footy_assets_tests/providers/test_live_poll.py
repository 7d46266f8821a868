"""The live poll on top of several providers: what each kind of trouble does to goals."""

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
from footy_assets.providers.rules.descriptors import MAIN, Limits
from footy_assets.providers.rules.health import Grade
from footy_assets.providers.rules.identify import ListedMatch
from footy_assets.providers.rules.priority import Priority
from footy_assets.providers.rules.task import REQUEST_SECONDS, TASK_SECONDS, TaskState
from footy_assets.providers.store.records import ProviderRecords
from footy_assets.providers.store.snapshots import MergedSnapshots
from footy_assets.sim import World
from footy_assets.store.collections import PROVIDER_FIGURES, Document
from footy_assets_tests.providers.stand import Stand, descriptor, stand
from resources.football_data.client import FootballData

pytestmark = pytest.mark.slow

MATCHES = 4


@pytest.fixture(scope="session")
def world() -> World:
    """A few ordinary matches at once."""
    from footy_assets.sim import make_world

    return make_world(matches=MATCHES)


@pytest.fixture
def three(database: Database[Document], world: World, clock: ManualClock) -> Iterator[Stand]:
    with stand(database, world, clock) as made:
        made.ingest()
        kicked_off(made, minutes=2)
        yield made


def kicked_off(made: Stand, minutes: float) -> None:
    assert isinstance(made.clock, ManualClock)
    last = max(script.kickoff for script in made.main.world.scripts)
    made.clock.at = last + timedelta(minutes=minutes)


def first_seen(made: Stand, minutes: int) -> dict[tuple[int, int, int], datetime]:
    """When each goal was first an event of ours, by match, team and minute."""
    for _ in range(minutes * 2):
        made.poll()
    return {
        (goal.fixture_id, goal.team_id, goal.minute.elapsed): goal.first_seen_at
        for goal in made.live_goals()
        if goal.first_seen_at is not None
    }


def test_with_one_provider_nothing_changes(
    database: Database[Document], world: World, clock: ManualClock
) -> None:
    with stand(database, world, clock, {MAIN: 100}) as made:
        made.ingest()
        kicked_off(made, minutes=-10)
        ids = list(world.fixture_ids)
        for _ in range(14):
            clock.advance(600)
            plain, merged = made.raw.by_ids(ids), made.feed.by_ids(ids)
            assert merged.sightings == plain.sightings
            assert (merged.failures, merged.calls) == (plain.failures, plain.calls)
        made.main.faults.fail(times=None)
        assert made.feed.by_ids(ids).failures == made.raw.by_ids(ids).failures


class Writes(monitoring.CommandListener):
    """Commands that change something."""

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
        stand(client[database.name], world, clock, {MAIN: 100}) as made,
    ):
        made.ingest()
        kicked_off(made, minutes=20)
        for _ in range(4):
            made.poll(0)
        writes.seen.clear()
        report = run_cycle(made.store, made.feed, clock, made.policy)
        assert report.sighted == MATCHES
        assert writes.seen == []
        made.feed.record_poll()
        assert writes.seen == [PROVIDER_FIGURES]
        made.feed.record_poll()
        assert writes.seen == [PROVIDER_FIGURES]


def test_with_one_provider_its_silence_is_graded_match_by_match(
    database: Database[Document], world: World, clock: ManualClock
) -> None:
    with stand(database, world, clock, {MAIN: 100}) as only_main:
        only_main.ingest()
        kicked_off(only_main, minutes=5)
        only_main.poll()
        summary = only_main.monitor.summary(clock.now())
        assert (summary["freshness"]["count"], summary["freshness"]["max"]) == (MATCHES, 0.0)
        assert summary["failure_ratio"] == 0.0
        only_main.main.faults.fail(times=None)
        grades = []
        for _ in range(5):
            only_main.poll()
            grades.append(only_main.monitor.evaluate(clock.now()).all)
        assert grades == [Grade.HEALTHY, *[Grade.DEGRADED], *[Grade.FAILING] * 3]
        summary = only_main.monitor.summary(clock.now())
        assert (summary["freshness"]["max"], summary["failure_ratio"]) == (150.0, 1.0)
        only_main.main.faults.clear()
        for _ in range(3):
            only_main.poll()
            only_main.monitor.evaluate(clock.now())
        assert only_main.monitor.state.grade()[0].grade is Grade.HEALTHY
        assert ProviderRecords(database).all() == []


def test_A3_a_slow_provider_delays_no_other(three: Stand, world: World) -> None:
    three.second.football_data.slow_seconds = 1.5
    hasty = Collector(
        *(three.store, three.adapters, three.clock, lambda: three.content), wait_seconds=0.5
    )
    three.poll()
    assert isinstance(three.clock, ManualClock)
    three.clock.advance(30)
    first = hasty.round()
    assert {result.batch.domain for result in first.results} == {"third"}
    assert hasty.round().results == []
    results: list[BatchResult] = []
    while not results:
        results = hasty.round().results
    assert [(one.batch.domain, one.task.state) for one in results] == [
        ("second", TaskState.SUCCESS)
    ]
    assert three.second.football_data.request_count == 2


def test_retry_15_s_a_request_and_45_s_a_task(
    three: Stand, monkeypatch: pytest.MonkeyPatch
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

    adapters = {"second": Hangs(three.second.url)}
    hasty = Collector(
        *(three.store, adapters, three.clock, lambda: three.content), wait_seconds=0.1
    )
    results: list[BatchResult] = []
    while not results:
        results = hasty.round().results
    finished.set()
    assert within == [15.0]
    assert [(one.task.state, one.answer) for one in results] == [(TaskState.ABANDONED, None)]


def test_A3_what_is_tried_again_waits_for_its_turn(three: Stand) -> None:
    times: list[datetime] = []

    class Down(FootballData):
        def fetch(self, wanted: Sequence[ListedMatch], within: float) -> FetchResult:
            times.append(three.clock.now())
            raise ProviderUnavailable("down")

    content = descriptor({MAIN: 100, "second": 80}, Limits(min_interval=10))
    patient = Collector(
        *(three.store, {"second": Down(three.second.url)}, three.clock, lambda: content),
        jitter=lambda: 0.0,
        wait_seconds=TASK_SECONDS,
    )
    patient.round()
    assert [(at - times[0]).total_seconds() for at in times] == [0, 10, 20]
    assert patient.round().results == []


def test_A3_an_abandoned_request_counts_against_the_limit_until_it_ends(
    three: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provider_requests, "TASK_SECONDS", 0.2)
    requests, answer = [], Event()

    class Hangs(FootballData):
        def fetch(self, wanted: Sequence[ListedMatch], within: float) -> FetchResult:
            requests.append(within)
            answer.wait(10)
            return FetchResult(())

    content = descriptor({MAIN: 100, "second": 80}, Limits(max_concurrent=1))
    hasty = Collector(
        *(three.store, {"second": Hangs(three.second.url)}, three.clock, lambda: content),
        wait_seconds=0.3,
    )
    three.poll()
    assert isinstance(three.clock, ManualClock)
    assert [one.task.state for one in hasty.round().results] == [TaskState.ABANDONED]
    three.clock.advance(30)
    made = hasty.round().plan
    assert made is not None
    assert (len(made.start), len(made.deferred), len(requests)) == (0, 1, 1)
    answer.set()
    while not hasty.round().results:
        assert len(requests) <= 2
    assert len(requests) == 2


def test_a_provider_that_surprises_us_is_a_failure_and_stops_no_other(three: Stand) -> None:
    class Odd(FootballData):
        def fetch(self, wanted: Sequence[ListedMatch], within: float) -> FetchResult:
            raise ZeroDivisionError("odd")

    three.adapters["second"] = Odd(three.second.url)
    results = {one.batch.domain: one for one in three.collector.round().results}
    assert results["second"].task.state is TaskState.FAILED
    assert results["second"].reason == "ZeroDivisionError: odd"
    assert results["third"].task.state is TaskState.SUCCESS


def test_health_is_evaluated_every_15_s_by_the_first_process(three: Stand) -> None:
    three.poll()
    now = three.clock.now()
    assert three.monitor.evaluate_if_due(now) is not None
    assert three.monitor.evaluate_if_due(now + timedelta(seconds=14)) is None
    assert three.monitor.evaluate_if_due(now + timedelta(seconds=15)) is not None


def test_health_only_LIVE_matches_count(three: Stand, world: World) -> None:
    three.poll()
    assert three.monitor.summary(three.clock.now())["freshness"]["count"] == MATCHES
    three.main.faults.fail(times=None)
    three.second.football_data.broken = three.third.football_data.broken = "down"
    records = ProviderRecords(three.store.database)
    over = [
        (record, replace(record, priority=Priority.COMPLETED))
        for record in records.all()
        if record.match_id != world.fixture_ids[0]
    ]
    records.save(over)
    late = three.clock.now() + timedelta(seconds=200)
    fresh = three.monitor.evaluate(late).freshness["all"]
    assert (fresh.count, fresh.max) == (1, 200.0)
    (last,) = [r for r in records.all() if r.priority is Priority.LIVE and r.domain == MAIN]
    records.save(
        (r, replace(r, priority=Priority.COMPLETED))
        for r in records.all()
        if r.match_id == last.match_id
    )
    assert three.monitor.evaluate(late).all is Grade.HEALTHY


def test_a_provider_40_s_faster_makes_a_goal_appear_40_s_earlier(
    database: Database[Document], world: World, clock: ManualClock
) -> None:
    with stand(database, world, clock, {MAIN: 100}) as only_main:
        only_main.ingest()
        kicked_off(only_main, 2)
        began = clock.at
        slow = first_seen(only_main, 44)
    database.client.drop_database(database.name)
    with stand(database, world, clock, {MAIN: 100, "second": 80}) as both:
        clock.at = world.starts_at
        both.ingest()
        clock.at = began
        both.second.football_data.lens.offset = timedelta(seconds=40)
        fast = first_seen(both, 44)
        stable = [goal for goal in both.live_goals() if goal.stable]
    # What was there at the first poll is as early as can be.
    common = {key for key in slow.keys() & fast.keys() if slow[key] > began + timedelta(minutes=1)}
    assert len(common) >= 3
    gains = [(slow[key] - fast[key]).total_seconds() for key in common]
    assert set(gains) <= {30.0, 60.0}
    assert slow.keys() == fast.keys()
    # E4: three polls in which the scorer is known, none of them of the time before.
    assert stable
    for goal in stable:
        assert goal.stable_at is not None
        assert goal.first_seen_at is not None
        assert goal.stable_at - goal.first_seen_at >= timedelta(seconds=60)
        assert len(goal.seen_in_polls) == 3


def test_main_down_no_goal_is_lost_and_none_goes_missing(three: Stand, world: World) -> None:
    for _ in range(20):
        three.poll()
    before = {goal.key for goal in three.live_goals()}
    three.main.faults.fail(times=None)
    for _ in range(30):
        three.poll()
        spots = [(g.fixture_id, g.team_id, g.minute) for g in three.live_goals()]
        assert len(spots) == len(set(spots))
    assert before <= {goal.key for goal in three.live_goals()}
    down_since = three.clock.now()
    three.main.faults.clear()
    for _ in range(8):
        three.poll()
    summary = three.raw.by_ids(list(world.fixture_ids)).sightings
    for id_, sighting in summary.items():
        ours = [goal for goal in three.live_goals() if goal.fixture_id == id_]
        assert len(ours) == len(sighting.goals or ())
        named = [g for g in sighting.goals or () if g.scorer.known]
        assert sum(goal.player.known for goal in ours) == len(named)
    seen_meanwhile = [
        goal
        for goal in three.live_goals()
        if goal.key not in before and goal.first_seen_at and goal.first_seen_at <= down_since
    ]
    assert seen_meanwhile


def test_main_wrong_by_one_goal_makes_no_wrong_goal_stable(three: Stand, world: World) -> None:
    three.poll()
    liar = world.fixture_ids[0]
    minute = three.raw.by_ids([liar]).sightings[liar].elapsed
    assert minute is not None
    three.main.lens.invented[liar] = minute
    wrong_states = set()
    for _ in range(16):
        three.poll()
        wrong = [goal for goal in three.live_goals() if goal.player.name == "N. Obody"]
        wrong_states |= {goal.state for goal in wrong}
        assert not any(goal.stable for goal in wrong)
    assert wrong_states <= {EventState.DETECTED, EventState.DEBOUNCING}
    assert any(
        entry["field"] == "score.home"
        for entry in MergedSnapshots(three.store.database).conflicts()
    )
    three.main.lens.invented.clear()
    for _ in range(4):
        three.poll()
    assert not [goal for goal in three.live_goals() if goal.player.name == "N. Obody"]


def test_main_stale_the_others_are_trusted(three: Stand, world: World) -> None:
    for _ in range(4):
        three.poll()
    three.main.lens.frozen_at = three.clock.now()
    before = {goal.key for goal in three.live_goals()}
    for _ in range(30):
        three.poll()
        three.monitor.evaluate(three.clock.now())
    summary = three.adapters["second"]
    assert summary is not None
    fixtures = three.store.fixtures_by_id(list(world.fixture_ids))
    truth = {id_: world.fixture_at(id_, three.clock.now()) for id_ in world.fixture_ids}
    for id_, fixture in fixtures.items():
        goals = truth[id_]["goals"]
        assert fixture.goals == (goals["home"], goals["away"])
    assert before <= {goal.key for goal in three.live_goals()}
    assert three.monitor.state.grade(MAIN)[0].grade is Grade.FAILING
    assert three.monitor.state.grade()[0].grade is Grade.HEALTHY


def test_main_rolled_back_without_a_reason_keeps_the_score(three: Stand, world: World) -> None:
    """A cache of half an hour ago, with its clock running on."""
    for _ in range(60):
        three.poll()
    scored = {
        id_: fixture.goals
        for id_, fixture in three.store.fixtures_by_id(list(world.fixture_ids)).items()
        if sum(goal or 0 for goal in fixture.goals)
    }
    assert scored
    three.main.lens.offset = timedelta(minutes=-30)
    three.poll()
    three.poll()
    now = three.store.fixtures_by_id(list(scored))
    for id_, goals in scored.items():
        assert all(
            (after or 0) >= (before or 0)
            for before, after in zip(goals, now[id_].goals, strict=True)
        )


def test_main_stale_and_the_others_down_removes_no_goal(three: Stand, world: World) -> None:
    three.poll()
    three.main.lens.frozen_at = three.clock.now()
    for _ in range(60):
        three.poll()
    scored = {i: f.goals for i, f in three.store.fixtures_by_id(list(world.fixture_ids)).items()}
    frozen = three.raw.by_ids(list(world.fixture_ids)).sightings
    assert any(scored[i] > (s.goals_home, s.goals_away) for i, s in frozen.items())
    seen = {goal.key for goal in three.live_goals()}
    three.second.football_data.broken = three.third.football_data.broken = "down"
    for _ in range(9):
        three.poll()
    assert {i: f.goals for i, f in three.store.fixtures_by_id(list(scored)).items()} == scored
    assert {goal.key for goal in three.live_goals()} == seen


def test_all_down_for_two_minutes_and_back(three: Stand) -> None:
    for _ in range(10):
        three.poll()
    before = {goal.key for goal in three.live_goals()}
    three.main.faults.fail(times=None)
    three.second.football_data.broken = three.third.football_data.broken = "down"
    grades = []
    for _ in range(5):
        three.poll()
        grades.append(three.monitor.evaluate(three.clock.now()).all)
    assert grades[-1] is Grade.FAILING
    assert Grade.DEGRADED in grades
    three.main.faults.clear()
    three.second.football_data.broken = three.third.football_data.broken = None
    after = []
    for _ in range(6):
        three.poll()
        after.append(three.monitor.evaluate(three.clock.now()).all)
    assert after[-1] is Grade.HEALTHY
    assert before <= {goal.key for goal in three.live_goals()}


def test_A3_not_found_is_not_requested_again_for_a_minute(three: Stand, world: World) -> None:
    three.second.world = World(world.day, world.scripts[1:])
    three.poll()
    records = ProviderRecords(three.store.database)
    missing = world.fixture_ids[0]
    assert (missing, "second") in records.of([missing])
    assert records.of([missing])[missing, "second"].successes == 0
    assert records.of([missing])[missing, "third"].successes == 1


def test_health_a_match_that_a_provider_does_not_cover_is_not_a_failure(
    three: Stand, world: World
) -> None:
    three.second.football_data.broken = "down"
    three.poll()
    three.second.football_data.broken = None
    three.second.world = World(world.day, world.scripts[1:])
    for _ in range(8):
        three.poll()
        looked = three.monitor.evaluate(three.clock.now())
    assert looked.grades["second"].grade is Grade.HEALTHY
    assert looked.freshness["second"].count == MATCHES - 1


def test_A2_an_answer_of_which_no_row_can_be_read_is_a_failure(three: Stand, world: World) -> None:
    class Redesigned(FootballData):
        def fetch(self, wanted: Sequence[ListedMatch], within: float) -> FetchResult:
            return FetchResult(
                (), (Unreadable("row 7", "no score"), Unreadable("row 8", "no score"))
            )

    three.adapters["second"] = Redesigned(three.second.url)
    assert isinstance(three.clock, ManualClock)
    three.clock.advance(30)
    results = {one.batch.domain: one for one in three.collector.round().results}
    assert results["second"].answer is None
    assert results["second"].reason == "2 rows, none readable; row 7: no score"
    record = ProviderRecords(three.store.database).of([world.fixture_ids[0]])
    assert record[world.fixture_ids[0], "second"].failures == 1
    counters = three.collector.state.figures()["counters"]
    assert counters["scrapes:second:failure"] == MATCHES


def test_A3_a_limit_of_the_provider_defers_and_fails_nothing(three: Stand, world: World) -> None:
    three.second.football_data.broken = "limited"
    three.poll()
    assert three.second.football_data.request_count == 1
    three.poll()
    assert three.second.football_data.request_count == 1
    three.second.football_data.broken = None
    three.poll(60)
    assert three.second.football_data.request_count == 2
    record = ProviderRecords(three.store.database).of([world.fixture_ids[0]])
    assert record[world.fixture_ids[0], "second"].failures == 0


def test_lifecycle_five_failures_pause_a_match_for_300_s(three: Stand, world: World) -> None:
    three.second.football_data.broken = "down"
    records = ProviderRecords(three.store.database)
    id_ = world.fixture_ids[0]
    for _ in range(5):
        assert not (r := records.of([id_]).get((id_, "second"))) or not r.paused
        three.poll()
    assert records.of([id_])[id_, "second"].paused
    requests = three.second.football_data.request_count
    three.second.football_data.broken = None
    for _ in range(9):
        three.poll()
    assert three.second.football_data.request_count == requests
    three.poll(60)
    assert not records.of([id_])[id_, "second"].paused
    assert records.of([id_])[id_, "second"].life.failures == 0


def test_A1_a_provider_switched_off_gets_no_requests(three: Stand) -> None:
    three.collector.state.switch("second", False, three.clock.now())
    three.poll()
    assert three.second.football_data.request_count == 0
    assert three.third.football_data.request_count == 1
    three.collector.state.switch("second", True, three.clock.now())
    three.poll()
    assert three.second.football_data.request_count == 1


@pytest.mark.parametrize("precedence", [{MAIN: 100}, {MAIN: 100, "second": 80}])
def test_A1_the_main_provider_switched_off_fails_no_match(
    database: Database[Document], world: World, clock: ManualClock, precedence: dict[str, int]
) -> None:
    with stand(database, world, clock, precedence) as made:
        made.ingest()
        kicked_off(made, minutes=5)
        made.poll()
        made.collector.state.switch(MAIN, False, clock.now())
        made.poll()
        counters = made.collector.state.figures()["counters"]
        assert counters[f"scrapes:{MAIN}:success"] == MATCHES
        assert f"scrapes:{MAIN}:failure" not in counters
        if made.content.only_main:
            assert made.monitor.summary(clock.now())["failure_ratio"] == 0.0
