"""Every video of a goal is judged, settled and counted by itself, whatever one of them raises."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from footy_assets.clips.batch import ClipBatch
from footy_assets.clips.operator_actions import revalidate
from footy_assets.errors import S3Unavailable
from footy_assets.media.examine import Examination, Examiner
from footy_assets.media.goal_facts import GoalFacts
from footy_assets.operator_actions import OperatorAction
from footy_assets.store.audit import AuditLog
from footy_assets.store.collections import Document
from footy_assets_tests.clips.clip_harness import ClipHarness, film, no_log_lines, video
from footy_assets_tests.matchday.goals import GOAL, put_goal
from footy_assets_tests.media.bad_files import (
    late_stream,
    memory_bomb,
    upside_down,
    without_start,
)
from resources.downloads.client import Download, md5_of
from resources.s3.clip_store import ClipStore

pytestmark = pytest.mark.slow


@pytest.fixture
def harness(database: Database[Document], clip_store: ClipStore, tmp_path: Path) -> ClipHarness:
    put_goal(database)
    return ClipHarness(database, clip_store, tmp_path / "work")


class BadFileHost:
    """Makes the bad file of a name, or raises its error; else asks the host of films."""

    def __init__(
        self, harness: ClipHarness, bad: Mapping[str, Callable[[Path], Path] | Exception]
    ) -> None:
        self._films = harness.host
        self._bad = bad

    def fetch(self, url: str, into: Path, name: str) -> Download:
        bad = self._bad.get(url.removeprefix("film:"))
        if bad is None:
            return self._films.fetch(url, into, name)
        if isinstance(bad, Exception):
            raise bad
        path = bad(into / f"{name}.mp4")
        return Download(path, md5_of(path), path.stat().st_size)


def zeros(path: Path) -> Path:
    path.write_bytes(bytes(5000))
    return path


def run_with(harness: ClipHarness, **bad: Callable[[Path], Path] | Exception) -> ClipBatch:
    harness.choose(good=5, **dict.fromkeys(bad, 1))
    return harness.run(replace(harness.work(), downloader=BadFileHost(harness, bad)))


def test_damaged_files_are_refused_and_the_good_one_is_stored(harness: ClipHarness) -> None:
    """Each of the first three raised what nobody caught, and cost the good one its three tries."""
    batch = run_with(
        harness,
        seek=without_start,
        stream=late_stream,
        stride=upside_down,
        bomb=memory_bomb,
        garbage=zeros,
    )
    assert harness.videos() == {
        "x:bomb": "refused",
        "x:garbage": "refused",
        "x:good": "taken",
        "x:seek": "refused",
        "x:stream": "refused",
        "x:stride": "refused",
    }
    assert harness.reason("x:bomb") == harness.reason("x:stride") == "codec"
    assert harness.reason("x:garbage") == "not_a_video"
    assert harness.reason("x:seek") == harness.reason("x:stream") == "too_short"
    (clip,) = harness.clips()
    assert clip["verified"]
    assert len(batch.outcomes) == 6


def test_a_download_that_raises_anything_refuses_its_video_alone(harness: ClipHarness) -> None:
    run_with(harness, key=IndexError("list index out of range"))
    assert harness.videos() == {"x:good": "taken", "x:key": "refused"}
    refused = video(harness, "x:key")
    assert refused["reason"] == "unreadable"
    assert refused["detail"] == "IndexError: list index out of range"


class FailingExaminer:
    """Raises for the film `angle`."""

    def __init__(self, examiner: Examiner, error: Exception, fails: Path) -> None:
        self._examiner, self._error, self._fails = examiner, error, md5_of(fails)

    def examine(self, path: Path, goal: GoalFacts) -> Examination:
        if md5_of(path) == self._fails:
            raise self._error
        return self._examiner.examine(path, goal)


def failing_work(harness: ClipHarness, error: Exception) -> Any:
    work = harness.work()
    return replace(work, examiner=FailingExaminer(work.examiner, error, film("angle")))


def test_an_examination_that_raises_anything_refuses_its_video_alone(
    harness: ClipHarness,
) -> None:
    harness.choose(good=5, angle=1)
    harness.run(failing_work(harness, KeyError("stride")))
    assert harness.videos() == {"x:angle": "refused", "x:good": "taken"}
    assert video(harness, "x:angle")["reason"] == "examination_failed"
    assert "KeyError: 'stride'" in video(harness, "x:angle")["detail"]


def test_an_outage_of_our_own_stores_is_no_video_s_fault(harness: ClipHarness) -> None:
    harness.choose(good=5, angle=1)
    with pytest.raises(S3Unavailable):
        harness.run(failing_work(harness, S3Unavailable("S3 is away")))
    assert harness.videos() == {"x:angle": "chosen", "x:good": "taken"}
    assert video(harness, "x:angle")["tries"] == 0


def test_p5_an_examination_that_raises_removes_no_stored_clip(
    harness: ClipHarness, database: Database[Document]
) -> None:
    harness.choose(angle=1)
    harness.run()
    by = OperatorAction(AuditLog(database), harness.clock, "ada", "the decoder is new")
    work = failing_work(harness, KeyError("stride"))
    (result,) = revalidate(work, by, GOAL, "run-2", no_log_lines)
    assert result.accepted is None
    assert len(harness.clips()) == 1


class PickyObjects:
    """A bucket that fails on one clip in a way that is not an outage."""

    def __init__(self, objects: ClipStore, md5: str) -> None:
        self._objects, self._md5 = objects, md5

    def put(self, key: str, body: bytes | Path, **more: Any) -> None:
        if self._md5[:16] in key:
            raise ValueError("not a key")
        self._objects.put(key, body, **more)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._objects, name)


def test_a_clip_that_cannot_be_published_keeps_its_video_chosen_alone(
    harness: ClipHarness,
) -> None:
    harness.choose(good=5, angle=1)
    objects = PickyObjects(harness.objects, md5_of(film("angle")))
    harness.run(harness.work(objects=objects))
    assert harness.videos() == {"x:angle": "chosen", "x:good": "taken"}
    assert video(harness, "x:angle")["last_error"] == "ValueError: not a key"
    harness.run()
    assert harness.videos() == {"x:angle": "taken", "x:good": "taken"}
