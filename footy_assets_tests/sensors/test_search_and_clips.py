"""The sensors of searches and clips: which runs and partitions they request of Dagster."""

import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import dagster as dg
import pytest
from pymongo.database import Database

from footy_assets.clock import ScaledClock
from footy_assets.search.jobs import search_job
from footy_assets.search.rules.posts import Post
from footy_assets.search.store.ahead import AheadStore
from footy_assets.search.store.claims import SearchClaims
from footy_assets.search.store.searches import SearchStore
from footy_assets.search.store.site_health import SiteHealth
from footy_assets.search.store.videos import VideoStore
from footy_assets.settings import load_settings
from footy_assets.store.collections import EVENTS, Document
from footy_assets_tests.matchday.goals import GOAL, STABLE, put_goal
from footy_assets_tests.runs import stored_run
from resources.clock import ClockResource
from resources.mongo.resource import MongoResource
from resources.policy import PolicyResource
from sensors.clips import clips_due_sensor
from sensors.search import search_due_sensor


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as instance:
        yield instance


@pytest.fixture
def resources(mongo_uri: str, database: Database[Document]) -> dict[str, Any]:
    return {
        "mongo": MongoResource(uri=mongo_uri, database_name=database.name),
        "policy": PolicyResource.from_settings(load_settings(canary_minutes=0)),
        "clock": clock_at(STABLE),
    }


def clock_at(moment: datetime) -> ClockResource:
    return ClockResource(spec=ScaledClock(moment, 1.0, time.time()).spec())


def tick(
    sensor: dg.SensorDefinition, resources: dict[str, Any], instance: dg.DagsterInstance
) -> dg.SensorResult:
    wanted = {name: resources[name] for name in sensor.required_resource_keys}
    with dg.build_sensor_context(instance=instance, resources=wanted) as context:
        result = sensor(context)
    assert isinstance(result, dg.SensorResult)
    return result


def test_se1_a_stable_goal_gets_its_partition_and_a_sweep(
    resources: dict[str, Any], instance: dg.DagsterInstance, database: Database[Document]
) -> None:
    put_goal(database)
    result = tick(search_due_sensor(load_settings()), resources, instance)
    (added,) = result.dynamic_partitions_requests or ()
    assert isinstance(added, dg.AddDynamicPartitionsRequest)
    assert added.partition_keys == [GOAL.event_id]
    assert len(result.run_requests or ()) == 1


def test_se5_canaries_of_sites_that_are_on_are_requested_when_no_goal_is_due(
    resources: dict[str, Any], database: Database[Document], instance: dg.DagsterInstance
) -> None:
    settings = load_settings(sites="x,reddit")
    resources["policy"] = PolicyResource.from_settings(settings)
    sensor, health = search_due_sensor(settings), SiteHealth(database)
    (request,) = tick(sensor, resources, instance).run_requests or ()
    assert request.tags["footy/label"] == "canary-2-sites"
    assert "dagster/priority" not in request.tags
    for site in ("x", "reddit"):
        assert health.claim_canary(site, STABLE, timedelta(hours=1))
    assert tick(sensor, resources, instance).run_requests == []


@pytest.mark.parametrize("kind", ["search", "ahead"])
def test_se1_what_a_killed_run_has_claimed_is_due_again_at_once(
    kind: str, resources: dict[str, Any], instance: dg.DagsterInstance, database: Database[Document]
) -> None:
    stable_at = STABLE if kind == "search" else None
    put_goal(database, replace(GOAL, stable_at=stable_at))
    run = stored_run(instance, dg.DagsterRunStatus.STARTED, search_job)
    searches, ahead = SearchStore(database, run.run_id), AheadStore(database, run.run_id)
    searches.open_searches()
    ahead.open(STABLE)
    claimed = searches.claim(GOAL.key, STABLE) or ahead.claim(GOAL.key, STABLE)
    assert claimed is not None
    sensor = search_due_sensor(load_settings())
    assert tick(sensor, resources, instance).run_requests == [], "it may be at work"
    instance.report_run_failed(run)
    assert len(tick(sensor, resources, instance).run_requests or ()) == 1
    assert SearchClaims(database).holders() == set()


@pytest.mark.parametrize(("sweeps", "goals", "wanted"), [(1, 12, 1), (3, 5, 1), (3, 12, 3)])
def test_se5_more_than_one_sweep_where_it_is_allowed_and_much_is_due(
    sweeps: int,
    goals: int,
    wanted: int,
    resources: dict[str, Any],
    instance: dg.DagsterInstance,
    database: Database[Document],
) -> None:
    for number in range(goals):
        put_goal(
            database, replace(GOAL, key=f"goal-{number}", event_id=f"5000_40_306_Goal_{number}")
        )
    sensor = search_due_sensor(load_settings(sweeps=sweeps))
    requested = 0
    while tick(sensor, resources, instance).run_requests:
        stored_run(instance, dg.DagsterRunStatus.STARTED, search_job)
        requested += 1
    assert requested == wanted


def test_f9_the_partition_of_a_deleted_goal_is_deleted(
    resources: dict[str, Any], instance: dg.DagsterInstance
) -> None:
    instance.add_dynamic_partitions("goals", ["1_2_3_Goal_1"])
    result = tick(search_due_sensor(load_settings()), resources, instance)
    (deleted,) = result.dynamic_partitions_requests or ()
    assert isinstance(deleted, dg.DeleteDynamicPartitionsRequest)
    assert deleted.partition_keys == ["1_2_3_Goal_1"]
    assert result.run_requests == []


def test_se9_clips_that_somebody_waits_for_run_before_others(
    resources: dict[str, Any], instance: dg.DagsterInstance, database: Database[Document]
) -> None:
    put_goal(database, replace(GOAL, traceparent="00-a-b-01"))
    put_goal(database, replace(GOAL, key="goal-b", event_id="5000_40_306_Goal_2"))
    instance.add_dynamic_partitions("goals", [GOAL.event_id, "5000_40_306_Goal_2"])
    video = Post("x", "1", "https://x.test/1", STABLE, video_url="https://x.test/1.mp4")
    for goal in (GOAL, replace(GOAL, key="goal-b")):
        VideoStore(database).add_posts(goal, 1, STABLE, seen=[], chosen=[video])
    SearchStore(database).set_preferred("goal-b")
    result = tick(clips_due_sensor(load_settings()), resources, instance)
    priorities = [request.tags.get("dagster/priority") for request in result.run_requests or ()]
    assert priorities == ["5", None]
    traces = [request.tags.get("footy/traceparent") for request in result.run_requests or ()]
    assert traces == [None, "00-a-b-01"]


def test_a_goal_with_new_videos_gets_one_run_of_clips(
    resources: dict[str, Any], instance: dg.DagsterInstance, database: Database[Document]
) -> None:
    put_goal(database)
    sensor = clips_due_sensor(load_settings())
    assert tick(sensor, resources, instance).run_requests == []
    post = Post("x", "1", "https://x.test/1", STABLE, video_url="https://x.test/1")
    VideoStore(database).add_posts(GOAL, 1, STABLE, seen=[post], chosen=[post])
    assert tick(sensor, resources, instance).run_requests == [], "it has no partition yet"
    instance.add_dynamic_partitions("goals", [GOAL.event_id])
    (request,) = tick(sensor, resources, instance).run_requests or ()
    assert request.partition_key == GOAL.event_id
    database[EVENTS].delete_many({})
    assert tick(sensor, resources, instance).run_requests == []
