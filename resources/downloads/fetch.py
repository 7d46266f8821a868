"""D1: one download with yt-dlp as a library; each failure has a cause. Runs in `worker`."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from http.cookiejar import Cookie
from pathlib import Path
from typing import Any

from yt_dlp.utils import YoutubeDLError

from footy_assets.errors import DownloadCause, DownloadFailed
from footy_assets.search.rules.renditions import (
    WANTED_HEIGHT,
    Rendition,
    RenditionLimits,
    choose_rendition,
)
from resources.clip_hosts.find import MAY_BE_ELSEWHERE, find_files
from resources.clip_hosts.table import ClipHost
from resources.downloads.causes import classify, too_large
from resources.downloads.guard import GuardedYoutubeDL, NetworkRule

SOCKET_SECONDS = 15
# Pages of clips are some 40 kB; only their start is read.
CLIP_PAGE_BYTES = 2_000_000
# Of yt-dlp's 1,800 extractors: those of the sites, and the one for a file or a playlist.
EXTRACTORS = ["twitter", "bluesky", "generic"]
# Causes that a login may change.
NEED_LOGIN = (DownloadCause.PRIVATE, DownloadCause.AGE_RESTRICTED)


def fetch_video(
    url: str,
    into: Path,
    name: str,
    max_bytes: int,
    rule: NetworkRule,
    on_progress: Callable[[], None],
    clip_host: ClipHost | None = None,
    height: int = WANTED_HEIGHT,
    cookies: Sequence[Mapping[str, Any]] = (),
) -> Path:
    """Download a video to `into/name.*`. Raises `DownloadFailed`.

    On a `clip_host` the URL is that of a page; page and file come through the same `rule`. D5: the
    `cookies` of a login are used only if the video cannot be had without.
    """
    limits = RenditionLimits(height, max_bytes)
    try:
        return _fetch(url, into, name, limits, rule, on_progress, clip_host)
    except DownloadFailed as failure:
        if not cookies or failure.cause not in NEED_LOGIN:
            raise
    return _fetch(url, into, name, limits, rule, on_progress, clip_host, cookies)


def _fetch(
    url: str,
    into: Path,
    name: str,
    limits: RenditionLimits,
    rule: NetworkRule,
    on_progress: Callable[[], None],
    clip_host: ClipHost | None,
    cookies: Sequence[Mapping[str, Any]] = (),
) -> Path:
    max_bytes = limits.max_size

    def watch(progress: dict[str, Any]) -> None:
        on_progress()
        if (progress.get("downloaded_bytes") or 0) > max_bytes:
            raise too_large(max_bytes)

    try:
        with GuardedYoutubeDL(_options(into, name, limits, watch), rule) as fetcher:
            for cookie in cookies:
                fetcher.cookiejar.set_cookie(_as_cookie(cookie))
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
            raise classify(error, is_page=True) from error

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
    options = _options(Path(), "none", RenditionLimits(), lambda _: None)
    with GuardedYoutubeDL(options, rule) as fetcher:
        for name in EXTRACTORS:
            fetcher.get_info_extractor(name.capitalize())
        fetcher._request_director  # noqa: B018


def _options(
    into: Path, name: str, limits: RenditionLimits, watch: Callable[[dict[str, Any]], None]
) -> dict[str, Any]:
    return {
        "format": lambda found: choose_format(found["formats"], limits),
        "outtmpl": {"default": str(into / f"{name}.%(ext)s")},
        "max_filesize": limits.max_size,
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


def choose_format(
    formats: Iterable[dict[str, Any]], limits: RenditionLimits
) -> Iterator[dict[str, Any]]:
    """D5: one of yt-dlp's formats: a whole MP4 if there is one, else a stream.

    Streams are not merged, which would need ffmpeg; a video without sound is the last resort.
    """
    shown = [one for one in formats if one.get("vcodec") != "none"]
    pools: tuple[Callable[[dict[str, Any]], bool], ...] = (
        lambda one: _has_sound(one) and _is_file(one) and one.get("ext") == "mp4",
        lambda one: _has_sound(one) and _is_file(one),
        _has_sound,
        lambda one: True,
    )
    for belongs in pools:
        by_url = {str(one.get("url")): one for one in shown if belongs(one)}
        renditions = [_rendition(url, one) for url, one in by_url.items()]
        if chosen := choose_rendition(renditions, None, limits):
            yield by_url[chosen.url]
            return


def _has_sound(found: Mapping[str, Any]) -> bool:
    return found.get("acodec") != "none"


def _is_file(found: Mapping[str, Any]) -> bool:
    return str(found.get("protocol")).startswith("http")


def _rendition(url: str, found: Mapping[str, Any]) -> Rendition:
    size = found.get("filesize") or found.get("filesize_approx")
    return Rendition(
        url,
        found.get("width"),
        found.get("height"),
        round(found["tbr"] * 1000) if found.get("tbr") else None,
        round(size) if size else None,
    )


def _as_cookie(cookie: Mapping[str, Any]) -> Cookie:
    domain = str(cookie["domain"])
    return Cookie(
        version=0,
        name=str(cookie["name"]),
        value=str(cookie["value"]),
        port=None,
        port_specified=False,
        domain=domain,
        domain_specified=True,
        domain_initial_dot=domain.startswith("."),
        path=str(cookie["path"]),
        path_specified=True,
        secure=bool(cookie["secure"]),
        expires=None,
        discard=True,
        comment=None,
        comment_url=None,
        rest={},
    )


class _Quiet:
    """Prints nothing: yt-dlp's messages also arrive as exceptions."""

    def debug(self, message: str) -> None: ...

    def warning(self, message: str) -> None: ...

    def error(self, message: str) -> None: ...
