"""Each download runs in a limited process; giving up ends it."""

import gzip
import json
import subprocess
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import psutil
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from footy_assets.errors import DownloadCause, DownloadFailed, DownloadUnavailable, Stalled
from footy_assets.progress import Watchdog
from footy_assets.sim.loopback import Loopback
from footy_assets_tests.resources.endless import forever
from footy_assets_tests.waiting import wait_until
from resources.downloads.client import Downloader
from resources.downloads.process import DownloadProcess

pytestmark = pytest.mark.slow

GIGABYTE = 10**9
# What Python and yt-dlp take by themselves, and some pages.
PEAK_BYTES = 200_000_000
KEYED = (
    '#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-KEY:METHOD=AES-128,URI="/empty.key"\n'
    "#EXTINF:4.0,\n/film.mp4\n#EXT-X-ENDLIST\n"
)


def gzip_bomb() -> bytes:
    """A megabyte that is a page of a gigabyte: one block, repeated in one stream."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    page = deflate.compress(b"<html>") + deflate.flush(zlib.Z_FULL_FLUSH)
    block = deflate.compress(b" " * 10**7) + deflate.flush(zlib.Z_FULL_FLUSH)
    header = gzip.compress(b"", mtime=0)[:10]
    return header + page + block * (GIGABYTE // 10**7) + b"\x03\x00" + bytes(8)


async def serve(request: Request) -> Response:
    match request.url.path:
        case "/bomb":
            return Response(
                gzip_bomb(), headers={"content-encoding": "gzip"}, media_type="text/html"
            )
        case "/endless.mp4":
            return StreamingResponse(forever(b"x" * 100_000, 0), media_type="video/mp4")
        case "/endless.html":
            return StreamingResponse(forever(b"<html>" + b" " * 100_000, 0), media_type="text/html")
        case "/drip.mp4":
            return StreamingResponse(forever(b"x" * 2_000, 0.02), media_type="video/mp4")
        case "/silent.mp4":
            return StreamingResponse(forever(b"", 0.1), media_type="video/mp4")
        case "/keyed.m3u8":
            return PlainTextResponse(KEYED, media_type="application/vnd.apple.mpegurl")
        case "/empty.key":
            return Response(b"")
    return Response(b"\x00\x00\x00 ftypisom" + b"x" * 5_008, media_type="video/mp4")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    app = Starlette(routes=[Route("/{name:path}", serve, methods=["GET", "HEAD"])])
    running = Loopback(app, ("127.0.0.1", 0))
    yield f"http://127.0.0.1:{running.address[1]}"
    running.stop()


@pytest.fixture(scope="module")
def process() -> Iterator[DownloadProcess]:
    process = DownloadProcess()
    yield process
    process.close()


def job(url: str, folder: Path, seconds: float = 60.0, **more: Any) -> dict[str, Any]:
    return {
        "url": url,
        "into": str(folder),
        "name": "one",
        "max_bytes": 2_000_000,
        "max_received": 20_000_000,
        "seconds": seconds,
        "hosts": ["127.0.0.1"],
        "clip_hosts": [],
        "height": 1080,
        "cookies": [],
        "private_addresses": True,
        **more,
    }


def nothing() -> None: ...


def copies(process: DownloadProcess) -> list[psutil.Process]:
    """The processes that download now."""
    server = process._process
    return psutil.Process(server.pid).children() if server is not None else []


@pytest.mark.parametrize("page", ["/bomb", "/endless.mp4", "/endless.html"])
def test_an_answer_without_end_is_cut_off_and_takes_little_memory(
    process: DownloadProcess, url: str, tmp_path: Path, page: str
) -> None:
    answer = process.run(job(url + page, tmp_path), nothing)
    assert answer["cause"] == DownloadCause.TOO_LARGE
    assert answer["peak_bytes"] < PEAK_BYTES
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) < 4_000_000
    wait_until(lambda: not copies(process))


@pytest.mark.parametrize("film", ["/drip.mp4", "/silent.mp4"])
def test_a_slow_answer_ends_at_the_time_limit_with_its_process(
    process: DownloadProcess, url: str, tmp_path: Path, film: str
) -> None:
    with pytest.raises(DownloadUnavailable) as failure:
        process.run(job(url + film, tmp_path, seconds=0.5, max_bytes=10**9), nothing)
    assert failure.value.cause is DownloadCause.TIMED_OUT
    wait_until(lambda: not copies(process))


def test_a_download_that_nobody_waits_for_ends(
    process: DownloadProcess, url: str, tmp_path: Path
) -> None:
    seen: list[psutil.Process] = []

    def give_up() -> None:
        seen.extend(copies(process))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        process.run(job(f"{url}/drip.mp4", tmp_path), give_up)
    wait_until(lambda: not copies(process))
    assert seen
    assert not any(one.is_running() for one in seen)


def test_a_silent_download_that_is_given_up_ends(url: str, tmp_path: Path) -> None:
    loopback: dict[str, Any] = {"hosts": ("127.0.0.1",), "private_addresses": True}
    with Downloader(**loopback) as downloader:
        with pytest.raises(Stalled):
            Watchdog(silence=0.5).run(
                "download", lambda: downloader.fetch(f"{url}/silent.mp4", tmp_path, "one")
            )
        wait_until(lambda: not copies(downloader._process))


def test_the_process_of_a_download_is_limited(
    process: DownloadProcess, url: str, tmp_path: Path
) -> None:
    limits: list[tuple[int, int, int, int]] = []

    def look() -> None:
        (copy,) = copies(process)
        names = psutil.RLIMIT_AS, psutil.RLIMIT_FSIZE, psutil.RLIMIT_CPU, psutil.RLIMIT_NOFILE
        limits.append(tuple(copy.rlimit(name)[1] for name in names))  # type: ignore[arg-type]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        process.run(job(f"{url}/drip.mp4", tmp_path), look)
    memory, file_size, cpu, files = limits[0]
    assert 0 < memory < GIGABYTE
    assert (file_size, cpu, files) == (2_000_000 + (1 << 20), 60, 64)


def test_what_breaks_yt_dlp_is_a_refusal_of_that_video(
    process: DownloadProcess, url: str, tmp_path: Path
) -> None:
    answer = process.run(job(f"{url}/keyed.m3u8", tmp_path), nothing)
    assert (answer["cause"], answer["retryable"]) == (DownloadCause.UNREADABLE, False)


def test_a_killed_process_is_replaced(process: DownloadProcess, url: str, tmp_path: Path) -> None:
    process.run(job(f"{url}/film.mp4", tmp_path), nothing)
    first = process._process
    assert first is not None
    first.kill()
    first.wait()
    assert "path" in process.run(job(f"{url}/film.mp4", tmp_path), nothing)


def test_loopback_is_refused_unless_it_is_allowed(url: str, tmp_path: Path) -> None:
    with (
        Downloader(hosts=("127.0.0.1",)) as downloader,
        pytest.raises(DownloadFailed) as failure,
    ):
        downloader.fetch(f"{url}/film.mp4", tmp_path, "one")
    assert failure.value.cause is DownloadCause.FORBIDDEN
    assert not failure.value.retryable


CLIENT = """
import json, sys
from resources.downloads.process import DownloadProcess
process = DownloadProcess()
process.run(json.loads(sys.argv[1]), lambda: print(process._process.pid, flush=True))
"""


def test_downloads_end_with_the_process_that_waits_for_them(url: str, tmp_path: Path) -> None:
    arguments = [sys.executable, "-c", CLIENT, json.dumps(job(f"{url}/silent.mp4", tmp_path))]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE) as client:
        assert client.stdout is not None
        server = psutil.Process(int(client.stdout.readline()))
        wait_until(lambda: bool(server.children()))
        running = [server, *server.children()]
        client.kill()
    wait_until(lambda: not any(one.is_running() for one in running))


def test_closing_ends_running_downloads(url: str, tmp_path: Path) -> None:
    process, failures = DownloadProcess(), []

    def download() -> None:
        try:
            process.run(job(f"{url}/silent.mp4", tmp_path), nothing)
        except DownloadUnavailable as failure:
            failures.append(failure)

    thread = Thread(target=download)
    thread.start()
    wait_until(lambda: bool(copies(process)))
    running = copies(process)
    process.close()
    thread.join()
    assert len(failures) == 1
    wait_until(lambda: not any(one.is_running() for one in running))
