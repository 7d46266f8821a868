"""D1: one download with yt-dlp as a library; each failure has a cause. Runs in `worker`."""

import errno
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from yt_dlp.utils import DownloadCancelled, YoutubeDLError

from footy_assets.errors import DownloadCause, DownloadFailed, DownloadUnavailable
from resources.clip_hosts.find import MAY_BE_ELSEWHERE, find_files
from resources.clip_hosts.table import ClipHost
from resources.downloads.guard import GuardedYoutubeDL, NetworkRule

SOCKET_SECONDS = 15
MEGABYTE = 1_000_000
# Pages of clips are some 40 kB; only their start is read.
CLIP_PAGE_BYTES = 2_000_000
# Of yt-dlp's 1,800 extractors: those of the sites, and the one for a file or a playlist.
EXTRACTORS = ["twitter", "bluesky", "generic"]

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


def fetch_video(
    url: str,
    into: Path,
    name: str,
    max_bytes: int,
    rule: NetworkRule,
    on_progress: Callable[[], None],
    clip_host: ClipHost | None = None,
) -> Path:
    """Download a video to `into/name.*`. Raises `DownloadFailed`.

    On a `clip_host` the URL is that of a page; page and file come through the same `rule`.
    """

    def watch(progress: dict[str, Any]) -> None:
        on_progress()
        if (progress.get("downloaded_bytes") or 0) > max_bytes:
            raise too_large(max_bytes)

    try:
        with GuardedYoutubeDL(_options(into, name, max_bytes, watch), rule) as fetcher:
            if clip_host is None:
                fetcher.extract_info(url, download=True)
            else:
                _fetch_clip(fetcher, clip_host, url)
    except DownloadFailed:
        raise
    except (YoutubeDLError, OSError) as error:
        raise classify(error, max_bytes) from error
    found = [path for path in into.glob(f"{name}.*") if not path.name.endswith(".part")]
    if not found or found[0].stat().st_size > max_bytes:
        raise too_large(max_bytes)
    return found[0]


def _fetch_clip(fetcher: GuardedYoutubeDL, host: ClipHost, url: str) -> None:
    """The first of the clip's files that is there."""

    def get_page(page: str) -> str:
        try:
            with fetcher.urlopen(page) as response:
                return str(response.read(CLIP_PAGE_BYTES).decode("utf-8", "replace"))
        except (YoutubeDLError, OSError) as error:
            raise classify(error) from error

    failures: list[YoutubeDLError] = []
    for file in find_files(host, url, get_page):
        try:
            fetcher.extract_info(file, download=True)
        except YoutubeDLError as error:
            failures.append(error)
            if classify(error).cause not in MAY_BE_ELSEWHERE:
                break
        else:
            return
    # The page's own file comes first; those after it are guesses.
    raise failures[0] if classify(failures[-1]).cause in MAY_BE_ELSEWHERE else failures[-1]


def load_extractors() -> None:
    """Load what every download needs, before the first one."""
    rule = NetworkRule((), 0)
    with GuardedYoutubeDL(_options(Path(), "none", 0, lambda _: None), rule) as fetcher:
        for name in EXTRACTORS:
            fetcher.get_info_extractor(name.capitalize())
        fetcher._request_director  # noqa: B018


def too_large(max_bytes: int) -> DownloadFailed:
    return DownloadFailed(f"larger than {max_bytes // MEGABYTE} MB", DownloadCause.TOO_LARGE)


def _options(
    into: Path, name: str, max_bytes: int, watch: Callable[[dict[str, Any]], None]
) -> dict[str, Any]:
    return {
        # One file that plays as it is; no merging of streams, which would need ffmpeg.
        "format": "best[ext=mp4][protocol^=http]/best[protocol^=http]/best[ext=mp4]/best",
        "outtmpl": {"default": str(into / f"{name}.%(ext)s")},
        "max_filesize": max_bytes,
        "allowed_extractors": EXTRACTORS,
        # Its own network would not be ours.
        "ffmpeg_location": os.devnull,
        "proxy": "",
        "socket_timeout": SOCKET_SECONDS,
        "retries": 0,
        "fragment_retries": 0,
        "extractor_retries": 0,
        "skip_unavailable_fragments": False,
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


def classify(error: BaseException, max_bytes: int = 0) -> DownloadFailed:
    """D1: an error of yt-dlp as a `DownloadFailed` with its cause."""
    for link in _chain(error):
        if isinstance(link, DownloadFailed):
            return link
        if isinstance(link, OSError) and link.errno == errno.ENOSPC:
            return DownloadUnavailable("no space left for downloads", DownloadCause.DISK_FULL)
        if isinstance(link, OSError) and link.errno == errno.EFBIG:
            return too_large(max_bytes)
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
