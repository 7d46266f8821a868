import asyncio
import errno
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from footy_assets.errors import DownloadFailed, DownloadUnavailable
from footy_assets.media import probe
from footy_assets.retries import RetryPolicy
from footy_assets.sim.loopback import Loopback
from footy_assets_tests.media.films import Film, Take, render
from resources.downloads.causes import classify
from resources.downloads.client import Downloader, md5_of

pytestmark = pytest.mark.slow

LOOPBACK: dict[str, Any] = {"hosts": ("127.0.0.1",), "private_addresses": True}


@dataclass
class VideoHost:
    """Serves one video; the next answers may be HTTP errors, or trickle."""

    video: bytes
    errors: list[int] = field(default_factory=list)
    pause: float = 0.0
    requests: int = 0

    def app(self) -> Starlette:
        return Starlette(routes=[Route("/{name:path}", self._serve, methods=["GET", "HEAD"])])

    async def _serve(self, request: Request) -> Response:
        self.requests += 1
        if self.errors:
            return PlainTextResponse("no", self.errors.pop(0))
        if self.pause:
            return StreamingResponse(self._trickle(), media_type="video/mp4")
        return Response(self.video, media_type="video/mp4")

    async def _trickle(self) -> AsyncIterator[bytes]:
        for start in range(0, len(self.video), 2_000):
            yield self.video[start : start + 2_000]
            await asyncio.sleep(self.pause)


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return render(tmp_path_factory.mktemp("film") / "film.mp4", Film(1), Take(seconds=3.5))


@pytest.fixture
def host(film: Path) -> VideoHost:
    return VideoHost(film.read_bytes())


@pytest.fixture
def url(host: VideoHost) -> Iterator[str]:
    running = Loopback(host.app(), ("127.0.0.1", 0))
    name, port = running.address
    yield f"http://{name}:{port}/clip.mp4"
    running.stop()


@pytest.fixture(scope="module")
def one_process() -> Iterator[tuple[Downloader, list[float]]]:
    waited: list[float] = []
    with Downloader(**LOOPBACK, sleep=waited.append) as downloader:
        yield downloader, waited


@pytest.fixture
def waited(one_process: tuple[Downloader, list[float]]) -> list[float]:
    one_process[1].clear()
    return one_process[1]


@pytest.fixture
def downloader(one_process: tuple[Downloader, list[float]], waited: list[float]) -> Downloader:
    return one_process[0]


def test_d1_a_video_is_fetched_whole(
    downloader: Downloader, url: str, film: Path, tmp_path: Path
) -> None:
    got = downloader.fetch(url, tmp_path, "one")
    assert got.path.read_bytes() == film.read_bytes()
    assert got.path.name == "one.mp4"
    assert (got.md5, got.size) == (md5_of(film), film.stat().st_size)
    assert probe(got.path).duration == pytest.approx(3.5, abs=0.1)


@pytest.mark.parametrize(
    ("status", "cause"),
    [
        (451, "geo_blocked"),
        (404, "removed"),
        (410, "removed"),
        (403, "geo_blocked"),
        (401, "private"),
    ],
)
def test_d1_a_permanent_failure_has_its_cause_and_is_not_retried(
    downloader: Downloader,
    host: VideoHost,
    url: str,
    waited: list[float],
    tmp_path: Path,
    status: int,
    cause: str,
) -> None:
    host.errors = [status] * 20
    with pytest.raises(DownloadFailed) as failure:
        downloader.fetch(url, tmp_path, "one")
    assert failure.value.cause == cause
    assert not failure.value.retryable
    assert not waited


def test_d1_a_server_error_is_tried_three_times_from_two_seconds_doubling(
    downloader: Downloader, host: VideoHost, url: str, waited: list[float], tmp_path: Path
) -> None:
    host.errors = [500] * 20
    with pytest.raises(DownloadUnavailable) as failure:
        downloader.fetch(url, tmp_path, "one")
    assert failure.value.cause == "unavailable"
    assert waited == [2.0, 4.0]


def test_d1_a_server_that_recovers_is_enough(
    downloader: Downloader, host: VideoHost, url: str, tmp_path: Path
) -> None:
    host.errors = [503]
    assert downloader.fetch(url, tmp_path, "one").size > 0


def test_d1_no_server_is_unavailable(downloader: Downloader, tmp_path: Path) -> None:
    with pytest.raises(DownloadUnavailable):
        downloader.fetch("http://127.0.0.1:9/clip.mp4", tmp_path, "one")


def test_d1_a_video_over_the_size_cap_is_refused(url: str, tmp_path: Path) -> None:
    small = Downloader(**LOOPBACK, max_bytes=1_000)
    with small, pytest.raises(DownloadFailed) as failure:
        small.fetch(url, tmp_path, "one")
    assert failure.value.cause == "too_large"
    assert not list(tmp_path.glob("one.mp4"))


def test_d1_the_size_cap_holds_without_a_content_length(
    host: VideoHost, url: str, tmp_path: Path
) -> None:
    host.pause = 0.001
    small = Downloader(**LOOPBACK, max_bytes=4_000)
    with small, pytest.raises(DownloadFailed) as failure:
        small.fetch(url, tmp_path, "one")
    assert failure.value.cause == "too_large"


def test_d1_a_download_that_takes_too_long_is_stopped(
    host: VideoHost, url: str, tmp_path: Path
) -> None:
    host.pause = 0.3
    quick = Downloader(**LOOPBACK, retry=RetryPolicy(1, 0.0, 1.0, timeout=0.5))
    with quick, pytest.raises(DownloadUnavailable) as failure:
        quick.fetch(url, tmp_path, "one")
    assert failure.value.cause == "timed_out"


def test_a_full_disk_is_named() -> None:
    full = OSError(errno.ENOSPC, "No space left on device")
    assert classify(full).cause == "disk_full"
    assert classify(full).retryable


HLS = """#EXTM3U
#EXT-X-TARGETDURATION:4
#EXT-X-MEDIA-SEQUENCE:0
#EXT-X-KEY:METHOD=AES-128,URI="key"
#EXTINF:4,
part.ts
#EXT-X-ENDLIST
"""


def test_d1_a_playlist_that_breaks_yt_dlp_is_a_failure_of_that_video(
    downloader: Downloader, waited: list[float], tmp_path: Path
) -> None:
    """Its key has 3 bytes instead of 16, which was an IndexError."""
    answers = {"list.m3u8": HLS.encode(), "key": b"abc", "part.ts": bytes(188 * 16)}

    async def serve(request: Request) -> Response:
        name = request.path_params["name"]
        return Response(answers[name], media_type="application/vnd.apple.mpegurl")

    running = Loopback(Starlette(routes=[Route("/{name}", serve)]), ("127.0.0.1", 0))
    host, port = running.address
    try:
        with pytest.raises(DownloadFailed) as failed:
            downloader.fetch(f"http://{host}:{port}/list.m3u8", tmp_path, "one")
    finally:
        running.stop()
    assert failed.value.cause == "unreadable"
    assert "IndexError" in str(failed.value)
    assert not waited, "not retried"
