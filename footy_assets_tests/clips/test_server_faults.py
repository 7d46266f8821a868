"""S3 or MongoDB is down: the outcome for a goal's clips.

| fault                       | meanwhile                                | once healed            |
|-----------------------------|------------------------------------------|------------------------|
| S3 down                     | videos stay due, no try is spent         | stored                 |
| S3 dies during the uploads  | the same                                 | stored                 |
| S3 down for good            | the deadline fails the videos            | stored, on request     |
| MongoDB restarts            | no effect (three tries)                  |                        |
| MongoDB down                | the batch fails, no file stays           | stored                 |
"""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from pymongo.database import Database
from pymongo.errors import PyMongoError

from footy_assets.clips.work import ClipWork
from footy_assets.errors import S3Unavailable
from footy_assets.logs import no_log
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.store.documents import goal_from
from footy_assets.search.rules.attempts import AttemptOutcome
from footy_assets.search.rules.video import VideoState
from footy_assets.search.store.searches import SearchStore
from footy_assets.store.collections import EVENTS, VIDEOS, Document
from footy_assets_tests.clips.clip_harness import ClipHarness, video
from footy_assets_tests.fixtures.server_switches import ServerSwitch
from footy_assets_tests.matchday.goals import GOAL, STABLE, put_goal
from footy_assets_tests.waiting import no_sleep
from resources.s3.clip_store import ClipStore

pytestmark = pytest.mark.slow


@pytest.fixture
def harness(database: Database[Document], clip_store: ClipStore, tmp_path: Path) -> ClipHarness:
    put_goal(database)
    return ClipHarness(database, clip_store, tmp_path / "work")


def with_s3(harness: ClipHarness, store: ClipStore) -> ClipHarness:
    """The same harness on another S3 server."""
    return replace(harness, objects=store)


def run_with_an_outage(work: ClipWork, goal: GoalEvent, switch: ServerSwitch) -> None:
    """Runs a batch and kills the server right before anything is published."""
    with work.batch(goal, "run-1") as batch:
        work.load_videos(batch)
        part = work.finish_one(batch, no_log, until="dedup_video")
        switch.kill()
        work.publish(part, no_log)


def no_file_is_left(harness: ClipHarness) -> bool:
    return not [path for path in harness.folder.rglob("*") if path.is_file()]


# -- S3 --------------------------------------------------------------------------------------


def test_s3_down_spends_no_try_and_the_clip_is_stored_once_it_is_up(
    harness: ClipHarness, switchable_s3: tuple[ClipStore, ServerSwitch]
) -> None:
    store, switch = switchable_s3
    harness = with_s3(harness, store)
    harness.choose(good=5)
    switch.kill()
    for _ in range(4):
        with pytest.raises(S3Unavailable):
            harness.run()
    assert (video(harness)["state"], video(harness)["tries"]) == ("chosen", 0)
    assert "does not answer" in video(harness)["last_error"]
    assert harness.work().videos.goals_with_waiting() == [], "no run is requested meanwhile"
    assert no_file_is_left(harness)
    switch.revive()
    harness.run()
    assert harness.videos() == {"x:good": "taken"}
    assert harness.work().videos.goals_with_waiting() == []


def test_s3_killed_during_the_uploads_spends_no_try(
    harness: ClipHarness, switchable_s3: tuple[ClipStore, ServerSwitch]
) -> None:
    store, switch = switchable_s3
    harness = with_s3(harness, store)
    harness.choose(good=5, angle=2)
    slept: list[float] = []
    work = replace(harness.work(), sleep=slept.append)
    goal = work.documents.goals.get(GOAL.key)
    assert goal is not None
    with pytest.raises(S3Unavailable):
        run_with_an_outage(work, goal, switch)
    assert slept == [2.0, 3.0], "P4: three tries from 2 s, ×1.5"
    assert {d["tries"] for d in harness.database[VIDEOS].find()} == {0}
    assert not harness.clips(), "H4: no document without its object"
    assert no_file_is_left(harness)
    switch.revive()
    harness.run()
    assert harness.videos() == {"x:angle": "taken", "x:good": "taken"}


def test_se2_the_deadline_fails_videos_during_an_outage_and_an_operator_can_retry(
    harness: ClipHarness, switchable_s3: tuple[ClipStore, ServerSwitch]
) -> None:
    store, switch = switchable_s3
    harness = with_s3(harness, store)
    searches = SearchStore(harness.database)
    searches.open_searches()
    harness.choose(good=5)
    switch.kill()
    with pytest.raises(S3Unavailable):
        harness.run()
    late = STABLE + timedelta(minutes=31)
    assert searches.close_overdue(late, timedelta(minutes=30)) == [GOAL.key]
    assert str(goal_from(harness.database[EVENTS].find_one({}) or {}).state) == "complete"
    assert (video(harness)["state"], video(harness)["reason"]) == (
        VideoState.FAILED,
        AttemptOutcome.DEADLINE_PASSED,
    )
    assert "does not answer" in video(harness)["detail"]
    switch.revive()
    assert searches.make_due(GOAL.key, late)
    harness.run()
    assert harness.videos() == {"x:good": "taken"}


# -- MongoDB ---------------------------------------------------------------------------------


def test_p4_a_mongodb_that_restarts_costs_nothing(
    switchable_mongo: tuple[Database[Document], ServerSwitch],
    clip_store: ClipStore,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    database, switch = switchable_mongo
    put_goal(database)
    harness = ClipHarness(database, clip_store, tmp_path)
    harness.choose(good=5)
    waits: list[float] = []

    def revive_on_the_second_wait(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 2:
            switch.revive()

    monkeypatch.setattr("footy_assets.store.retrying.sleep", revive_on_the_second_wait)
    work = harness.work()
    goal = work.documents.goals.get(GOAL.key)
    assert goal is not None
    switch.kill()
    with work.batch(goal, "run-1") as batch:
        work.load_videos(batch)
    assert [video["video_id"] for video in batch.videos] == ["x:good"]
    assert waits == [1.0, 2.0], "P4: from 1 s, ×2"


def test_mongodb_down_during_a_batch_leaves_the_batch_due(
    switchable_mongo: tuple[Database[Document], ServerSwitch],
    clip_store: ClipStore,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("footy_assets.store.retrying.sleep", no_sleep)
    database, switch = switchable_mongo
    put_goal(database)
    harness = ClipHarness(database, clip_store, tmp_path)
    harness.choose(good=5)
    work = harness.work()
    goal = work.documents.goals.get(GOAL.key)
    assert goal is not None
    with pytest.raises(PyMongoError):
        run_with_an_outage(work, goal, switch)
    assert no_file_is_left(harness)
    assert not clip_store.list_keys()
    switch.revive()
    assert video(harness)["state"] == "chosen"
    harness.run()
    assert harness.videos() == {"x:good": "taken"}
