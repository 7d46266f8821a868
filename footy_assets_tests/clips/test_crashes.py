"""The clip pipeline killed (SIGKILL) at each step in turn, then run again.

| killed …                        | first clip | better copy |
|---------------------------------|------------|-------------|
| before the upload               | same end   | same end    |
| after the pictures              | same end   | same end    |
| after the object                | same end   | same end    |
| after the document              | same end   | same end    |
| before the old one is removed   |            | same end    |
| after the old one is removed    |            | same end    |
| before the rank                 | same end   | same end    |
| before the videos are settled   | same end   | same end    |

and between the videos of a batch, of which each goes its own way:

| killed …                        | first clip | held     |
|---------------------------------|------------|----------|
| while the second is downloaded  | same end   | same end |
| before the second is judged     | same end   | same end |
| after the first is settled      | same end   | same end |
| before the batch ends           | same end   | same end |

and, where original pictures are kept (D6), a better copy of a clip with them:

| killed …                        |             |
|---------------------------------|-------------|
| after the rendition             | same end    |
| after the object                | same end    |
| after the document              | same end    |
| after the old one is removed    | same end    |

and, ahead of stable (SE8), where "the old one" is what was held:

| killed …                        | held     | published when stable |
|---------------------------------|----------|-----------------------|
| before the upload               | same end | same end              |
| after the pictures              |          | same end              |
| after the object                | same end | same end              |
| after the held document         | same end |                       |
| after the document              |          | same end              |
| before the rank                 |          | same end              |
| before the videos are settled   | same end | same end              |
| before the old one is removed   |          | same end              |
| after the old one is removed    |          | same end              |
"""

import signal
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from footy_assets.search.rules.video import VideoState
from footy_assets.store.collections import EVENTS, HELD_FILES, Document
from footy_assets_tests.clips.clip_harness import ClipHarness
from footy_assets_tests.clips.one_clip_worker import (
    BETWEEN_POINTS,
    HOLD_POINTS,
    KILLED_BY_A_VIDEO,
    POINTS,
    RENDITION_POINTS,
    work_on_clips,
)
from footy_assets_tests.forked import exit_code, fork
from footy_assets_tests.matchday.goals import GOAL, STABLE, put_goal
from resources.embedded.weed import S3Server
from resources.s3.clip_store import ClipStore

pytestmark = pytest.mark.slow


@pytest.fixture
def harness(database: Database[Document], clip_store: ClipStore, tmp_path: Path) -> ClipHarness:
    put_goal(database)
    return ClipHarness(database, clip_store, tmp_path)


def start_worker(harness: ClipHarness, mongo_uri: str, s3: S3Server, point: str) -> BaseProcess:
    return fork(work_on_clips, harness.worker_options(mongo_uri, s3, point))


END_STATES: dict[str, dict[str, Any]] = {}


def end_state_without_kill(harness: ClipHarness, *batches: dict[str, int]) -> dict[str, Any]:
    """The end state of a run that is not killed; computed once for all kill points."""
    cache_key = repr(batches)
    if cache_key not in END_STATES:
        for batch in batches:
            harness.choose(**batch)
            harness.run()
        END_STATES[cache_key] = harness.end_state()
        for key in harness.objects.list_keys():
            harness.objects.delete(key)
        for name in ("clips", "videos", "leases"):
            harness.database[name].delete_many({})
    return END_STATES[cache_key]


ONLY_WHEN_REPLACING = {"before the old one is removed", "after the old one is removed"}


@pytest.mark.parametrize(
    "point", [*(p for p in POINTS if p not in ONLY_WHEN_REPLACING), *BETWEEN_POINTS]
)
def test_a_kill_while_the_first_clip_is_stored_changes_no_end_state(
    harness: ClipHarness, mongo_uri: str, s3: S3Server, point: str
) -> None:
    batch = {"good": 5, "small": 2, "angle": 4}
    expected = end_state_without_kill(harness, batch)
    harness.choose(**batch)
    assert exit_code(start_worker(harness, mongo_uri, s3, point)) == -signal.SIGKILL
    harness.expire_leases()
    harness.run_until_settled()
    assert harness.end_state() == expected


@pytest.mark.parametrize("point", POINTS)
def test_a_kill_while_a_better_copy_replaces_a_clip_changes_no_end_state(
    harness: ClipHarness, mongo_uri: str, s3: S3Server, point: str
) -> None:
    first, better = {"good": 5, "angle": 9}, {"large": 7, "small": 1}
    expected = end_state_without_kill(harness, first, better)
    harness.choose(**first)
    harness.run()
    harness.choose(**better)
    assert exit_code(start_worker(harness, mongo_uri, s3, point)) == -signal.SIGKILL
    harness.expire_leases()
    harness.run_until_settled()
    assert harness.end_state() == expected


@pytest.mark.parametrize("point", RENDITION_POINTS)
def test_d6_a_kill_while_a_clip_with_a_rendition_is_replaced_leaves_no_object_behind(
    harness: ClipHarness, mongo_uri: str, s3: S3Server, point: str
) -> None:
    first, better = {"good.vp9": 5}, {"large.vp9": 7}
    expected = end_state_without_kill(harness, first, better)
    harness.choose(**first)
    harness.run()
    harness.choose(**better)
    assert exit_code(start_worker(harness, mongo_uri, s3, point)) == -signal.SIGKILL
    (clip,) = harness.clips()
    for key in (clip["key"], *(one["key"] for one in clip["renditions"])):
        assert harness.objects.exists(key), "it can be watched all the time"
    harness.expire_leases()
    harness.run_until_settled()
    assert harness.end_state() == expected
    assert len(expected["objects"]) == 4


def make_goal(harness: ClipHarness, *, stable: bool) -> None:
    polls = ["p1", "p2", "p3"] if stable else ["p1"]
    changes = {"stable_at": STABLE if stable else None, "seen_in_polls": polls}
    harness.database[EVENTS].update_one({"_id": GOAL.key}, {"$set": changes})


@pytest.mark.parametrize("point", [*HOLD_POINTS, *BETWEEN_POINTS])
def test_se8_a_kill_while_videos_are_held_changes_no_end_state(
    harness: ClipHarness, mongo_uri: str, s3: S3Server, point: str
) -> None:
    batch = {"good": 5, "small": 2, "angle": 4}
    expected = end_state_without_kill(harness, batch)
    make_goal(harness, stable=False)
    harness.choose(**batch)
    assert exit_code(start_worker(harness, mongo_uri, s3, point)) == -signal.SIGKILL
    assert harness.clips() == []
    harness.expire_leases()
    harness.run_until_settled()
    assert set(harness.videos().values()) == {VideoState.HELD}
    make_goal(harness, stable=True)
    harness.run()
    assert harness.end_state() == expected
    assert harness.database[HELD_FILES].count_documents({}) == 0


@pytest.mark.parametrize("point", POINTS)
def test_se8_a_kill_while_held_videos_are_published_changes_no_end_state(
    harness: ClipHarness, mongo_uri: str, s3: S3Server, point: str
) -> None:
    batch = {"good": 5, "small": 2, "angle": 4}
    expected = end_state_without_kill(harness, batch)
    make_goal(harness, stable=False)
    harness.choose(**batch)
    harness.run()
    make_goal(harness, stable=True)
    assert exit_code(start_worker(harness, mongo_uri, s3, point)) == -signal.SIGKILL
    harness.expire_leases()
    harness.run()
    assert harness.end_state() == expected
    assert harness.database[HELD_FILES].count_documents({}) == 0


def test_a_video_that_ends_its_process_costs_no_other(
    harness: ClipHarness, mongo_uri: str, s3: S3Server
) -> None:
    """Together they end the process once; then each is on its own."""
    harness.choose_video("x:1 kills", "other")
    harness.choose(good=5, angle=4)
    for _ in range(7):
        if VideoState.CHOSEN in harness.videos().values():
            exit_code(start_worker(harness, mongo_uri, s3, KILLED_BY_A_VIDEO))
    assert harness.videos() == {"x:1 kills": "failed", "x:angle": "taken", "x:good": "taken"}
    assert harness.reason("x:1 kills") == "not finished in 3 tries"


def test_h5_two_processes_on_one_goal_end_like_one(
    harness: ClipHarness, mongo_uri: str, s3: S3Server
) -> None:
    batch = {"good": 5, "small": 2, "large": 3, "angle": 4}
    expected = end_state_without_kill(harness, batch)
    harness.choose(**batch)
    workers = [start_worker(harness, mongo_uri, s3, "") for _ in range(2)]
    assert [exit_code(one) for one in workers] == [0, 0]
    assert harness.end_state() == expected
