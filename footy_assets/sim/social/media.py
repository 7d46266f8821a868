"""Films over HTTP: whole, in pieces, as HLS; or a refusal."""

import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

import av
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

RANGE = re.compile(r"^bytes=(\d*)-(\d*)$")
STREAM_TYPES = frozenset({"video", "audio"})
Refusal = Literal["geo_blocked", "removed", "private", "slow_down"]
REFUSALS: dict[Refusal, tuple[int, str]] = {
    "geo_blocked": (451, "This media is not available in your country."),
    "removed": (404, "This media has been removed."),
    "private": (401, "These posts are protected."),
    "slow_down": (429, "Too many requests."),
}


@dataclass(frozen=True)
class Film:
    """A film's bytes, or why they are not to be had."""

    content: bytes | Path | None = None
    refusal: Refusal | None = None

    def read(self) -> bytes | None:
        return self.content.read_bytes() if isinstance(self.content, Path) else self.content


# A film by its id; None knows no such film.
Films = Callable[[str], Film | None]


def no_films(film_id: str) -> Film | None:
    return None


def send_mp4(film: Film | None, request: Request) -> Response:
    content = film.read() if film is not None else None
    if film is None or film.refusal is not None or content is None:
        return refuse(film)
    headers = {"accept-ranges": "bytes", "cache-control": "max-age=604800"}
    byte_range = RANGE.match(request.headers.get("range", ""))
    if byte_range is None or byte_range.group(0) == "bytes=-":
        return Response(content, media_type="video/mp4", headers=headers)
    first, last = byte_range.groups()
    size = len(content)
    start = int(first) if first else max(0, size - int(last))
    end = min(size - 1, int(last)) if first and last else size - 1
    if start > end:
        return Response(status_code=416, headers={"content-range": f"bytes */{size}"})
    headers["content-range"] = f"bytes {start}-{end}/{size}"
    return Response(content[start : end + 1], 206, headers, media_type="video/mp4")


def refuse(film: Film | None) -> Response:
    status, text = REFUSALS[film.refusal if film and film.refusal else "removed"]
    return HTMLResponse(f"<!doctype html><title>{status}</title><p>{text}", status)


def send_master(film_id: str, size: tuple[int, int]) -> Response:
    """The playlist of playlists: one quality."""
    width, height = size
    lines = [
        "#EXTM3U",
        "#EXT-X-VERSION:3",
        f"#EXT-X-STREAM-INF:BANDWIDTH=2000000,RESOLUTION={width}x{height}",
        f"/hls/{film_id}/video.m3u8",
    ]
    return _playlist(lines)


def send_playlist(film_id: str, film: Film | None) -> Response:
    content = film.read() if film is not None else None
    if film is None or film.refusal is not None or content is None:
        return refuse(film)
    seconds = _as_mpegts(content)[1]
    lines = [
        "#EXTM3U",
        "#EXT-X-VERSION:3",
        f"#EXT-X-TARGETDURATION:{int(seconds) + 1}",
        "#EXT-X-PLAYLIST-TYPE:VOD",
        f"#EXTINF:{seconds:.3f},",
        f"/hls/{film_id}/0.ts",
        "#EXT-X-ENDLIST",
    ]
    return _playlist(lines)


def send_segment(film: Film | None) -> Response:
    content = film.read() if film is not None else None
    if film is None or film.refusal is not None or content is None:
        return refuse(film)
    return Response(_as_mpegts(content)[0], media_type="video/mp2t")


def _playlist(lines: list[str]) -> Response:
    return PlainTextResponse("\n".join(lines) + "\n", media_type="application/vnd.apple.mpegurl")


@lru_cache(maxsize=32)
def _as_mpegts(content: bytes) -> tuple[bytes, float]:
    """The same packets in another container, and how long they last. What is no film stays."""
    out = io.BytesIO()
    try:
        with (
            av.open(io.BytesIO(content), "r") as film,
            av.open(out, "w", format="mpegts") as copy,
        ):
            copies = {
                s: copy.add_stream_from_template(s) for s in film.streams if s.type in STREAM_TYPES
            }
            for packet in film.demux(list(copies)):
                if packet.dts is not None:
                    packet.stream = copies[packet.stream]
                    copy.mux(packet)
            seconds = float(film.duration or 0) / av.time_base
    except (av.FFmpegError, ValueError):
        return content, 1.0
    return out.getvalue(), seconds
