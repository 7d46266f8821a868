"""V5: the picture of the scorebug that was read belongs to its clip, from upload to removal."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from pymongo.database import Database

from footy_assets.clips.audit import documents_and_objects_agree
from footy_assets.clips.explain import clip_rows, reading_line
from footy_assets.clips.repair import repair_clips
from footy_assets.clips.rules.keys import scorebug_key
from footy_assets.clips.work import ClipWork
from footy_assets.logs import no_log
from footy_assets.media import Scan
from footy_assets.media.examine import FileExaminer
from footy_assets.media.goal_facts import GoalFacts
from footy_assets.media.ocr import TextBox
from footy_assets.media.validation import ValidationResult
from footy_assets.operator_actions import OperatorAction
from footy_assets.store.audit import AuditLog
from footy_assets.store.collections import CLIPS, Document
from footy_assets_tests.clips.clip_harness import LENIENT, ClipHarness, film, validate
from footy_assets_tests.matchday.goals import GOAL, put_goal
from footy_assets_tests.media.cells import shared_cell
from resources.s3.clip_store import ClipStore

BOX = TextBox(10, 10, 110, 30)


@pytest.fixture
def harness(database: Database[Document], clip_store: ClipStore, tmp_path: Path) -> ClipHarness:
    put_goal(database)
    return ClipHarness(database, clip_store, tmp_path)


def reading(is_read: Callable[[Scan], bool]) -> Callable[[Scan, GoalFacts], ValidationResult]:
    """A validator that reads a scorebug in some files."""

    def judge(scanned: Scan, goal: GoalFacts) -> ValidationResult:
        result = validate(scanned, goal)
        if not is_read(scanned):
            return result
        return replace(result, text_box=BOX, text_moments=(1.0, 2.0))

    return judge


def work_of(harness: ClipHarness, is_read: Callable[[Scan], bool]) -> ClipWork:
    examiner = FileExaminer(reading(is_read), shared_cell(), LENIENT)
    return replace(harness.work(), examiner=examiner)


def test_v5_the_picture_comes_with_the_clip_and_goes_with_the_file(harness: ClipHarness) -> None:
    small_only = work_of(harness, lambda scanned: scanned.probe.width < 480)
    harness.choose(good=5)
    harness.run(small_only)
    (clip,) = harness.clips()
    picture = cv2.imdecode(
        np.frombuffer(harness.objects.get(scorebug_key(clip["key"])), np.uint8), cv2.IMREAD_COLOR
    )
    assert picture is not None
    assert picture.shape == (2 * 40, 120, 3)
    (row,) = clip_rows(small_only.documents, [GOAL], "bucket")
    assert row["scorebug_picture"] == f"/video/bucket/{scorebug_key(clip['key'])}"
    assert (row["text_box"], row["text_seconds"]) == ([*BOX], [1.0, 2.0])
    assert documents_and_objects_agree(small_only.documents, harness.objects, GOAL).passed
    harness.choose(large=1)
    harness.run(small_only)
    (better,) = harness.clips()
    assert better["key"] != clip["key"]
    assert len(harness.objects.list_keys()) == 3, "nothing was read in the better copy"
    (row,) = clip_rows(small_only.documents, [GOAL], "bucket")
    assert row["scorebug_picture"] is None


def test_v5_a_repaired_clip_keeps_its_picture(harness: ClipHarness) -> None:
    work = work_of(harness, lambda _: True)
    harness.choose_video("x:good", "good.ts")
    harness.run(work)
    (clip,) = harness.clips()
    before = harness.objects.get(scorebug_key(clip["key"]))
    stored = "ab" * 16
    old = f"{clip['key'].rpartition('/')[0]}/{stored[:16]}.mp4"
    content = film("good.ts").read_bytes()
    for new, body in zip(
        (old, old.replace(".mp4", ".jpg"), old.replace(".mp4", ".thumb.jpg"), scorebug_key(old)),
        (content, b"poster", b"thumbnail", before),
        strict=True,
    ):
        harness.objects.put(new, body)
    harness.database[CLIPS].update_one(
        {"_id": clip["_id"]}, {"$set": {"key": old, "md5": stored}, "$unset": {"judged": ""}}
    )
    by = OperatorAction(AuditLog(harness.database), harness.clock, "ada", "old clips")
    repair_clips(work, by, "run-2", no_log)
    (repaired,) = harness.clips()
    assert repaired["key"] != old
    assert harness.objects.get(scorebug_key(repaired["key"])) == before
    assert len(harness.objects.list_keys()) == 4


def test_v5_explain_says_what_was_read_where_and_when() -> None:
    row = {
        "rank": 1,
        "clock_minutes": [33],
        "scorebug": "BOC 0-0 then 1-0 UCA",
        "text_box": [10, 18, 160, 36],
        "text_seconds": [3.0, 9.04],
        "scorebug_picture": "/video/b/k.bug.jpg",
    }
    assert reading_line(row) == (
        "clip 1: clock 33 min, BOC 0-0 then 1-0 UCA at 10,18 to 160,36, 3.0 s and 9.0 s into the "
        "clip: /video/b/k.bug.jpg"
    )
    clock_alone = {**row, "scorebug": None, "text_seconds": [], "scorebug_picture": None}
    assert reading_line(clock_alone) == "clip 1: clock 33 min at 10,18 to 160,36"
