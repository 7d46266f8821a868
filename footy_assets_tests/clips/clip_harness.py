"""The clip pipeline of one goal on real servers, with films that are rendered once."""

import atexit
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from threading import get_ident
from typing import Any

from pymongo.database import Database

from footy_assets.clips.batch import ClipBatch
from footy_assets.clips.publish import ClipObjects
from footy_assets.clips.store.clips import ClipDocuments
from footy_assets.clips.store.held import HeldFiles
from footy_assets.clips.work import ClipWork
from footy_assets.clock import ManualClock
from footy_assets.errors import DownloadFailed
from footy_assets.matchday.rules.goal import Removal, RemovalReason
from footy_assets.matchday.store.documents import goal_document
from footy_assets.media import ClipRules, Scan
from footy_assets.media.examine import FileExaminer
from footy_assets.media.goal_facts import GoalFacts
from footy_assets.media.validation import ValidationResult
from footy_assets.search.rules.video import VideoState
from footy_assets.search.store.ahead import AheadStore
from footy_assets.search.store.searches import SearchStore
from footy_assets.search.store.videos import VideoStore, video_key
from footy_assets.store.collections import CLIPS, EVENTS, VIDEOS, Document
from footy_assets.store.leases import Leases
from footy_assets_tests.matchday.goals import GOAL, STABLE
from footy_assets_tests.media.cells import shared_cell
from footy_assets_tests.media.films import Film, Take, cropped, render, watermark
from footy_assets_tests.media.kinds import REALTIME, reencoded_to, remuxed_to
from resources.downloads.client import Download, md5_of
from resources.embedded.weed import S3Server

FILMS = "FILMS_OF_THE_TESTS"
LENIENT = ClipRules(short_edge=90)
TAKES: Mapping[str, tuple[int, Take]] = {
    "good": (1, Take()),
    "small": (1, Take(size=(240, 136), crf=34)),
    "large": (1, Take(size=(480, 270))),
    "cropped": (1, Take(edit=cropped)),
    "marked": (1, Take(edit=watermark, start=0.6, seconds=5.0)),
    "angle": (2, Take()),
    "short": (3, Take(seconds=2.0)),
    "other": (4, Take()),
}


SMALLER: Mapping[str, tuple[str, Mapping[str, str]]] = {
    ".vp9": ("libvpx-vp9", REALTIME | {"crf": "50"}),
    ".hevc": ("libx265", {"preset": "ultrafast", "crf": "34", "x265-params": "log-level=none"}),
    ".av1": ("libsvtav1", {"preset": "12", "crf": "50"}),
}


@cache
def films() -> Path:
    """The folder of rendered films, shared with the processes that a test starts."""
    if FILMS not in os.environ:
        os.environ[FILMS] = mkdtemp(prefix="footy-films-")
        atexit.register(shutil.rmtree, os.environ[FILMS], ignore_errors=True)
    return Path(os.environ[FILMS])


def film(name: str) -> Path:
    """By its take, and the container if it is not the MP4 that is stored as it is: `good`,
    `good.ts`. `good.m4v` is an MP4 with its index last, `good.vp9` one that is smaller than the
    H.264 that is made of it (D6)."""
    take_name, _, container = name.partition(".")
    seed, take = TAKES[take_name]
    path = films() / f"{take_name}.{container or 'mp4'}"
    if not path.exists():
        # Processes and download threads may render the same film at once.
        unfinished = path.with_suffix(f".{os.getpid()}-{get_ident()}{path.suffix}")
        if container:
            in_container(film(take_name), unfinished)
        else:
            rendered = render(unfinished.with_suffix(".rendered.mp4"), Film(seed), take)
            playable = {"movflags": "faststart", "fflags": "bitexact"}
            remuxed_to(rendered, unfinished, "mp4", **playable)
            rendered.unlink()
        unfinished.replace(path)
    return path


def in_container(source: Path, target: Path) -> Path:
    if target.suffix == ".webm":
        return reencoded_to(source, target, "webm", "libvpx-vp9")
    if target.suffix in SMALLER:
        return reencoded_to(source, target, "mp4", *SMALLER[target.suffix])
    containers = {".ts": "mpegts", ".mkv": "matroska", ".m4v": "mp4"}
    return remuxed_to(source, target, containers[target.suffix])


def validate(scanned: Scan, goal: GoalFacts) -> ValidationResult:
    """Accepts every video as football; only a wide picture has a matching clock."""
    verified = scanned.probe.width >= 300
    return ValidationResult(accepted=True, football=True, clock_matches=verified)


@dataclass
class FilmHost:
    """Fetches films by name, as `film:NAME`; `failing` maps names to their failures."""

    failing: dict[str, DownloadFailed] = field(default_factory=dict)

    def fetch(self, url: str, into: Path, name: str) -> Download:
        wanted = url.removeprefix("film:")
        if wanted in self.failing:
            raise self.failing[wanted]
        path = into / f"{name}.mp4"
        if wanted == "garbage":
            path.write_bytes(b"\0" * 5000)
        else:
            shutil.copy(film(wanted), path)
        return Download(path, md5_of(path), path.stat().st_size)


@dataclass
class ClipHarness:
    database: Database[Document]
    objects: Any
    folder: Path
    clock: ManualClock = field(default_factory=lambda: ManualClock(STABLE))
    host: FilmHost = field(default_factory=FilmHost)

    def work(self, database: Database[Document] | None = None, objects: Any = None) -> ClipWork:
        database = self.database if database is None else database
        stored: ClipObjects = objects or self.objects
        return ClipWork(
            documents=ClipDocuments(database),
            videos=VideoStore(database),
            searches=SearchStore(database),
            leases=Leases(database),
            held=HeldFiles(database),
            ahead=AheadStore(database),
            objects=stored,
            downloader=self.host,
            examiner=FileExaminer(validate, shared_cell(), LENIENT),
            playable=shared_cell(),
            clock=self.clock,
            folder=self.folder,
            # One after the other: in an order that no test owes to luck.
            downloads_at_once=1,
        )

    def worker_options(self, mongo_uri: str, s3: S3Server, point: str) -> dict[str, str]:
        """For a worker of `one_clip_worker.py`, which dies at this point."""
        return {
            "uri": mongo_uri,
            "database": self.database.name,
            "s3": s3.endpoint_url,
            "access": s3.access_key_id,
            "secret": s3.secret_access_key,
            "bucket": self.objects.bucket,
            "folder": str(self.folder),
            "point": point,
            FILMS: str(films()),
        }

    def choose(self, **videos: int) -> None:
        """Stores chosen videos by film name and popularity: `choose(good=5)`."""
        for name, popularity in videos.items():
            self.choose_video(f"x:{name}", name.rstrip("_"), popularity)

    def choose_video(
        self, video_id: str, film_name: str, popularity: int = 1, goal_key: str = GOAL.key
    ) -> None:
        self.database[VIDEOS].update_one(
            {"_id": video_key(goal_key, video_id)},
            {
                "$setOnInsert": {
                    "goal_key": goal_key,
                    "fixture_id": GOAL.fixture_id,
                    "video_id": video_id,
                    "source": "x",
                    "url": f"https://x.test/{video_id}",
                    "video_url": f"film:{film_name}",
                    "posted_at": STABLE,
                    "popularity": popularity,
                    "state": VideoState.CHOSEN,
                    "attempt": 1,
                    "tries": 0,
                }
            },
            upsert=True,
        )

    def run(self, work: ClipWork | None = None) -> ClipBatch:
        work = work or self.work()
        goal = work.documents.goals.get(GOAL.key)
        assert goal is not None
        return work.run(goal, "run-1", no_log_lines)

    def run_until_settled(self) -> None:
        """As the sensor does: a run for each time that videos wait."""
        while VideoState.CHOSEN in self.videos().values():
            self.run()

    # -- the stored state -----------------------------------------------------------------

    def clips(self) -> list[Document]:
        found = self.database[CLIPS].find({}, {"fingerprint": 0}).sort("rank", 1)
        return list(found)

    def videos(self) -> dict[str, str]:
        return {d["video_id"]: d["state"] for d in self.database[VIDEOS].find().sort("_id")}

    def reason(self, video_id: str) -> str:
        return str((self.database[VIDEOS].find_one({"video_id": video_id}) or {})["reason"])

    def end_state(self) -> dict[str, Any]:
        """The stored clips, objects and videos, without fields that differ from run to run."""
        return {
            "clips": [
                {
                    name: clip[name]
                    for name in (
                        "_id", "key", "public_key", "md5", "popularity", "rank", "verified",
                        "leftovers", "video_id", "renditions",
                    )
                }
                | {"by": sorted((e["video"], e["count"]) for e in clip["popularity_by"])}
                for clip in self.clips()
            ],
            "objects": sorted(self.objects.list_keys()),
            "videos": self.videos(),
        }  # fmt: skip

    def expire_leases(self) -> None:
        past = datetime(2000, 1, 1, tzinfo=UTC)
        self.database["leases"].update_many({}, {"$set": {"expires_at": past}})

    def remove_goal(self) -> None:
        removed = goal_document(replace(GOAL, removal=Removal(STABLE, RemovalReason.VAR)))
        self.database[EVENTS].update_one({"_id": GOAL.key}, {"$set": removed})


def no_log_lines(line: str) -> None: ...


def video(harness: ClipHarness, video_id: str = "x:good") -> Document:
    return harness.database[VIDEOS].find_one({"video_id": video_id}) or {}
