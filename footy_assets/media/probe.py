"""Reads the headers and packet times of a video file."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import av
from av.container import InputContainer
from av.stream import Disposition
from av.video.stream import VideoStream

from footy_assets.errors import NotFound
from footy_assets.media.errors import UnreadableReason, VideoUnreadable

# Demuxers that read a single file: a playlist can point anywhere.
FORMATS = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,flv,gif,h264,ivf,mp3,wav,ogg,aac"
OPEN_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class DecodeLimits:
    """What the engine reads at most. D2 has narrower limits for what is worth keeping."""

    max_seconds: float = 300.0
    max_edge: int = 4096
    max_pixels: int = 4096 * 2304
    max_frames: int = 300 * 120
    max_wall_seconds: float = 120.0


LIMITS = DecodeLimits()


@dataclass(frozen=True, slots=True)
class Probe:
    """One video file. Width and height are as displayed: upright, with square pixels."""

    duration: float
    width: int
    height: int
    fps: float
    rotation: int
    sample_aspect: float
    codec: str
    bitrate: int
    size: int
    has_audio: bool
    frames: int

    @property
    def aspect(self) -> float:
        return self.width / self.height

    @property
    def short_edge(self) -> int:
        return min(self.width, self.height)


def probe(path: Path | str, limits: DecodeLimits = LIMITS) -> Probe:
    """Read headers and packet times, and decode one picture for its rotation.

    The header of a truncated download still states the full length, so the duration is that of
    the packets in the file. A header beyond the limits is rejected before reading packets.
    """
    with open_video(path, limits) as (container, stream):
        headers = read_headers(Path(path), container, stream, limits)
        return rotated(headers, _first_rotation(Path(path), container, stream))


@contextmanager
def open_video(
    path: Path | str, limits: DecodeLimits = LIMITS
) -> Iterator[tuple[InputContainer, VideoStream]]:
    """Open the container and its first video stream. Raises if the file exceeds the limits."""
    path = Path(path)
    if not path.is_file():
        raise NotFound(f"{path} is not a file")
    if path.stat().st_size == 0:
        raise VideoUnreadable(path, UnreadableReason.EMPTY, "the file is empty")
    options = {"protocol_whitelist": "file", "format_whitelist": FORMATS}
    try:
        container = av.open(
            f"file:{path.resolve()}", options=options, timeout=(OPEN_SECONDS, OPEN_SECONDS)
        )
    except (av.FFmpegError, ValueError, OSError) as error:
        raise VideoUnreadable(
            path, UnreadableReason.NOT_A_VIDEO, f"not a readable video ({_error_text(error)})"
        ) from error
    with container:
        stream = _video_stream(path, container)
        _check_header(path, container, stream, limits)
        # A damaged file may change its size half way; the decoder itself must reject that.
        stream.codec_context.options = {"max_pixels": str(limits.max_pixels)}
        stream.codec_context.thread_count = 1
        yield container, stream


def read_headers(
    path: Path, container: InputContainer, stream: VideoStream, limits: DecodeLimits = LIMITS
) -> Probe:
    """The probe of an open file, not yet rotated: only a decoded picture has the rotation. Rewinds
    the file."""
    times, last_duration = _packet_times(path, container, stream, limits)
    if len(times) < 2 or times[-1] <= times[0]:
        raise VideoUnreadable(
            path, UnreadableReason.NO_FRAME_RATE, f"no frame rate ({len(times)} timed frames)"
        )
    fps = (len(times) - 1) / (times[-1] - times[0])
    duration = times[-1] - times[0] + (last_duration or 1 / fps)
    container.seek(0)
    size = path.stat().st_size
    aspect = float(stream.sample_aspect_ratio or 1) or 1.0
    width, height = display_size(stream.width, stream.height, aspect)
    return Probe(
        duration=round(duration, 3),
        width=width,
        height=height,
        fps=round(fps, 3),
        rotation=0,
        sample_aspect=aspect,
        codec=stream.codec_context.name,
        bitrate=int(size * 8 / duration),
        size=size,
        has_audio=bool(container.streams.audio),
        frames=len(times),
    )


def rotated(headers: Probe, rotation: int) -> Probe:
    """The probe for a picture displayed rotated by these degrees, anticlockwise."""
    rotation = round(rotation / 90) * 90 % 360
    width, height = headers.width, headers.height
    if rotation in (90, 270):
        width, height = height, width
    return replace(headers, rotation=rotation, width=width, height=height)


def display_size(width: int, height: int, sample_aspect: float) -> tuple[int, int]:
    """The size in square pixels."""
    return max(1, round(width * sample_aspect)), height


def _video_stream(path: Path, container: InputContainer) -> VideoStream:
    for stream in container.streams.video:
        # The cover of an audio file is a video stream of one picture.
        if not stream.disposition & Disposition.attached_pic:
            return stream
    raise VideoUnreadable(path, UnreadableReason.NO_PICTURE, "no video stream")


def _check_header(
    path: Path, container: InputContainer, stream: VideoStream, limits: DecodeLimits
) -> None:
    if stream.codec_context is None or stream.width <= 0 or stream.height <= 0:
        raise VideoUnreadable(
            path, UnreadableReason.BROKEN, "the header names no picture size or codec"
        )
    width, height = stream.width, stream.height
    if max(width, height) > limits.max_edge or width * height > limits.max_pixels:
        raise VideoUnreadable(path, UnreadableReason.TOO_LARGE, f"{width}×{height} is too large")
    stated = (container.duration or 0) / av.time_base
    if stated > limits.max_seconds:
        raise VideoUnreadable(path, UnreadableReason.TOO_LONG, f"{stated:.0f} s is too long")


def _packet_times(
    path: Path, container: InputContainer, stream: VideoStream, limits: DecodeLimits
) -> tuple[list[float], float]:
    """Presentation times in order, and the duration of the last packet (0 if unknown)."""
    times: list[float] = []
    last, last_duration = float("-inf"), 0.0
    deadline = time.monotonic() + limits.max_wall_seconds
    try:
        for packet in container.demux(stream):
            if packet.size == 0 or packet.is_discard or packet.pts is None:
                continue
            at = float(packet.pts * packet.time_base)
            times.append(at)
            if at > last:
                last, last_duration = at, float((packet.duration or 0) * packet.time_base)
            if len(times) > limits.max_frames or time.monotonic() > deadline:
                raise VideoUnreadable(path, UnreadableReason.TOO_LONG, f"over {len(times)} frames")
    except (av.FFmpegError, OSError):
        pass  # keep the packets before the damage
    times.sort()
    if times and times[-1] - times[0] > limits.max_seconds:
        detail = f"{times[-1] - times[0]:.0f} s is too long"
        raise VideoUnreadable(path, UnreadableReason.TOO_LONG, detail)
    return times, min(last_duration, 1.0)


def _first_rotation(path: Path, container: InputContainer, stream: VideoStream) -> int:
    try:
        for packet in container.demux(stream):
            for frame in packet.decode():
                return int(frame.rotation)
    except (av.FFmpegError, OSError, ValueError) as error:
        raise VideoUnreadable(
            path, UnreadableReason.BROKEN, f"no picture can be decoded ({_error_text(error)})"
        ) from error
    raise VideoUnreadable(path, UnreadableReason.BROKEN, "no picture can be decoded")


def _error_text(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error or type(error).__name__)
