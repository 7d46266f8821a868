"""D1: downloads of videos, each in a limited process; each failure has a cause."""

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from footy_assets.errors import DownloadCause, DownloadFailed, DownloadUnavailable
from footy_assets.progress import end_if_abandoned, heartbeat
from footy_assets.retries import RETRIES, RetryPolicy
from footy_assets.search.rules.renditions import MAX_SIZE, WANTED_HEIGHT
from resources.downloads.process import DownloadProcess

MEGABYTE = 1_000_000
# Besides the film: pages, playlists, and what a CDN sends twice.
OTHER_BYTES = 30 * MEGABYTE
# The cookies of a login that the video at a URL may need.
CookiesFor = Callable[[str], Sequence[Mapping[str, Any]]]


def no_cookies(url: str) -> Sequence[Mapping[str, Any]]:
    return ()


@dataclass(frozen=True, slots=True)
class Download:
    path: Path
    md5: str
    size: int


class Downloader:
    """Downloads videos into a folder of the caller. Use as a context manager, or `close` it."""

    def __init__(
        self,
        *,
        max_bytes: int = MAX_SIZE,
        height: int = WANTED_HEIGHT,
        hosts: tuple[str, ...] = (),
        clip_hosts: tuple[str, ...] = (),
        private_addresses: bool = False,
        cookies_for: CookiesFor = no_cookies,
        retry: RetryPolicy = RETRIES["download"],
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """D5: `height` is that of the file that is wanted. `hosts` are allowed besides those of the
        site or the clip's host; `clip_hosts` are as in `ClipHosts`; `private_addresses` are allowed
        too, if set."""
        self._max_bytes, self._height = max_bytes, height
        self._cookies_for = cookies_for
        self._hosts, self._clip_hosts = hosts, clip_hosts
        self._private_addresses = private_addresses
        self._retry = retry
        self._sleep = sleep
        self._process = DownloadProcess()

    def __enter__(self) -> "Downloader":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all downloads, and their process."""
        self._process.close()

    def fetch(self, url: str, into: Path, name: str) -> Download:
        """D1: three tries, but one if the video is geo-blocked, removed or private."""
        return self._retry.retrying(self._sleep)(self._fetch_once, url, into, name)

    def _fetch_once(self, url: str, into: Path, name: str) -> Download:
        heartbeat()
        for stale in into.glob(f"{name}.*"):
            stale.unlink()
        answer = self._process.run(self._job(url, into, name), heartbeat, end_if_abandoned)
        if "failed" in answer:
            kind = DownloadUnavailable if answer["retryable"] else DownloadFailed
            raise kind(str(answer["failed"]), DownloadCause(answer["cause"]))
        path = into / Path(str(answer["path"])).name
        return Download(path, md5_of(path), path.stat().st_size)

    def _job(self, url: str, into: Path, name: str) -> dict[str, Any]:
        return {
            "url": url,
            "into": str(into.absolute()),
            "name": name,
            "max_bytes": self._max_bytes,
            "height": self._height,
            "cookies": self._cookies_for(url),
            "max_received": self._max_bytes + OTHER_BYTES,
            "seconds": self._retry.timeout or 90.0,
            "hosts": self._hosts,
            "clip_hosts": self._clip_hosts,
            "private_addresses": self._private_addresses,
        }


def md5_of(path: Path) -> str:
    """D3: the content's hash, kept as MD5 for compatibility; it protects nothing."""
    digest = hashlib.md5(usedforsecurity=False)
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
