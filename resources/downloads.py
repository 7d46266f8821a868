"""D1: videos fetched with yt-dlp as a library, each failure with its class."""

import errno
import hashlib
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yt_dlp
from yt_dlp.utils import DownloadCancelled, YoutubeDLError

from footy_assets.errors import DownloadFailed, DownloadUnavailable
from footy_assets.progress import beat
from footy_assets.retries import RETRIES, RetryPolicy

SOCKET_SECONDS = 15
MEGABYTE = 1_000_000

# What yt-dlp says, and the class it is stored under. The first that fits counts.
CAUSES = {
    "geo_blocked": r"HTTP Error 451|geo.?(restrict|block)|not available in your (country|region)",
    "removed": r"HTTP Error (404|410)|been (removed|deleted)|does not exist|no longer available",
    "private": r"HTTP Error (401|403)|\bprivate\b|log ?in|protected",
    "no_video": r"Unsupported URL|No video formats|no video could be found",
}


@dataclass(frozen=True, slots=True)
class Download:
    path: Path
    md5: str
    size: int


class Downloader:
    """Fetches into a folder of the caller's, under names of its own."""

    def __init__(
        self,
        *,
        max_bytes: int = 100 * MEGABYTE,
        retry: RetryPolicy = RETRIES["download"],
        sleep: Callable[[float], None] = time.sleep,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._max_bytes = max_bytes
        self._retry = retry
        self._sleep = sleep
        self._monotonic = monotonic

    def fetch(self, url: str, into: Path, name: str) -> Download:
        """D1: three tries; what is geo-blocked, removed or private is not tried again."""

        def once() -> Download:
            beat()
            return self._fetch_once(url, into, name)

        return self._retry.run(
            once,
            lambda error: isinstance(error, DownloadFailed) and error.retryable,
            self._sleep,
        )

    def _fetch_once(self, url: str, into: Path, name: str) -> Download:
        for stale in into.glob(f"{name}.*"):
            stale.unlink()
        try:
            with yt_dlp.YoutubeDL(self._options(into, name)) as fetcher:
                fetcher.extract_info(url, download=True)
        except DownloadFailed:
            raise
        except (YoutubeDLError, OSError) as error:
            raise classified(error) from error
        found = [path for path in into.glob(f"{name}.*") if not path.name.endswith(".part")]
        if not found:
            raise DownloadFailed(f"larger than {self._max_bytes // MEGABYTE} MB", "too_large")
        size = found[0].stat().st_size
        if size > self._max_bytes:
            raise DownloadFailed(f"larger than {self._max_bytes // MEGABYTE} MB", "too_large")
        return Download(found[0], md5_of(found[0]), size)

    def _options(self, into: Path, name: str) -> dict[str, Any]:
        give_up = self._monotonic() + (self._retry.timeout or 90.0)

        def watch(progress: dict[str, Any]) -> None:
            beat()
            if self._monotonic() > give_up:
                raise DownloadUnavailable(f"not done in {self._retry.timeout:g} s", "timed_out")
            if (progress.get("downloaded_bytes") or 0) > self._max_bytes:
                told = f"larger than {self._max_bytes // MEGABYTE} MB"
                raise DownloadFailed(told, "too_large")

        return {
            # One file that plays as it is; no merging of streams, which would need ffmpeg.
            "format": "best[ext=mp4][protocol^=http]/best[protocol^=http]/best[ext=mp4]/best",
            "outtmpl": {"default": str(into / f"{name}.%(ext)s")},
            "max_filesize": self._max_bytes,
            "socket_timeout": SOCKET_SECONDS,
            "retries": 0,
            "fragment_retries": 0,
            "extractor_retries": 0,
            "noplaylist": True,
            "playlist_items": "1",
            "quiet": True,
            "no_warnings": True,
            "noprogress": True,
            "cachedir": False,
            "overwrites": True,
            "hls_prefer_native": True,
            "progress_hooks": [watch],
            "logger": _Quiet(),
        }


class _Quiet:
    """yt-dlp's messages reach us as exceptions; it needs not print them too."""

    def debug(self, message: str) -> None: ...

    def warning(self, message: str) -> None: ...

    def error(self, message: str) -> None: ...


def classified(error: BaseException) -> DownloadFailed:
    """D1: a failure of yt-dlp as one of ours."""
    for link in _chain(error):
        if isinstance(link, DownloadFailed):
            return link
        if isinstance(link, OSError) and link.errno == errno.ENOSPC:
            return DownloadUnavailable("no space left for downloads", "disk_full")
        if isinstance(link, DownloadCancelled):
            return DownloadUnavailable("cancelled", "timed_out")
    told = " ".join(re.sub(r"\x1b\[[0-9;]*m", "", str(error)).split())
    told = told.removeprefix("ERROR: ")[:300]
    for cause, pattern in CAUSES.items():
        if re.search(pattern, told, re.IGNORECASE):
            return DownloadFailed(told, cause)
    return DownloadUnavailable(told, "unavailable")


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error, what yt-dlp wrapped in it, and what caused it."""
    seen: set[int] = set()
    waiting = [error]
    while waiting:
        link = waiting.pop(0)
        if link is None or id(link) in seen:
            continue
        seen.add(id(link))
        yield link
        info = getattr(link, "exc_info", None)
        waiting += [
            link.__cause__,
            link.__context__,
            info[1] if isinstance(info, tuple) else None,
            getattr(link, "cause", None) if isinstance(link, YoutubeDLError) else None,
        ]


def md5_of(path: Path) -> str:
    """D3: the content's hash, kept as MD5 for compatibility; it protects nothing."""
    digest = hashlib.md5(usedforsecurity=False)
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
