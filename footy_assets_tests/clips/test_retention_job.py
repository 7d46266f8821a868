"""The retention job and its sensor: expired matches and Dagster's own old runs are deleted."""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from pymongo.database import Database

from footy_assets.clips.jobs import retention_job
from footy_assets.clock import ScaledClock
from footy_assets.runs import prune_runs
from footy_assets.settings import load_settings
from footy_assets_tests.runs import stored_run
from resources.clock import ClockResource
from resources.embedded.weed import S3Server
from resources.mongo.resource import MongoResource
from resources.policy import PolicyResource
from resources.s3.clip_store import ClipStore
from resources.s3.resource import S3ClipsResource
from sensors.clips import retention_sensor

pytestmark = pytest.mark.slow

ENDED = datetime(2025, 5, 10, 16, 0, tzinfo=UTC)


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.local_temp(str(tmp_path)) as instance:
        yield instance


@pytest.fixture
def resources(
    database: Database[dict[str, Any]], mongo_uri: str, s3: S3Server, clip_store: ClipStore
) -> dict[str, Any]:
    return {
        "mongo": MongoResource(uri=mongo_uri, database_name=database.name),
        "s3": S3ClipsResource(
            endpoint_url=s3.endpoint_url,
            aws_access_key_id=s3.access_key_id,
            aws_secret_access_key=s3.secret_access_key,
            bucket=clip_store.bucket,
        ),
        "policy": PolicyResource.from_settings(load_settings()),
    }


def resources_at(moment: datetime, resources: dict[str, Any]) -> dict[str, Any]:
    return {**resources, "clock": ClockResource(spec=ScaledClock(moment, 1, time.time()).spec())}


def completed_match(database: Database[dict[str, Any]], clip_store: ClipStore) -> None:
    database["fixtures"].insert_one({"_id": 5000, "state": "completed", "completed_at": ENDED})
    database["events"].insert_one(
        {"_id": "k", "event_id": "5000_40_234_Goal_1", "fixture_id": 5000, "live": True}
    )
    clip_store.put("5000/5000_40_234_Goal_1/abc.mp4", b"clip")


def requests_a_run(resources: dict[str, Any], instance: dg.DagsterInstance) -> bool:
    with ExitStack() as stack:
        context = stack.enter_context(
            dg.build_sensor_context(instance=instance, resources=resources)
        )
        return isinstance(retention_sensor(load_settings())(context), dg.RunRequest)


def test_F9_after_14_days_documents_and_objects_are_deleted(
    database: Database[dict[str, Any]],
    clip_store: ClipStore,
    resources: dict[str, Any],
    instance: dg.DagsterInstance,
) -> None:
    completed_match(database, clip_store)
    early = resources_at(ENDED + timedelta(days=13, hours=23), resources)
    assert not requests_a_run(early, instance)
    assert retention_job.execute_in_process(resources=early, instance=instance).success
    assert clip_store.list_keys()

    due = resources_at(ENDED + timedelta(days=14), resources)
    assert requests_a_run(due, instance)
    assert retention_job.execute_in_process(resources=due, instance=instance).success
    assert list(clip_store.list_keys()) == []
    assert database["fixtures"].count_documents({}) == 0
    assert database["events"].count_documents({}) == 0
    assert not requests_a_run(due, instance)


def test_an_override_of_the_policy_is_the_whole_override(
    database: Database[dict[str, Any]],
    clip_store: ClipStore,
    resources: dict[str, Any],
    instance: dg.DagsterInstance,
) -> None:
    """The sensor that requests the run and the run that deletes keep a match equally long."""
    completed_match(database, clip_store)
    due = resources_at(ENDED + timedelta(days=14), resources)
    longer = {**due, "policy": PolicyResource.from_settings(load_settings(retention_days=20))}
    assert not requests_a_run(longer, instance)
    assert retention_job.execute_in_process(resources=longer, instance=instance).success
    assert database["fixtures"].count_documents({}) == 1


def test_no_second_run_is_requested_while_one_is_active(
    database: Database[dict[str, Any]],
    clip_store: ClipStore,
    resources: dict[str, Any],
    instance: dg.DagsterInstance,
) -> None:
    completed_match(database, clip_store)
    stored_run(instance, dg.DagsterRunStatus.STARTED, retention_job)
    assert not requests_a_run(resources_at(ENDED + timedelta(days=14), resources), instance)


def test_old_runs_and_their_files_are_pruned_and_recent_ones_kept(
    instance: dg.DagsterInstance,
) -> None:
    done = stored_run(instance, status=dg.DagsterRunStatus.SUCCESS)
    running = stored_run(instance, status=dg.DagsterRunStatus.STARTED)
    files = Path(instance.storage_directory()) / done.run_id
    files.mkdir(parents=True)
    now = datetime.now(UTC)
    assert prune_runs(instance, now - timedelta(days=14)) == 0
    assert prune_runs(instance, now + timedelta(minutes=1)) == 1
    assert instance.get_run_by_id(done.run_id) is None
    assert instance.get_run_by_id(running.run_id) is not None
    assert not files.exists()
