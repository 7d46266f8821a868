"""`match_snapshots`, `trigger_activations` and the stages' tick, through Dagster."""

import time
from datetime import timedelta

import dagster as dg
import pytest
from pymongo.database import Database

from footy_assets.matchday.assets import fixtures, live_events
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.settings import load_settings
from footy_assets.sim import SimServer, fixture_json, goal, var_cancel
from footy_assets.store.collections import EVENTS, NOTIFICATIONS, Document
from footy_assets.triggers.assets import (
    match_snapshots,
    no_dead_letters,
    replay_agrees,
    trigger_activations,
)
from footy_assets.triggers.store.outbox import Outbox
from footy_assets.triggers.store.snapshots import SnapshotStore
from footy_assets.triggers.store.triggers import TriggerStore
from footy_assets_tests.fixtures.past_days import Scenario
from footy_assets_tests.matchday.harness import MatchdayHarness
from footy_assets_tests.triggers.fake_subscriber import subscriber
from footy_assets_tests.triggers.rules.builders import option, trigger
from resources.api_football.client import ApiFootball
from resources.clock import ClockResource
from resources.mongo.resource import MongoResource
from sensors.triggers import trigger_notifications_sensor, trigger_stages_sensor

pytestmark = pytest.mark.slow

CHECKS = [no_dead_letters, replay_agrees]


def metadata(result: dg.ExecuteInProcessResult, asset: str) -> dict[str, object]:
    [event] = result.asset_materializations_for_node(asset)
    return {name: value.value for name, value in event.metadata.items()}


def test_a_backfilled_matchday_is_evaluated_without_notifications(past_days: Scenario) -> None:
    database, day = past_days.store.database, past_days.days()[0]
    scripts = [s for s in past_days.world.scripts if s.kickoff.date().isoformat() == day]
    with subscriber() as fake:
        Outbox(database).subscribe(fake.url, scripts[0].kickoff, fake.secret)
        for script in scripts:
            full_time = trigger(option("match.status", "eq", "FT"), scope_id=str(script.fixture_id))
            TriggerStore(database).create(full_time, script.kickoff)
        runs = [
            dg.materialize(
                [fixtures, live_events, match_snapshots, trigger_activations, *CHECKS],
                partition_key=day,
                resources=past_days.resources,
                instance=past_days.instance,
            )
            for _ in range(2)
        ]
        resources = {name: past_days.resources[name] for name in ("mongo", "clock")}
        for sensor in (trigger_stages_sensor, trigger_notifications_sensor):
            with dg.build_sensor_context(resources=resources) as context:
                sensor(load_settings())(context)
        assert fake.requests == 0
    metadata_by_run = [metadata(run, "trigger_activations") for run in runs]
    assert metadata_by_run[0] == metadata_by_run[1]
    assert metadata_by_run[0]["dry_run"] is True
    assert metadata_by_run[0]["same_as_live"] is True
    assert metadata_by_run[0]["activations_again"] == len(scripts)
    assert metadata_by_run[0]["activations"] == 0
    assert database[NOTIFICATIONS].count_documents({}) == 0
    assert all(evaluation.passed for evaluation in runs[1].get_asset_check_evaluations())


def test_the_tick_stores_evaluates_notifies_and_reports(
    database: Database[Document], mongo_uri: str, sim: SimServer
) -> None:
    with ApiFootball(sim.url, None) as feed, subscriber() as fake:
        harness = MatchdayHarness(MatchdayStore(database), sim, feed, sim.clock)  # type: ignore[arg-type]
        salah = goal(10, player=234, name="M. Salah")
        sim.put(fixture_json(5000, status="NS", kickoff=harness.clock.now()))
        harness.track()
        first = trigger(option("goal.player", "in", 234))
        TriggerStore(database).create(first, harness.clock.now(), "salah")
        Outbox(database).subscribe(fake.url, harness.clock.now(), fake.secret)
        kickoff = harness.clock.now()
        sensor = trigger_stages_sensor(load_settings())
        notify = trigger_notifications_sensor(load_settings(notify_private_addresses=True))

        def tick() -> dg.SensorResult:
            harness.clock.advance(30)
            spec = f"{harness.clock.now().isoformat()}@1@{time.time()}"
            resources = {
                "mongo": MongoResource(uri=mongo_uri, database_name=database.name),
                "clock": ClockResource(spec=spec),
            }
            with dg.build_sensor_context(resources=resources) as context:
                result = sensor(context)
            with dg.build_sensor_context(resources=resources) as context:
                notify(context)
            assert isinstance(result, dg.SensorResult)
            return result

        harness.put_and_poll({"status": "1H", "kickoff": kickoff, "goals": [salah]})
        result = tick()
        assert database[EVENTS].count_documents({"preferred": True}) == 1, "T24: searched first"
        gone = {"status": "1H", "kickoff": kickoff, "events": [var_cancel(11, player=234)]}
        harness.put_and_poll(gone)
        tick()
        assert tick().asset_events == []
    assert [(b["trigger_id"], b.get("retracted", False)) for _, b in fake.received] == [
        ("salah", False),
        ("salah", True),
    ]
    day = kickoff.date().isoformat()
    reported = {(e.asset_key.to_user_string(), e.partition) for e in result.asset_events}
    assert reported == {("match_snapshots", day), ("trigger_activations", day)}
    assert timedelta(0) < harness.clock.now() - kickoff


@pytest.mark.parametrize(("days_later", "waits"), [(1, True), (2, False)])
def test_a_match_in_play_after_midnight_is_evaluated_however_it_is_stored(
    database: Database[Document],
    mongo_uri: str,
    sim: SimServer,
    days_later: int,
    waits: bool,
) -> None:
    with ApiFootball(sim.url, None) as feed:
        harness = MatchdayHarness(MatchdayStore(database), sim, feed, sim.clock)  # type: ignore[arg-type]
        kickoff = harness.clock.now()
        sim.put(fixture_json(5000, status="NS", kickoff=kickoff))
        harness.track()
        harness.put_and_poll({"status": "1H", "kickoff": kickoff})
    later = kickoff + timedelta(days=days_later)
    resources = {
        "mongo": MongoResource(uri=mongo_uri, database_name=database.name),
        "clock": ClockResource(spec=f"{later.isoformat()}@1@{time.time()}"),
    }
    day = kickoff.date().isoformat()
    assert dg.materialize([match_snapshots], partition_key=day, resources=resources).success
    assert SnapshotStore(database).scopes_of(day) == ["game/5000"]
    assert bool(SnapshotStore(database).waiting_scopes()) is waits


def test_dead_letters_fail_their_check(past_days: Scenario) -> None:
    database = past_days.store.database
    letter = {"_id": "k", "state": "dead", "last_error": "HTTP 500", "failed_at": 0, "lane": "a"}
    database[NOTIFICATIONS].insert_one(letter)
    result = dg.materialize(
        [trigger_activations, no_dead_letters],
        partition_key=past_days.days()[0],
        resources=past_days.resources,
        instance=past_days.instance,
    )
    [evaluation] = result.get_asset_check_evaluations()
    assert not evaluation.passed
    assert "HTTP 500" in str(evaluation.description)
