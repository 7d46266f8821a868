"""Faults of the disk, downloads, the vision model and steps: the outcome for a goal's clips.

| fault                       | meanwhile                                | once healed            |
|-----------------------------|------------------------------------------|------------------------|
| disk full                   | videos stay due, no try is spent         | stored                 |
| video cut off               | tried again, then failed with the reason | stored                 |
| video truncated             | refused                                  |                        |
| yt-dlp error that can heal  | tried again, then failed with the reason | stored                 |
| yt-dlp error that cannot    | refused with its class                   |                        |
| invalid vision reply        | refused, never accepted                  | the next video         |
| a step hangs                | ended, tried again, then failed          | stored                 |
"""

import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from pymongo.database import Database

from footy_assets.clips.work import ClipWork
from footy_assets.errors import DownloadUnavailable
from footy_assets.media.examine import Examination, FileExaminer
from footy_assets.media.goal_facts import GoalFacts
from footy_assets.media.validation import RefusalReason, make_validator
from footy_assets.progress import Watchdog
from footy_assets.search.store.searches import SearchStore
from footy_assets.sim.loopback import Loopback
from footy_assets.store.collections import VIDEOS, Document
from footy_assets.store.leases import Leases
from footy_assets.store.spending import Cap, Spending
from footy_assets_tests.clips.clip_harness import LENIENT, ClipHarness, video
from footy_assets_tests.clips.video_host import VideoHost
from footy_assets_tests.matchday.goals import GOAL, STABLE, put_goal
from footy_assets_tests.media.cells import shared_cell
from footy_assets_tests.resources.vision_server import VisionServer
from footy_assets_tests.waiting import no_sleep
from resources.downloads.client import Downloader
from resources.language_model.vision import LEASE, VisionClient
from resources.s3.clip_store import ClipStore

pytestmark = pytest.mark.slow


@pytest.fixture
def harness(database: Database[Document], clip_store: ClipStore, tmp_path: Path) -> ClipHarness:
    put_goal(database)
    return ClipHarness(database, clip_store, tmp_path / "work")


@pytest.fixture
def site() -> Iterator[tuple[VideoHost, str]]:
    video_host = VideoHost()
    running = Loopback(video_host.app(), ("127.0.0.1", 0))
    host, port = running.address
    yield video_host, f"http://{host}:{port}"
    running.stop()


def choose(harness: ClipHarness, base_url: str, *films: str) -> ClipWork:
    """Stores films of a site as chosen videos; returns work with the real downloader."""
    for name in films:
        harness.choose_video(f"x:{name}", name)
        harness.database[VIDEOS].update_one(
            {"video_id": f"x:{name}"}, {"$set": {"video_url": f"{base_url}/{name}.mp4"}}
        )
    return replace(
        harness.work(),
        downloader=Downloader(hosts=("127.0.0.1",), private_addresses=True, sleep=no_sleep),
    )


# -- downloads -------------------------------------------------------------------------------


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 100 KB: a film does not fit."""
    place = tmp_path / "small"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=100k", "tmpfs", place], capture_output=True
    )
    if mounted.returncode:
        pytest.skip("only root may mount a small disk")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


def test_a_full_disk_spends_no_try(
    harness: ClipHarness, site: tuple[VideoHost, str], small_disk: Path
) -> None:
    _, url = site
    work = choose(harness, url, "large")
    for _ in range(4):
        with pytest.raises(DownloadUnavailable, match="no space left"):
            harness.run(replace(work, folder=small_disk))
    full = video(harness, "x:large")
    assert (full["state"], full["tries"]) == ("chosen", 0)
    assert full["last_error"] == "no space left for downloads"
    assert not [path for path in small_disk.rglob("*") if path.is_file()]
    harness.run(work)
    assert harness.videos() == {"x:large": "taken"}


@pytest.mark.parametrize("fault", [503, "cut off"])
def test_d1_a_failing_download_is_retried_and_then_failed_with_its_reason(
    harness: ClipHarness, site: tuple[VideoHost, str], fault: Any
) -> None:
    video_host, url = site
    work = choose(harness, url, "good", "angle")
    video_host.faults = {"good": fault, "angle": fault}
    harness.run(work)
    assert harness.videos() == {"x:angle": "chosen", "x:good": "chosen"}
    assert video(harness)["last_error"]
    video_host.faults = {"angle": fault}
    for _ in range(3):
        harness.run(work)
    assert harness.videos() == {"x:angle": "failed", "x:good": "taken"}
    gone = video(harness, "x:angle")
    assert gone["reason"] == "not finished in 3 tries"
    assert gone["detail"] == gone["last_error"]


def test_v1_a_truncated_video_is_refused(harness: ClipHarness, site: tuple[VideoHost, str]) -> None:
    video_host, url = site
    work = choose(harness, url, "good", "angle")
    video_host.faults = {"good": "half"}
    harness.run(work)
    assert harness.videos() == {"x:angle": "taken", "x:good": "refused"}
    assert video(harness)["reason"]


@pytest.mark.parametrize(("status", "cause"), [(404, "removed"), (451, "geo_blocked")])
def test_d1_permanent_errors_of_yt_dlp_are_refused(
    harness: ClipHarness, site: tuple[VideoHost, str], status: int, cause: str
) -> None:
    video_host, url = site
    work = choose(harness, url, "good")
    video_host.faults = {"good": status}
    harness.run(work)
    assert (video(harness)["state"], video(harness)["reason"]) == ("refused", cause)


# -- validation ------------------------------------------------------------------------------


def test_v1_an_invalid_reply_of_the_vision_model_accepts_nothing(
    harness: ClipHarness, database: Database[Document]
) -> None:
    with (
        VisionServer() as server,
        VisionClient(
            server.url,
            "eyes",
            clock=harness.clock,
            leases=Leases(database),
            spending=Spending(database, LEASE),
            cap=Cap(1_000, 0),
            sleep=no_sleep,
        ) as vision,
    ):
        examiner = FileExaminer(make_validator(vision, vision_only=True), shared_cell(), LENIENT)
        work = replace(harness.work(), examiner=examiner)
        harness.choose(good=1)
        server.corrupt_next("prose", "html", "wrong_type", "cut_off")
        harness.run(work)
        assert video(harness)["state"] == "refused"
        assert video(harness)["reason"].startswith(RefusalReason.NOT_JUDGED)
        assert video(harness)["reason_kind"] == RefusalReason.NOT_JUDGED
        assert len(server.requests) == 4, "P4: four tries"
        assert not harness.clips()
        harness.choose(angle=1)
        harness.run(work)
    assert harness.videos() == {"x:angle": "taken", "x:good": "refused"}


def test_p3_a_step_that_hangs_is_stopped_and_its_video_retried(harness: ClipHarness) -> None:
    harness.choose(good=1)
    released = Event()

    class HangingExaminer:
        def examine(self, path: Path, goal: GoalFacts) -> Examination:
            released.wait(30)
            raise AssertionError("the watchdog has given up on this step")

    ticks = iter(range(0, 100_000, 50))

    def fast_watchdog() -> Watchdog:
        return Watchdog(monotonic=lambda: float(next(ticks)))

    work = replace(harness.work(), examiner=HangingExaminer(), new_watchdog=fast_watchdog)
    for _ in range(3):
        harness.run(work)
    released.set()
    stuck = video(harness)
    assert (stuck["state"], stuck["tries"]) == ("chosen", 3)
    assert stuck["last_error"] == "validation: no progress within 100 s"
    harness.run()
    assert video(harness)["state"] == "failed"
    assert video(harness)["detail"] == "validation: no progress within 100 s"
    assert SearchStore(harness.database).open_searches() == 1
    assert SearchStore(harness.database).make_due(GOAL.key, STABLE)
    harness.run()
    assert harness.videos() == {"x:good": "taken"}, "an operator's retry succeeds after the repair"
