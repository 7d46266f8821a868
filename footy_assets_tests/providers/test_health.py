"""Health of the providers, graded by the freshness of live matches."""

from dataclasses import replace
from datetime import timedelta

import pytest
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.providers.rules.descriptors import API_FOOTBALL
from footy_assets.providers.rules.health import Grade
from footy_assets.providers.rules.priority import Priority
from footy_assets.providers.store.records import ProviderRecords
from footy_assets.sim import World, make_world
from footy_assets.store.collections import Document
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


def test_with_one_provider_its_silence_is_graded_match_by_match(
    database: Database[Document], world: World, clock: ManualClock
) -> None:
    with providers_harness(database, world, clock, {API_FOOTBALL: 100}) as main_only:
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
    (last,) = [r for r in records.all() if r.priority is Priority.LIVE and r.domain == API_FOOTBALL]
    records.save(
        (r, replace(r, priority=Priority.COMPLETED))
        for r in records.all()
        if r.match_id == last.match_id
    )
    assert three_providers.monitor.evaluate(late).all is Grade.HEALTHY


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
