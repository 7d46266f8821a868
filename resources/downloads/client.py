"""D1: downloads with yt-dlp as a library; each failure has a cause."""

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

from footy_assets.errors import DownloadCause, DownloadFailed, DownloadUnavailable
from footy_assets.progress import heartbeat
from footy_assets.retries import RETRIES, RetryPolicy

SOCKET_SECONDS = 15
MEGABYTE = 1_000_000

# Messages of yt-dlp that reveal the cause; the first that matches counts.
CAUSES = {
    DownloadCause.GEO_BLOCKED: (
        r"HTTP Error 451|geo.?(restrict|block)|not available in your (country|region)"
    ),
    DownloadCause.REMOVED: (
        r"HTTP Error (404|410)|been (removed|deleted)|does not exist|no longer available"
    ),
    DownloadCause.PRIVATE: r"HTTP Error (401|403)|\bprivate\b|log ?in|protected",
    DownloadCause.NO_VIDEO: r"Unsupported URL|No video formats|no video could be found",
}


@dataclass(frozen=True, slots=True)
class Download:
    path: Path
    md5: str
    size: int


class Downloader:
    """Downloads videos into a folder of the caller."""

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
        """D1: three tries, but one if the video is geo-blocked, removed or private."""
        return self._retry.retrying(self._sleep)(self._fetch_once, url, into, name)

    def _fetch_once(self, url: str, into: Path, name: str) -> Download:
        heartbeat()
        for stale in into.glob(f"{name}.*"):
            stale.unlink()
        try:
            with yt_dlp.YoutubeDL(self._options(into, name)) as fetcher:
                fetcher.extract_info(url, download=True)
        except DownloadFailed:
            raise
        except (YoutubeDLError, OSError) as error:
            raise classify(error) from error
        except Exception as error:
            # yt-dlp parses what a site says, and what it raises then is not all its own.
            detail = f"yt-dlp failed with {type(error).__name__}: {error}"[:300]
            raise DownloadFailed(detail, DownloadCause.UNREADABLE) from error
        found = [path for path in into.glob(f"{name}.*") if not path.name.endswith(".part")]
        if not found:
            raise self._too_large()
        size = found[0].stat().st_size
        if size > self._max_bytes:
            raise self._too_large()
        return Download(found[0], md5_of(found[0]), size)

    def _too_large(self) -> DownloadFailed:
        limit = self._max_bytes // MEGABYTE
        return DownloadFailed(f"larger than {limit} MB", DownloadCause.TOO_LARGE)

    def _options(self, into: Path, name: str) -> dict[str, Any]:
        give_up = self._monotonic() + (self._retry.timeout or 90.0)

        def watch(progress: dict[str, Any]) -> None:
            heartbeat()
            if self._monotonic() > give_up:
                raise DownloadUnavailable(
                    f"not done in {self._retry.timeout:g} s", DownloadCause.TIMED_OUT
                )
            if (progress.get("downloaded_bytes") or 0) > self._max_bytes:
                raise self._too_large()

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
    """Prints nothing: yt-dlp's messages also arrive as exceptions."""

    def debug(self, message: str) -> None: ...

    def warning(self, message: str) -> None: ...

    def error(self, message: str) -> None: ...


def classify(error: BaseException) -> DownloadFailed:
    """D1: an error of yt-dlp as a `DownloadFailed` with its cause."""
    for link in _chain(error):
        if isinstance(link, DownloadFailed):
            return link
        if isinstance(link, OSError) and link.errno == errno.ENOSPC:
            return DownloadUnavailable("no space left for downloads", DownloadCause.DISK_FULL)
        if isinstance(link, DownloadCancelled):
            return DownloadUnavailable("cancelled", DownloadCause.TIMED_OUT)
    message = " ".join(re.sub(r"\x1b\[[0-9;]*m", "", str(error)).split())
    message = message.removeprefix("ERROR: ")[:300]
    for cause, pattern in CAUSES.items():
        if re.search(pattern, message, re.IGNORECASE):
            return DownloadFailed(message, cause)
    return DownloadUnavailable(message, DownloadCause.UNAVAILABLE)


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
