"""D4: a stored clip is a playable MP4; older ones are repaired."""

import hashlib
import json
import signal
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from footy_assets.clips.repair import ClipRepair, RepairResult, repair_clips
from footy_assets.clips.rules.keys import poster_and_thumbnail_keys
from footy_assets.logs import no_log
from footy_assets.media import UnreadableReason, VideoUnreadable, probe
from footy_assets.media.errors import OutputUnwritable
from footy_assets.media.mp4_boxes import is_faststart
from footy_assets.media.playable import PlayableFile
from footy_assets.media.rendition import RenditionFile
from footy_assets.operator_actions import OperatorAction
from footy_assets.store.audit import AuditLog
from footy_assets.store.collections import CLIPS, Document
from footy_assets_tests.clips.clip_harness import ClipHarness, film
from footy_assets_tests.clips.one_clip_worker import REPAIR_POINTS, repair_and_die
from footy_assets_tests.fixtures.command import Footy
from footy_assets_tests.forked import exit_code, fork
from footy_assets_tests.matchday.goals import put_goal
from footy_assets_tests.media.cells import shared_cell
from resources.embedded.weed import S3Server
from resources.s3.clip_store import ClipStore

pytestmark = pytest.mark.slow


@pytest.fixture
def harness(database: Database[Document], clip_store: ClipStore, tmp_path: Path) -> ClipHarness:
    put_goal(database)
    return ClipHarness(database, clip_store, tmp_path)


def stored_file(harness: ClipHarness, clip: Mapping[str, Any]) -> Path:
    path = harness.folder / "stored.mp4"
    path.write_bytes(harness.objects.get(clip["key"]))
    return path


def assert_document_describes_object(harness: ClipHarness, clip: Mapping[str, Any]) -> None:
    path = stored_file(harness, clip)
    content, seen = path.read_bytes(), probe(path)
    found = harness.objects.head(clip["key"])
    assert found.content_type == "video/mp4"
    assert clip["md5"] == hashlib.md5(content).hexdigest()
    assert Path(clip["key"]).stem == clip["md5"][:16]
    assert (clip["size"], found.metadata["size"]) == (len(content), str(len(content)))
    assert (clip["width"], clip["height"]) == (seen.width, seen.height)
    assert clip["duration"] == seen.duration
    assert seen.codec == "h264"
    with path.open("rb", buffering=0) as file:
        assert is_faststart(file)


@pytest.mark.parametrize("name", ["good", "good.m4v", "good.ts", "good.mkv", "good.webm"])
def test_d4_a_video_of_any_kind_is_stored_as_an_mp4(harness: ClipHarness, name: str) -> None:
    harness.choose_video("x:1", name)
    harness.run()
    (clip,) = harness.clips()
    assert_document_describes_object(harness, clip)
    judged = film(name).read_bytes()
    assert clip["judged"]["md5"] == hashlib.md5(judged).hexdigest()
    assert clip["judged"]["quality"]["size"] == len(judged)


def test_d4_a_file_that_plays_everywhere_is_stored_as_it_is(harness: ClipHarness) -> None:
    harness.choose(good=1)
    harness.run()
    (clip,) = harness.clips()
    assert harness.objects.get(clip["key"]) == film("good").read_bytes()


def test_the_file_that_was_judged_decides_which_copy_is_better(harness: ClipHarness) -> None:
    """The container of HLS makes a file larger, and so do other encoders: neither is a reason to
    replace a clip by itself."""
    harness.choose_video("x:1", "good.webm")
    harness.run()
    (first,) = harness.clips()
    harness.choose_video("x:2", "good.webm")
    batch = harness.run()
    (second,) = harness.clips()
    assert batch.playable == {}, "nothing is made of a file that is not stored"
    assert second["key"] == first["key"]
    assert harness.reason("x:2") == "the same bytes are stored"


def test_a_copy_that_gives_the_same_mp4_replaces_it_without_a_loss(harness: ClipHarness) -> None:
    """The same pictures in another container: a larger file, but the same object."""
    harness.choose_video("x:1", "good.mkv")
    harness.run()
    (first,) = harness.clips()
    harness.database[CLIPS].update_one({}, {"$set": {"judged.quality.bitrate": 1}})
    harness.choose_video("x:2", "good.mkv")
    harness.run()
    (second,) = harness.clips()
    assert (second["key"], second["revision"]) == (first["key"], 2)
    assert_document_describes_object(harness, second)


class Refusing:
    """Makes no MP4 of the largest file."""

    def __init__(self, error: Exception) -> None:
        self._error = error
        self._refused = film("large").stat().st_size

    def make_playable(self, path: Path, output: Path, on_progress: Any = None) -> PlayableFile:
        if path.stat().st_size == self._refused:
            raise self._error
        return shared_cell().make_playable(path, output, on_progress)

    def make_rendition(self, path: Path, output: Path, on_progress: Any = None) -> RenditionFile:
        return shared_cell().make_rendition(path, output, on_progress)


def test_where_no_mp4_can_be_made_the_next_best_copy_is_stored(harness: ClipHarness) -> None:
    harness.choose(good=1, large=1, angle=1)
    broken = VideoUnreadable(Path("video"), UnreadableReason.BROKEN, "no MP4")
    harness.run(replace(harness.work(), playable=Refusing(broken)))
    assert harness.videos() == {"x:angle": "taken", "x:good": "taken", "x:large": "refused"}
    assert harness.reason("x:large") == "broken"


def test_a_full_disk_refuses_no_video(harness: ClipHarness) -> None:
    harness.choose(large=1)
    with pytest.raises(OutputUnwritable):
        harness.run(replace(harness.work(), playable=Refusing(OutputUnwritable("disk full"))))
    assert harness.videos() == {"x:large": "chosen"}


# -- repair ----------------------------------------------------------------------------------


def store_as_before(harness: ClipHarness, *names: str) -> None:
    """Clips as an older version stored them: the downloaded file, whatever it is."""
    for name in names:
        harness.choose_video(f"x:{name}", name)
        harness.run()
    for clip in harness.clips():
        content = film(clip["video_id"].removeprefix("x:")).read_bytes()
        md5 = hashlib.md5(content).hexdigest()
        key = f"{Path(clip['key']).parent}/{md5[:16]}.mp4"
        for old, new in zip(
            poster_and_thumbnail_keys(clip["key"]), poster_and_thumbnail_keys(key), strict=True
        ):
            harness.objects.put(new, harness.objects.get(old))
            harness.objects.delete(old)
        harness.objects.put(key, content, content_type="video/mp4")
        harness.objects.delete(clip["key"])
        harness.database[CLIPS].update_one(
            {"_id": clip["_id"]},
            {
                "$set": {"key": key, "public_key": key, "md5": md5, "size": len(content)},
                "$unset": {"judged": ""},
            },
        )


def repair(harness: ClipHarness, **options: bool) -> list[ClipRepair]:
    by = OperatorAction(AuditLog(harness.database), harness.clock, "ada", "old clips")
    return repair_clips(harness.work(), by, "run-2", no_log, **options)


def test_d4_old_clips_are_repaired_once(harness: ClipHarness) -> None:
    store_as_before(harness, "good.ts", "angle.webm")
    before = {clip["_id"]: clip for clip in harness.clips()}
    dry = repair(harness, dry_run=True)
    assert {one.result for one in dry} == {RepairResult.TO_REWRITE}
    assert {clip["_id"]: clip for clip in harness.clips()} == before
    done = repair(harness)
    assert {str(one.method) for one in done} == {"remuxed", "transcoded"}
    assert {one.result for one in done} == {RepairResult.REWRITTEN}
    for clip in harness.clips():
        old = before[clip["_id"]]
        assert_document_describes_object(harness, clip)
        assert (clip["public_key"], clip["replaced"]) == (old["public_key"], [])
        assert clip["judged"]["md5"] == old["md5"]
        assert clip["leftovers"] == []
    keys = [clip["key"] for clip in harness.clips()]
    wanted = {key for clip in keys for key in (clip, *poster_and_thumbnail_keys(clip))}
    assert set(harness.objects.list_keys()) == wanted
    assert repair(harness) == []
    assert {one.result for one in repair(harness, every=True)} == {RepairResult.PLAYABLE}


def test_a_clip_that_cannot_be_repaired_stays_and_stops_no_other(harness: ClipHarness) -> None:
    store_as_before(harness, "good.ts", "angle.mkv", "other.ts")
    damaged, missing, _ = sorted(harness.clips(), key=lambda clip: str(clip["video_id"]))[::-1]
    harness.objects.put(damaged["key"], b"\0" * 5000)
    harness.objects.delete(missing["key"])
    results = {one.clip_id: one for one in repair(harness)}
    assert [results[one["_id"]].result for one in (damaged, missing)] == ["failed", "failed"]
    assert "not a readable video" in results[damaged["_id"]].reason
    assert "is not in the bucket" in results[missing["_id"]].reason
    assert sorted(one.result for one in results.values())[-1] == RepairResult.REWRITTEN
    assert harness.objects.exists(damaged["key"])


@pytest.mark.parametrize("point", REPAIR_POINTS)
def test_a_repair_that_is_killed_and_run_again_ends_the_same(
    harness: ClipHarness, mongo_uri: str, s3: S3Server, point: str
) -> None:
    store_as_before(harness, "good.ts")
    (public,) = [clip["public_key"] for clip in harness.clips()]
    options = harness.worker_options(mongo_uri, s3, point)
    assert exit_code(fork(repair_and_die, options)) == -signal.SIGKILL
    (clip,) = harness.clips()
    assert harness.objects.exists(clip["key"]), "it can be watched all the time"
    harness.expire_leases()
    repair(harness)
    (clip,) = harness.clips()
    assert_document_describes_object(harness, clip)
    assert (clip["public_key"], clip["leftovers"]) == (public, [])
    assert len(harness.objects.list_keys()) == 3


def test_the_command_repairs_and_is_recorded(
    footy: Footy, harness: ClipHarness, s3: S3Server
) -> None:
    footy.env |= {
        "FOOTY_S3_ENDPOINT_URL": s3.endpoint_url,
        "FOOTY_S3_ACCESS_KEY_ID": s3.access_key_id,
        "FOOTY_S3_SECRET_ACCESS_KEY": s3.secret_access_key,
        "FOOTY_S3_BUCKET": harness.objects.bucket,
    }
    store_as_before(harness, "good.ts")
    (row,) = footy.json("clip", "repair", "--dry-run")
    assert (row["result"], row["method"]) == ("would be rewritten", "remuxed")
    (row,) = json.loads(footy("clip", "repair", "--json").stdout)
    assert row["result"] == "rewritten"
    assert "No clips to repair" in footy("clip", "repair").stdout
    assert "playable already" in footy("clip", "repair", "--all").stdout
    entries = footy.json("audit")
    assert {entry["operation"] for entry in entries} == {"repair clips"}
    assert "1 rewritten" in entries[2]["outcome"]
