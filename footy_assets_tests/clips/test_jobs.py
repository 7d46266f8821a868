"""P5: operator jobs in the Launchpad; SE7: the check of each site."""

from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from pymongo.database import Database

from footy_assets.clips.jobs import remove_clip, rerank_goal, revalidate_goal
from footy_assets.clips.resource import ClipWorkResource
from footy_assets.matchday.assets import fixtures
from footy_assets.matchday.jobs import ingest_fixtures
from footy_assets.search.checks import site_checks
from footy_assets.search.jobs import close_fixture
from footy_assets.search.store.site_health import SiteHealth
from footy_assets.settings import load_settings
from footy_assets.store.collections import AUDIT, CLIPS, Document
from footy_assets_tests.clips.clip_harness import ClipHarness
from footy_assets_tests.fixtures.past_days import Scenario
from footy_assets_tests.matchday.goals import GOAL, STABLE, put_goal
from resources.clock import ClockResource
from resources.embedded.weed import S3Server
from resources.mongo.resource import MongoResource
from resources.policy import PolicyResource
from resources.s3.clip_store import ClipStore
from resources.s3.resource import S3ClipsResource

pytestmark = pytest.mark.slow


@pytest.fixture
def resources(
    database: Database[Document],
    mongo_uri: str,
    s3: S3Server,
    clip_store: ClipStore,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> dict[str, Any]:
    monkeypatch.setenv("FOOTY_HOME", str(tmp_path))
    monkeypatch.setenv("FOOTY_CLIP_SHORT_EDGE", "90")
    mongo = MongoResource(uri=mongo_uri, database_name=database.name)
    store = S3ClipsResource(
        endpoint_url=s3.endpoint_url,
        aws_access_key_id=s3.access_key_id,
        aws_secret_access_key=s3.secret_access_key,
        bucket=clip_store.bucket,
    )
    settings, clock = load_settings(), ClockResource()
    return {
        "mongo": mongo,
        "s3": store,
        "clock": clock,
        "policy": PolicyResource.from_settings(settings),
        "clip_work": ClipWorkResource.from_settings(settings, mongo=mongo, s3=store, clock=clock),
    }


@pytest.fixture
def harness(database: Database[Document], clip_store: ClipStore, tmp_path: Path) -> ClipHarness:
    put_goal(database)
    harness = ClipHarness(database, clip_store, tmp_path / "work")
    harness.choose(good=5, angle=2)
    harness.run()
    return harness


def run(
    job: dg.JobDefinition, resources: dict[str, Any], config: dict[str, Any], **tags: str
) -> dg.ExecuteInProcessResult:
    (op,) = job.nodes
    with dg.DagsterInstance.ephemeral() as instance:
        return job.execute_in_process(
            run_config={"ops": {op.name: {"config": config}}},
            resources=resources,
            instance=instance,
            tags={f"footy/{name}": value for name, value in tags.items()},
        )


def test_p5_the_launchpad_changes_clips_and_records_the_run(
    harness: ClipHarness, resources: dict[str, Any], database: Database[Document]
) -> None:
    best, other = harness.clips()
    config = {"clip_id": best["_id"], "why": "another match"}
    removed = run(remove_clip, resources, config, who="ada")
    assert removed.success
    assert [clip["_id"] for clip in harness.clips()] == [other["_id"]]
    database[CLIPS].update_one({}, {"$set": {"rank": 9}})
    goal = {"event": GOAL.event_id, "why": "new rules"}
    assert run(rerank_goal, resources, goal).success
    assert harness.clips()[0]["rank"] == 1
    assert run(revalidate_goal, resources, goal).success
    assert not harness.clips(), (
        "the real validator refuses the harness's films: they are not football"
    )
    assert run(close_fixture, resources, {"fixture_id": 5000, "why": "over"}).success
    entries = list(database[AUDIT].find().sort("_id", 1))
    assert [(entry["operation"], entry["why"]) for entry in entries] == [
        ("remove clip", "another match"),
        ("rerank", "new rules"),
        ("revalidate", "new rules"),
        ("close", "over"),
    ]
    assert entries[0]["who"] == f"ada (run {removed.run_id})"
    assert entries[1]["who"].startswith("run ")
    assert "removed" in entries[0]["outcome"]


def test_p5_an_operators_ingest_of_a_day_or_ids_is_recorded(
    past_days: Scenario, database: Database[Document]
) -> None:
    day, ids = past_days.days()[0], sorted(past_days.world.by_id)[:2]
    for tags in ({}, {"dagster/schedule_name": "daily_ingest"}):
        done = dg.materialize(
            [fixtures],
            partition_key=day,
            resources=past_days.resources,
            instance=past_days.instance,
            tags=tags,
        )
        assert done.success
    assert run(ingest_fixtures, past_days.resources, {"ids": ids, "why": "a cup"}).success
    entries = list(database[AUDIT].find().sort("_id", 1))
    assert [(entry["operation"], entry["target"]) for entry in entries] == [
        ("ingest", day),
        ("ingest", ",".join(map(str, ids))),
    ], "runs of a schedule are not operator actions"


def test_se7_a_lost_login_fails_the_check_of_its_site(
    resources: dict[str, Any], database: Database[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    @dg.asset(name="discovered_videos")
    def searched() -> None: ...

    def check_evaluations() -> dict[str, dg.AssetCheckEvaluation]:
        policy = PolicyResource.from_settings(load_settings())
        given = {"mongo": resources["mongo"], "policy": policy}
        done = dg.materialize([searched, *site_checks], resources=given)
        assert done.success
        return {one.check_name: one for one in done.get_asset_check_evaluations()}

    assert all(one.passed for one in check_evaluations().values())
    health = SiteHealth(database)
    health.record_failure("x", "LoginLost", "X shows its login page", True, STABLE)
    health.record_failure("bluesky", "SiteUnavailable", "Bluesky answered 503", False, STABLE)
    found = check_evaluations()
    assert not found["x_works"].passed
    assert found["x_works"].severity is dg.AssetCheckSeverity.ERROR
    assert "X shows its login page" in (found["x_works"].description or "")
    assert not found["bluesky_works"].passed
    assert found["bluesky_works"].severity is dg.AssetCheckSeverity.WARN
    monkeypatch.setenv("FOOTY_SOURCES", "bluesky")
    assert check_evaluations()["x_works"].description == "switched off"
