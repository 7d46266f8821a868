"""D1, D5: errors of yt-dlp as failures with a cause."""

import errno
import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from yt_dlp.networking.exceptions import HTTPError
from yt_dlp.utils import DownloadCancelled, YoutubeDLError

from footy_assets.errors import DownloadCause, DownloadFailed, DownloadUnavailable
from resources.downloads.hosts import PAGE_HOSTS, is_allowed

MEGABYTE = 1_000_000
FORBIDDEN = 403

# Messages of yt-dlp that reveal the cause; the first that matches counts. What X says of a post
# is in them: "This Post is from a suspended account", "NSFW tweet requires authentication".
CAUSES = {
    DownloadCause.GEO_BLOCKED: (
        r"HTTP Error 451|geo.?(restrict|block)|not available in your (country|region)"
    ),
    DownloadCause.SUSPENDED: r"\bsuspended\b",
    DownloadCause.AGE_RESTRICTED: r"\bnsfw|age.?restrict|adult content|under 18",
    DownloadCause.DELETED: (
        r"(post|tweet|status) (was|has been) deleted|account that no longer exists"
        r"|no status found|tweet is unavailable"
    ),
    DownloadCause.REMOVED: (
        r"HTTP Error (404|410)|been (removed|deleted)|does not exist|no longer available"
    ),
    DownloadCause.PRIVATE: r"HTTP Error (401|403)|\bprivate\b|log ?in|protected",
    DownloadCause.NO_VIDEO: r"Unsupported URL|No video formats|no video could be found",
}


def too_large(max_bytes: int) -> DownloadFailed:
    return DownloadFailed(f"larger than {max_bytes // MEGABYTE} MB", DownloadCause.TOO_LARGE)


def classify(error: BaseException, max_bytes: int = 0, *, is_page: bool = False) -> DownloadFailed:
    """D1: an error of yt-dlp as a `DownloadFailed` with its cause. D5: a host of videos that
    forbids one does so by country; a page, or a site's API, has other reasons."""
    message = " ".join(re.sub(r"\x1b\[[0-9;]*m", "", str(error)).split())
    message = message.removeprefix("ERROR: ")[:300]
    for link in _chain(error):
        if isinstance(link, DownloadFailed):
            return link
        if isinstance(link, OSError) and link.errno == errno.ENOSPC:
            return DownloadUnavailable("no space left for downloads", DownloadCause.DISK_FULL)
        if isinstance(link, OSError) and link.errno == errno.EFBIG:
            return too_large(max_bytes)
        if isinstance(link, DownloadCancelled):
            return DownloadUnavailable("cancelled", DownloadCause.TIMED_OUT)
        if isinstance(link, HTTPError) and link.status == FORBIDDEN and not is_page:
            host = urlsplit(link.response.url).hostname or ""
            if not is_allowed(host, PAGE_HOSTS):
                return DownloadFailed(message, DownloadCause.GEO_BLOCKED)
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
