"""Within a batch each video goes its own way, and a goal with a clip leaves its place to others."""

from dataclasses import replace
from pathlib import Path
from threading import Event
from time import sleep

import pytest
from pymongo.database import Database

from footy_assets.clips.work import ClipWork
from footy_assets.logs import no_log
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.progress import heartbeat
from footy_assets.store.collections import VIDEOS, Document
from footy_assets_tests.clips.clip_harness import ClipHarness, FilmHost
from footy_assets_tests.matchday.goals import GOAL, put_goal
from resources.downloads.client import Download
from resources.s3.clip_store import ClipStore

WITHIN_SECONDS = 60.0


@pytest.fixture
def harness(database: Database[Document], clip_store: ClipStore, tmp_path: Path) -> ClipHarness:
    put_goal(database)
    return ClipHarness(database, clip_store, tmp_path)


def the_goal(work: ClipWork) -> GoalEvent:
    return work.documents.goals.require(GOAL.event_id)


def test_a_video_is_published_before_the_next_is_judged(harness: ClipHarness) -> None:
    """And the likeliest goes first, not the most popular."""
    harness.choose(good=50, angle=1)
    likely = {"$set": {"likelihood": {"score": 3.0, "reasons": ["names the scorer"]}}}
    harness.database[VIDEOS].update_one({"video_id": "x:angle"}, likely)
    work = harness.work()
    with work.batch(the_goal(work), "run-1") as batch:
        work.load_videos(batch)
        work.finish_one(batch, no_log)
        assert harness.videos() == {"x:angle": "taken", "x:good": "chosen"}
        assert [clip["video_id"] for clip in harness.clips()] == ["x:angle"]
        work.finish_one(batch, no_log)
        work.settle(batch)
    assert len(harness.clips()) == 2


def test_a_video_that_is_slow_to_download_holds_up_no_other(harness: ClipHarness) -> None:
    harness.choose(good=5, angle=4)
    others_done = Event()

    class SlowHost(FilmHost):
        def fetch(self, url: str, into: Path, name: str) -> Download:
            if url == "film:good":
                assert others_done.wait(WITHIN_SECONDS)
            return super().fetch(url, into, name)

    work = replace(harness.work(), downloader=SlowHost(), downloads_at_once=2)
    with work.batch(the_goal(work), "run-1") as batch:
        work.load_videos(batch)
        work.finish_one(batch, no_log)
        assert harness.videos() == {"x:angle": "taken", "x:good": "chosen"}
        others_done.set()
        work.finish_one(batch, no_log)
        work.settle(batch)
    assert len(harness.clips()) == 2


def put_other_goal_that_waits(harness: ClipHarness) -> None:
    other = put_goal(harness.database, replace(GOAL, key="other", event_id="5000_40_307_Goal_1"))
    harness.choose_video("x:other", "other", goal_key=other.key)


def test_se10_a_goal_with_a_clip_gives_way_to_one_without(harness: ClipHarness) -> None:
    harness.choose(good=5, angle=4, small=3)
    put_other_goal_that_waits(harness)
    work = replace(harness.work(), batches_at_once=1)
    batch = work.run(the_goal(work), "run-1", no_log)
    assert batch.gives_way
    of_goal = {one["video_id"]: one for one in work.videos.of_goal(GOAL.key)}
    assert {name: one["state"] for name, one in of_goal.items()} == {
        "x:good": "taken",
        "x:angle": "chosen",
        "x:small": "chosen",
    }
    assert {one["tries"] for one in of_goal.values() if one["state"] == "chosen"} == {0}
    assert not any(one.get("try_id") for one in of_goal.values())
    harness.database[VIDEOS].delete_one({"video_id": "x:other"})
    work.run(the_goal(work), "run-2", no_log)
    assert len(harness.clips()) == 2


def test_se10_a_goal_gives_way_only_where_no_place_is_free_and_only_with_a_clip(
    harness: ClipHarness,
) -> None:
    harness.choose(garbage=9, good=5, angle=4)
    put_other_goal_that_waits(harness)
    two_places = harness.work()
    assert not two_places.run(the_goal(two_places), "run-1", no_log).gives_way
    assert len(harness.clips()) == 2
    harness.choose(cropped=1)
    one_place = replace(harness.work(), batches_at_once=1)
    assert not one_place.run(the_goal(one_place), "run-2", no_log).gives_way, "it was the last one"


def test_a_download_that_nobody_awaits_any_more_ends(harness: ClipHarness) -> None:
    harness.choose(good=5, angle=4)
    ended = Event()

    class EndlessHost(FilmHost):
        def fetch(self, url: str, into: Path, name: str) -> Download:
            if url == "film:good":
                return super().fetch(url, into, name)
            try:
                while True:
                    heartbeat()
                    sleep(0.01)
            finally:
                ended.set()

    work = replace(harness.work(), downloader=EndlessHost(), downloads_at_once=2)
    with work.batch(the_goal(work), "run-1") as batch:
        work.load_videos(batch)
        work.finish_one(batch, no_log)
    assert ended.wait(WITHIN_SECONDS)
    assert harness.videos() == {"x:angle": "chosen", "x:good": "taken"}
