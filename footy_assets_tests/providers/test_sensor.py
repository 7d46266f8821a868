"""The health sensor and the checks, evaluated as Dagster does."""

import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import dagster as dg
import pytest
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.providers.checks import FRESH, IDENTIFIED
from footy_assets.providers.rules.descriptors import API_FOOTBALL
from footy_assets.providers.rules.identify import ListedMatch, UnsureMapping
from footy_assets.providers.store.records import ProviderRecords
from footy_assets.settings import Settings, load_settings
from footy_assets.sim import World, make_world
from footy_assets.store.collections import Document
from footy_assets_tests.providers.harness import ProvidersHarness, providers_harness
from resources.clock import ClockResource
from resources.mongo.resource import MongoResource
from sensors.providers import provider_health_sensor


@pytest.fixture(scope="session")
def world() -> World:
    return make_world(matches=2)


@pytest.fixture
def harness(
    database: Database[Document], world: World, clock: ManualClock
) -> Iterator[ProvidersHarness]:
    with providers_harness(database, world, clock, {API_FOOTBALL: 100}) as harness:
        harness.ingest()
        clock.at = max(script.kickoff for script in world.scripts) + timedelta(minutes=5)
        yield harness


def tick(
    settings: Settings, clock: ManualClock, mongo: MongoResource, cursor: str | None
) -> dg.SensorResult:
    resources = {
        "mongo": mongo,
        "clock": ClockResource(spec=f"{clock.at.isoformat()}@1@{time.time()}"),
    }
    with dg.build_sensor_context(cursor=cursor, resources=resources) as context:
        result = provider_health_sensor(settings)(context)
    assert isinstance(result, dg.SensorResult)
    return result


def checks_of(result: dg.SensorResult) -> dict[str, dg.AssetCheckEvaluation]:
    events = [e for e in result.asset_events or () if isinstance(e, dg.AssetCheckEvaluation)]
    return {event.check_name: event for event in events}


def test_the_sensor_reports_the_checks_when_the_grade_changes(
    harness: ProvidersHarness, clock: ManualClock, mongo_uri: str, tmp_path: Path
) -> None:
    settings = load_settings(home=tmp_path)
    mongo = MongoResource(uri=mongo_uri, database_name=harness.store.database.name)
    harness.poll()
    first = tick(settings, clock, mongo, None)
    assert (first.cursor or "").startswith("healthy")
    harness.main.faults.fail(times=None)
    for _ in range(5):
        harness.poll()
    second = tick(settings, clock, mongo, first.cursor)
    assert (second.cursor or "").startswith("failing")
    checks = checks_of(second)
    assert not checks[FRESH].passed
    assert checks[FRESH].severity is dg.AssetCheckSeverity.ERROR
    clock.advance(15)
    third = tick(settings, clock, mongo, second.cursor)
    assert (third.cursor or "").startswith("recovering")
    assert not checks_of(third)[FRESH].passed
    clock.advance(15)
    fourth = tick(settings, clock, mongo, third.cursor)
    assert fourth.asset_events in (None, [])


def test_a_poll_that_is_dead_during_a_match_fails_the_check_of_freshness_after_a_minute(
    harness: ProvidersHarness, clock: ManualClock, mongo_uri: str, tmp_path: Path
) -> None:
    settings = load_settings(home=tmp_path)
    mongo = MongoResource(uri=mongo_uri, database_name=harness.store.database.name)
    harness.poll()
    result = tick(settings, clock, mongo, None)
    fresh = checks_of(result)[FRESH]
    silent = 0
    while silent < 300 and checks_of(result).get(FRESH, fresh).passed:
        clock.advance(15)
        silent += 15
        result = tick(settings, clock, mongo, result.cursor)
    assert 60 <= silent <= 75


def test_A4_an_unsure_mapping_that_appears_while_healthy_fails_its_check(
    harness: ProvidersHarness, clock: ManualClock, mongo_uri: str, tmp_path: Path
) -> None:
    settings = load_settings(home=tmp_path)
    mongo = MongoResource(uri=mongo_uri, database_name=harness.store.database.name)
    harness.poll()
    first = tick(settings, clock, mongo, None)
    assert checks_of(first)[IDENTIFIED].passed
    theirs = ListedMatch("x", clock.at, "Man City", "Chelsea", None)
    unsure = UnsureMapping(theirs, ("2",), "team Man City for Manchester City")
    ProviderRecords(harness.store.database).save_unsure_mapping("second", unsure, clock.at)
    second = tick(settings, clock, mongo, first.cursor)
    assert not checks_of(second)[IDENTIFIED].passed
    assert checks_of(second)[FRESH].passed
    assert not checks_of(tick(settings, clock, mongo, second.cursor))


def test_definitions_hold_the_sensor_and_the_checks() -> None:
    from footy_assets.definitions import defs

    loaded = defs()
    repository = loaded.get_repository_def()
    assert repository.get_sensor_def("provider_health")
    names = {key.name for key in repository.asset_graph.asset_check_keys if "providers" in key.name}
    assert names == {"providers_fresh", "providers_identified"}
