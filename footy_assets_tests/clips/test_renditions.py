"""D6: the original pictures of a transcoded clip, as a second object of it."""

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from footy_assets.clips.audit import documents_and_objects_agree
from footy_assets.clips.explain import clip_rows
from footy_assets.clips.operator_actions import remove_clip
from footy_assets.clips.removed_goals import (
    delete_clips_of_removed_goals,
    relabel_clips_of_renamed_goals,
)
from footy_assets.clips.repair import RepairResult
from footy_assets.clips.store.clips import ClipDocuments
from footy_assets.matchday.store.retention import RetentionStore
from footy_assets.media import UnreadableReason, VideoUnreadable
from footy_assets.media.playable import PlayableFile
from footy_assets.operator_actions import OperatorAction
from footy_assets.store.audit import AuditLog
from footy_assets.store.collections import CLIPS, EVENTS, Document
from footy_assets.store.leases import Leases
from footy_assets_tests.clips.clip_harness import LENIENT, ClipHarness
from footy_assets_tests.clips.test_playable import (
    assert_document_describes_object,
    repair,
    store_as_before,
)
from footy_assets_tests.matchday.goals import GOAL, put_goal
from footy_assets_tests.media.cells import shared_cell
from resources.s3.clip_store import ClipStore

pytestmark = pytest.mark.slow


@pytest.fixture
def harness(database: Database[Document], clip_store: ClipStore, tmp_path: Path) -> ClipHarness:
    put_goal(database)
    return ClipHarness(database, clip_store, tmp_path)


@pytest.fixture
def stored(harness: ClipHarness) -> ClipHarness:
    """With a clip that has a rendition."""
    harness.choose_video("x:1", "good.vp9")
    harness.run()
    return harness


def assert_whole(harness: ClipHarness) -> Document:
    """The only clip, which has a rendition; there is no object beside theirs."""
    (clip,) = harness.clips()
    (rendition,) = clip["renditions"]
    assert_document_describes_object(harness, clip)
    content, found = (
        harness.objects.get(rendition["key"]),
        harness.objects.head(rendition["key"]),
    )
    assert found.content_type == f'video/mp4; codecs="{rendition["codecs"]}"'
    assert rendition["md5"] == hashlib.md5(content).hexdigest()
    assert Path(rendition["key"]).name == f"{rendition['md5'][:16]}.vp9.mp4"
    assert rendition["size"] == len(content) <= 0.8 * clip["size"]
    assert found.metadata["size"] == str(len(content))
    assert found.metadata["event"] == GOAL.event_id
    assert len(harness.objects.list_keys()) == 4
    assert agrees(harness)
    return clip


def agrees(harness: ClipHarness) -> bool:
    return documents_and_objects_agree(
        ClipDocuments(harness.database), harness.objects, GOAL
    ).passed


def test_d6_the_smaller_original_is_stored_beside_the_h264(stored: ClipHarness) -> None:
    clip = assert_whole(stored)
    (row,) = clip_rows(ClipDocuments(stored.database), [GOAL], "clips")
    (rendition,) = clip["renditions"]
    assert row["url"] == f"/video/clips/{clip['public_key']}"
    assert row["renditions"] == [
        {
            "codec": "vp9",
            "codecs": "vp09.00.11.08",
            "width": clip["width"],
            "height": clip["height"],
            "url": f"/video/clips/{rendition['key']}",
            "size": rendition["size"],
        }
    ]
    stored.objects.delete(rendition["key"])
    assert not agrees(stored)


@pytest.mark.parametrize(("film", "limit"), [("good.webm", None), ("good.vp9", 1000)])
def test_d6_an_original_that_is_no_better_or_too_large_is_not_kept(
    harness: ClipHarness, film: str, limit: int | None
) -> None:
    harness.choose_video("x:1", film)
    harness.run(replace(harness.work(), rules=replace(LENIENT, max_size=limit)))
    (clip,) = harness.clips()
    assert clip["renditions"] == []
    assert len(harness.objects.list_keys()) == 3


class WithoutRenditions:
    def make_playable(self, path: Path, output: Path, on_progress: Any = None) -> PlayableFile:
        return shared_cell().make_playable(path, output, on_progress)

    def make_rendition(self, path: Path, output: Path, on_progress: Any = None) -> Any:
        raise VideoUnreadable(path, UnreadableReason.BROKEN, "no MP4 takes its packets")


def test_d6_a_clip_does_without_a_rendition_that_cannot_be_made(harness: ClipHarness) -> None:
    harness.choose_video("x:1", "good.vp9")
    harness.run(replace(harness.work(), playable=WithoutRenditions()))
    (clip,) = harness.clips()
    assert (clip["renditions"], harness.videos()) == ([], {"x:1": "taken"})


def test_d6_a_better_copy_takes_the_rendition_away_or_brings_its_own(stored: ClipHarness) -> None:
    before = assert_whole(stored)
    stored.choose_video("x:2", "large.vp9")
    stored.run()
    clip = assert_whole(stored)
    assert clip["public_key"] == before["public_key"]
    assert clip["renditions"][0]["key"] != before["renditions"][0]["key"]
    stored.database[CLIPS].update_one({}, {"$set": {"judged.quality.bitrate": 1}})
    stored.choose_video("x:3", "large")
    stored.run()
    (clip,) = stored.clips()
    assert (clip["renditions"], clip["leftovers"]) == ([], [])
    assert len(stored.objects.list_keys()) == 3


def test_d6_the_same_h264_of_another_copy_keeps_the_rendition(stored: ClipHarness) -> None:
    before = assert_whole(stored)
    stored.database[CLIPS].update_one({}, {"$set": {"judged.quality.bitrate": 1}})
    stored.choose_video("x:2", "good.vp9")
    stored.run()
    clip = assert_whole(stored)
    assert (clip["renditions"], clip["revision"]) == (before["renditions"], 2)


def test_d6_an_operator_removes_it_with_its_clip(stored: ClipHarness) -> None:
    by = OperatorAction(AuditLog(stored.database), stored.clock, "ada", "not this goal")
    remove_clip(stored.work(), by, assert_whole(stored)["_id"])
    assert not stored.objects.list_keys()


def test_d6_it_goes_with_a_removed_goal_and_with_its_match(stored: ClipHarness) -> None:
    clip = assert_whole(stored)
    # F9 deletes what is under this prefix.
    assert clip["renditions"][0]["key"].startswith(f"{GOAL.fixture_id}/")
    stored.remove_goal()
    stored.database[EVENTS].update_one({}, {"$set": {"objects_left": True}})
    delete_clips_of_removed_goals(
        RetentionStore(stored.database),
        ClipDocuments(stored.database),
        Leases(stored.database),
        stored.objects,
        stored.clock,
    )
    assert not stored.objects.list_keys()


def test_d6_it_has_the_event_id_of_a_renamed_goal(stored: ClipHarness) -> None:
    (rendition,) = assert_whole(stored)["renditions"]
    stored.database[EVENTS].update_one({}, {"$set": {"event_id": "5000_40_7_Goal_1"}})
    assert relabel_clips_of_renamed_goals(ClipDocuments(stored.database), stored.objects) == 1
    found = stored.objects.head(rendition["key"])
    assert found.metadata["event"] == "5000_40_7_Goal_1"
    assert found.content_type == f'video/mp4; codecs="{rendition["codecs"]}"'


def test_d6_a_repair_keeps_the_original_of_an_older_clip(harness: ClipHarness) -> None:
    store_as_before(harness, "good.vp9")
    harness.database[CLIPS].update_one({}, {"$set": {"renditions": []}})
    assert [one.result for one in repair(harness)] == [RepairResult.REWRITTEN]
    before = assert_whole(harness)
    assert [one.result for one in repair(harness, every=True)] == [RepairResult.PLAYABLE]
    assert assert_whole(harness)["renditions"] == before["renditions"]


def test_d6_clips_of_an_older_version_have_none(stored: ClipHarness) -> None:
    stored.database[CLIPS].update_one({}, {"$set": {"renditions": []}})
    assert not agrees(stored), "an object without a document"
    stored.choose_video("x:2", "good.vp9")
    stored.run()
    (row,) = clip_rows(ClipDocuments(stored.database), [GOAL], "clips")
    assert row["renditions"] == []
    assert agrees(stored)
    assert len(stored.objects.list_keys()) == 3
