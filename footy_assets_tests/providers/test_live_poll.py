"""The live poll on top of several providers: how each kind of fault affects goals."""

from datetime import datetime, timedelta

import pytest
from pymongo import MongoClient, monitoring
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.matchday.confirm import run_extra_cycle
from footy_assets.matchday.monitor import CycleReport, run_cycle
from footy_assets.matchday.rules.goal import EventState
from footy_assets.providers.rules.descriptors import API_FOOTBALL
from footy_assets.providers.rules.health import Grade
from footy_assets.providers.store.records import ProviderRecords
from footy_assets.providers.store.snapshots import MergedSnapshots
from footy_assets.sim import World, make_world
from footy_assets.store.collections import PROVIDER_FIGURES, Document
from footy_assets_tests.providers.harness import (
    MATCHES,
    ProvidersHarness,
    providers_harness,
    set_clock_after_kickoff,
)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="session")
def world() -> World:
    """A few ordinary matches at once."""
    return make_world(matches=MATCHES)


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
    with providers_harness(database, world, clock, {API_FOOTBALL: 100}) as harness:
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
        providers_harness(client[database.name], world, clock, {API_FOOTBALL: 100}) as harness,
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


def test_a_provider_40_s_faster_makes_a_goal_appear_40_s_earlier(
    database: Database[Document], world: World, clock: ManualClock
) -> None:
    with providers_harness(database, world, clock, {API_FOOTBALL: 100}) as main_only:
        main_only.ingest()
        set_clock_after_kickoff(main_only, 2)
        started_at = clock.at
        slow = first_seen(main_only, 44)
    database.client.drop_database(database.name)
    with providers_harness(database, world, clock, {API_FOOTBALL: 100, "second": 80}) as both:
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


def test_f11_an_extra_poll_does_not_count_what_others_reported_once_more(
    three_providers: ProvidersHarness,
) -> None:
    report = three_providers.poll()
    while not report.unconfirmed:
        report = three_providers.poll()
    extra_feed, clock = three_providers.feed.for_extra_polls(), three_providers.clock
    records = ProviderRecords(three_providers.store.database)
    ids = sorted(report.unconfirmed)

    def extra() -> CycleReport:
        clock.sleep(10)
        polled = run_extra_cycle(
            three_providers.store, extra_feed, clock, three_providers.policy, ids
        )
        extra_feed.record_poll()
        return polled

    before, known = three_providers.live_goals(), records.of(ids)
    three_providers.main.faults.fail(times=None)
    failed = extra()
    assert (failed.sighted, failed.written) == (0, 0)
    assert three_providers.live_goals() == before
    assert records.of(ids) == known, "a failure of an extra poll pauses no match"
    three_providers.main.faults.clear()
    seen = extra()
    assert (seen.sighted, seen.written) == (len(ids), len(ids))


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
    assert three_providers.monitor.state.grade(API_FOOTBALL)[0].grade is Grade.FAILING
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
