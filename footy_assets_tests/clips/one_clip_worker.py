"""A separate process that runs the clip pipeline of a goal.

It kills itself (SIGKILL) at the given point, or completes the batch.
"""

import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import SecretStr
from pymongo import MongoClient

from footy_assets.clips.repair import repair_clips
from footy_assets.clips.rules.clip import Clip
from footy_assets.clips.rules.held import HeldFile
from footy_assets.clips.store.clips import ClipDocuments
from footy_assets.clips.store.held import HeldFiles
from footy_assets.logs import no_log
from footy_assets.media.examine import Examination, Examiner
from footy_assets.media.goal_facts import GoalFacts
from footy_assets.operator_actions import OperatorAction
from footy_assets.search.store.videos import VideoStore
from footy_assets.store.audit import AuditLog
from footy_assets.store.collections import Document
from footy_assets_tests.clips.clip_harness import FILMS, ClipHarness, FilmHost, film
from resources.downloads.client import Download, md5_of
from resources.s3.client import S3Address, connect
from resources.s3.clip_store import ClipStore

POINTS = (
    "before the upload",
    "after the pictures",
    "after the object",
    "after the document",
    "before the old one is removed",
    "after the old one is removed",
    "before the rank",
    "before the videos are settled",
)

HOLD_POINTS = (
    "before the upload",
    "after the object",
    "after the held document",
    "before the videos are settled",
)

RENDITION_POINTS = (
    "after the rendition",
    "after the object",
    "after the document",
    "after the old one is removed",
)

REPAIR_POINTS = (
    "before the upload",
    "after the pictures",
    "after the object",
    "after the document",
    "before the old one is removed",
    "after the old one is removed",
    "before the rank",
)

# Between the videos of a batch, of which each goes its own way.
BETWEEN_POINTS = (
    "while the second is downloaded",
    "before the second is judged",
    "after the first is settled",
    "before the batch ends",
)

KILLED_BY_A_VIDEO = "while the film `other` is examined"


def kill_this_process() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class DyingObjects(ClipStore):
    point = ""

    def put(self, key: str, body: bytes | Path, **more: Any) -> None:
        if self.point == "before the upload" or (
            self.point == "after the pictures" and key.endswith(".mp4")
        ):
            kill_this_process()
        super().put(key, body, **more)
        # A rendition is `HASH.CODEC.mp4`, and stored before its clip.
        stored = "the rendition" if key.count(".") == 2 else "the object"
        if self.point == f"after {stored}" and key.endswith(".mp4"):
            kill_this_process()

    def delete(self, key: str) -> None:
        if self.point == "before the old one is removed":
            kill_this_process()
        super().delete(key)
        if self.point == "after the old one is removed":
            kill_this_process()


class DyingDocuments(ClipDocuments):
    point = ""

    def add(self, clip: Clip, facts: Mapping[str, Any]) -> None:
        super().add(clip, facts)
        if self.point == "after the document":
            kill_this_process()

    def replace(self, *args: Any) -> bool:
        done = super().replace(*args)
        if self.point == "after the document":
            kill_this_process()
        return done

    def rewrite(self, *args: Any) -> bool:
        done = super().rewrite(*args)
        if self.point == "after the document":
            kill_this_process()
        return done

    def write_ranks(self, goal_key: str, ranks: Mapping[str, int]) -> None:
        if self.point == "before the rank":
            kill_this_process()
        super().write_ranks(goal_key, ranks)


class DyingHeldFiles(HeldFiles):
    point = ""

    def put(self, held: HeldFile) -> None:
        super().put(held)
        if self.point == "after the held document":
            kill_this_process()


class DyingVideos(VideoStore):
    point = ""

    def settle(self, *args: Any) -> None:
        if self.point == "before the videos are settled":
            kill_this_process()
        super().settle(*args)
        if self.point == "after the first is settled":
            kill_this_process()

    def end_try(self, *args: Any) -> None:
        if self.point == "before the batch ends":
            kill_this_process()
        super().end_try(*args)


class DyingHost(FilmHost):
    """Ends the process at its second download."""

    def fetch(self, url: str, into: Path, name: str) -> Download:
        if name != "video-0":
            kill_this_process()
        return super().fetch(url, into, name)


class SecondKills:
    """Ends the process at the second file."""

    def __init__(self, examiner: Examiner) -> None:
        self._examiner = examiner
        self._seen = 0

    def examine(self, path: Path, goal: GoalFacts) -> Examination:
        self._seen += 1
        if self._seen == 2:
            kill_this_process()
        return self._examiner.examine(path, goal)


class DyingExaminer:
    """Ends the process when it sees the film `other`, wherever it runs."""

    def __init__(self, examiner: Examiner) -> None:
        self._examiner = examiner
        self._fatal = md5_of(film("other"))

    def examine(self, path: Path, goal: GoalFacts) -> Examination:
        if md5_of(path) == self._fatal:
            kill_this_process()
        return self._examiner.examine(path, goal)


def work_on_clips(options: Mapping[str, str]) -> None:
    with dying_harness(options) as harness:
        work = harness.work()
        if options["point"] == KILLED_BY_A_VIDEO:
            work = replace(work, examiner=DyingExaminer(work.examiner))
        if options["point"] == "before the second is judged":
            work = replace(work, examiner=SecondKills(work.examiner))
        if options["point"] == "while the second is downloaded":
            work = replace(work, downloader=DyingHost())
        videos = DyingVideos(harness.database)
        held, documents = DyingHeldFiles(harness.database), DyingDocuments(harness.database)
        harness.run(replace(work, documents=documents, videos=videos, held=held))


def repair_and_die(options: Mapping[str, str]) -> None:
    with dying_harness(options) as harness:
        work = replace(harness.work(), documents=DyingDocuments(harness.database))
        by = OperatorAction(AuditLog(harness.database), harness.clock, "ada", "old clips")
        repair_clips(work, by, "run-2", no_log)


@contextmanager
def dying_harness(options: Mapping[str, str]) -> Iterator[ClipHarness]:
    os.environ[FILMS] = options[FILMS]
    for dying in (DyingObjects, DyingDocuments, DyingVideos, DyingHeldFiles):
        dying.point = options["point"]
    address = S3Address(
        options["s3"], "us-east-1", SecretStr(options["access"]), SecretStr(options["secret"])
    )
    with MongoClient[Document](options["uri"], tz_aware=True) as client:
        database = client[options["database"]]
        objects = DyingObjects(connect(address), options["bucket"])
        yield ClipHarness(database, objects, Path(options["folder"]))
