"""A run of `clips` or `discovered_videos` that failed in one op is re-executed from failure, as the
button of that name in Dagster's UI does it."""

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import dagster as dg
import pytest
from pymongo.database import Database

from footy_assets.clips.assets import clips
from footy_assets.clips.jobs import clips_job
from footy_assets.clips.work import ClipWork
from footy_assets.clock import ManualClock
from footy_assets.definitions import resources_from
from footy_assets.search.assets import discovered_videos
from footy_assets.search.searcher import Searcher
from footy_assets.settings import load_settings
from footy_assets.sim import SimServer
from footy_assets.sim.social.server import SocialServer
from footy_assets.store.collections import ATTEMPTS, AUDIT, CLIPS, VIDEOS, Document
from footy_assets_tests.clips.clip_harness import ClipHarness
from footy_assets_tests.matchday.goals import GOAL, STABLE, put_goal
from resources.embedded.weed import S3Server
from resources.s3.clip_store import ClipStore

PARTITION = {"dagster/partition": GOAL.event_id}
search_by_operator = dg.define_asset_job(
    "search_by_operator", dg.AssetSelection.assets(discovered_videos)
)


def definitions() -> dg.Definitions:
    return dg.Definitions(
        assets=[discovered_videos, clips],
        jobs=[clips_job, search_by_operator],
        resources=resources_from(load_settings()),
        executor=dg.in_process_executor,
    )


def fetch_clips() -> dg.JobDefinition:
    return definitions().resolve_job_def(clips_job.name)


def search() -> dg.JobDefinition:
    return definitions().resolve_job_def(search_by_operator.name)


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[dg.DagsterInstance]:
    (home := tmp_path / "dagster").mkdir()
    with dg.DagsterInstance.local_temp(str(home)) as instance:
        instance.add_dynamic_partitions("goals", [GOAL.event_id])
        yield instance


@pytest.fixture
def harness(
    database: Database[Document],
    mongo_uri: str,
    s3: S3Server,
    clip_store: ClipStore,
    sim: SimServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> ClipHarness:
    settings = {
        "API_FOOTBALL_URL": sim.url, "WIKIDATA_URL": sim.wikidata_url,
        "HOME": tmp_path, "MONGO_URI": mongo_uri, "MONGO_DATABASE": database.name,
        "S3_ENDPOINT_URL": s3.endpoint_url, "S3_ACCESS_KEY_ID": s3.access_key_id,
        "S3_SECRET_ACCESS_KEY": s3.secret_access_key, "S3_BUCKET": clip_store.bucket,
        "SITES": "none", "CLIP_SHORT_EDGE": 90,
    }  # fmt: skip
    for name, value in settings.items():
        monkeypatch.setenv(f"FOOTY_{name}", str(value))
    put_goal(database)
    harness = ClipHarness(database, clip_store, tmp_path / "work")
    # The harness's films come from no site, and its validator accepts them as football.
    monkeypatch.setattr(
        "footy_assets.clips.resource.open_clip_work", lambda *_: nullcontext(harness.work())
    )
    return harness


def run(
    job: object, instance: dg.DagsterInstance, failed: str | None = None, **tags: str
) -> dg.JobExecutionResult:
    again = dg.ReexecutionOptions.from_failure(failed, instance) if failed else None
    tags = {**PARTITION, **{f"footy/{name}": value for name, value in tags.items()}}
    loaded = dg.reconstructable(job)
    # Dagster keeps what it loaded last, with the settings of the test before.
    for cached in (type(loaded).get_repository_definition, type(loaded).get_definition):
        cached.cache_clear()
    return dg.execute_job(loaded, instance, tags=tags, reexecution_options=again)


def steps(result: dg.JobExecutionResult) -> list[str]:
    started = [event for event in result.all_events if event.event_type_value == "STEP_START"]
    return [str(event.step_key).rpartition(".")[2] for event in started]


@pytest.mark.parametrize(
    ("fails", "again"),
    [
        ("download", ["download_video", "validate_video", "dedup_video", "store_clip"]),
        ("examine", ["validate_video", "dedup_video", "store_clip"]),
        ("publish", ["store_clip"]),
        ("settle", []),
    ],
)
def test_clips_continue_from_the_failed_op_and_log_repeated_work(
    fails: str,
    again: list[str],
    harness: ClipHarness,
    instance: dg.DagsterInstance,
    database: Database[Document],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    harness.choose(good=5)

    def broken(*_: object) -> None:
        raise OSError("the disk went away")

    with monkeypatch.context() as patched:
        patched.setattr(ClipWork, fails, broken)
        failed = run(fetch_clips, instance)
    assert not failed.success
    assert database[CLIPS].count_documents({}) == (1 if fails == "settle" else 0)
    capfd.readouterr()
    done = run(fetch_clips, instance, failed.run_id)
    assert done.success
    assert steps(done) == [*(f"{one}[video_1]" for one in again), "settle_videos"], (
        "the ops that succeeded are not run again as steps"
    )
    warnings = [
        line for line in capfd.readouterr().err.splitlines() if "left no files behind" in line
    ]
    assert len(warnings) == 1
    assert database[CLIPS].count_documents({}) == 1
    assert {video["state"] for video in database[VIDEOS].find()} == {"taken"}


def broken(*_: object) -> None:
    raise OSError("the browser went away")


@pytest.fixture
def bluesky(harness: ClipHarness, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A site without posts, which may be searched as often as the test likes."""
    with SocialServer(lambda now: [], ManualClock(STABLE)) as site:
        monkeypatch.setenv("FOOTY_SITES", "bluesky")
        monkeypatch.setenv("FOOTY_BLUESKY_URL", site.url)
        monkeypatch.setenv("FOOTY_BLUESKY_REQUESTS_PER_15_MINUTES", "1000000")
        yield


@pytest.mark.usefixtures("bluesky")
def test_a_reexecuted_search_continues_with_the_next_attempt(
    instance: dg.DagsterInstance, database: Database[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(Searcher, "search_sites", broken)
        failed = run(search, instance)
    assert not failed.success
    done = run(search, instance, failed.run_id)
    assert done.success
    assert steps(done) == ["search_sites", "choose_videos"]
    attempts = sorted(database[ATTEMPTS].find(), key=lambda attempt: attempt["number"])
    assert ["went away" in str(attempt.get("failure")) for attempt in attempts] == [True, False]


@pytest.mark.usefixtures("bluesky")
def test_se2_a_search_that_breaks_while_it_is_repeated_counts_and_is_not_left_claimed(
    instance: dg.DagsterInstance, database: Database[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(Searcher, "finish", broken)
        failed = run(search, instance)
    with monkeypatch.context() as patched:
        patched.setattr(Searcher, "search_sites", broken)
        again = run(search, instance, failed.run_id, who="ada", why="a late goal")
        assert not again.success
        assert steps(again) == ["choose_videos"]
    reasons = [attempt.get("failure") for attempt in database[ATTEMPTS].find().sort("number")]
    assert ["went away" in str(reason) for reason in reasons] == [True, True]
    # Nothing holds the goal: the next one may begin at once.
    assert run(search, instance, again.run_id).success
    repeated = list(database[AUDIT].find({"who": {"$regex": again.run_id}}))
    assert [(entry["who"], entry["why"]) for entry in repeated] == [
        (f"ada (run {again.run_id})", "a late goal")
    ]
