"""What a file says about itself, checked against its packets; nothing is decoded."""

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
from footy_assets.media.failures import Unreadable, VideoUnreadable

# Demuxers that read one file and nothing else: a playlist could point anywhere.
FORMATS = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,flv,gif,h264,ivf,mp3,wav,ogg,aac"
OPEN_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Limits:
    """What the engine agrees to read. D2's narrower limits are about what is worth keeping."""

    max_seconds: float = 300.0
    max_edge: int = 4096
    max_pixels: int = 4096 * 2304
    max_frames: int = 300 * 120
    max_wall_seconds: float = 120.0


LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Probe:
    """One video file. Width and height are as shown: turned upright, with square pixels."""

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


def probe(path: Path | str, limits: Limits = LIMITS) -> Probe:
    """Read headers and packet times, and decode one picture for its rotation.

    A header may lie: a truncated download still claims its full length. So the duration is that
    of the packets that are there, and a claim beyond the limits is refused before reading them.
    """
    with open_video(path, limits) as (container, stream):
        stored = read_headers(Path(path), container, stream, limits)
        return turned(stored, _first_rotation(Path(path), container, stream))


@contextmanager
def open_video(
    path: Path | str, limits: Limits = LIMITS
) -> Iterator[tuple[InputContainer, VideoStream]]:
    """The container and its first real video stream, refused if beyond the limits."""
    path = Path(path)
    if not path.is_file():
        raise NotFound(f"{path} is not a file")
    if path.stat().st_size == 0:
        raise VideoUnreadable(path, Unreadable.EMPTY, "the file is empty")
    options = {"protocol_whitelist": "file", "format_whitelist": FORMATS}
    try:
        container = av.open(
            f"file:{path.resolve()}", options=options, timeout=(OPEN_SECONDS, OPEN_SECONDS)
        )
    except (av.FFmpegError, ValueError, OSError) as error:
        raise VideoUnreadable(
            path, Unreadable.NOT_A_VIDEO, f"not a readable video ({_told(error)})"
        ) from error
    with container:
        stream = _picture_stream(path, container)
        _check_header(path, container, stream, limits)
        # A damaged header may grow pictures half way; the decoder itself must refuse those.
        stream.codec_context.options = {"max_pixels": str(limits.max_pixels)}
        stream.codec_context.thread_count = 1
        yield container, stream


def read_headers(
    path: Path, container: InputContainer, stream: VideoStream, limits: Limits = LIMITS
) -> Probe:
    """The probe of an open file, not yet turned upright: only a decoded picture tells the rotation.
    Leaves the file rewound."""
    times, last_duration = _packet_times(path, container, stream, limits)
    if len(times) < 2 or times[-1] <= times[0]:
        raise VideoUnreadable(
            path, Unreadable.NO_FRAME_RATE, f"no frame rate ({len(times)} timed frames)"
        )
    fps = (len(times) - 1) / (times[-1] - times[0])
    duration = times[-1] - times[0] + (last_duration or 1 / fps)
    container.seek(0)
    size = path.stat().st_size
    aspect = float(stream.sample_aspect_ratio or 1) or 1.0
    width, height = shown_size(stream.width, stream.height, aspect)
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


def turned(stored: Probe, rotation: int) -> Probe:
    """As shown by a player that turns the picture by these degrees, anticlockwise."""
    rotation = round(rotation / 90) * 90 % 360
    width, height = stored.width, stored.height
    if rotation in (90, 270):
        width, height = height, width
    return replace(stored, rotation=rotation, width=width, height=height)


def shown_size(width: int, height: int, sample_aspect: float) -> tuple[int, int]:
    """Stored pixels as a player shows them: wide pixels stretched."""
    return max(1, round(width * sample_aspect)), height


def _picture_stream(path: Path, container: InputContainer) -> VideoStream:
    for stream in container.streams.video:
        # The cover of an audio file is a "video" of one picture.
        if not stream.disposition & Disposition.attached_pic:
            return stream
    raise VideoUnreadable(path, Unreadable.NO_PICTURE, "no video stream")


def _check_header(
    path: Path, container: InputContainer, stream: VideoStream, limits: Limits
) -> None:
    if stream.codec_context is None or stream.width <= 0 or stream.height <= 0:
        raise VideoUnreadable(path, Unreadable.BROKEN, "the header names no picture size or codec")
    width, height = stream.width, stream.height
    if max(width, height) > limits.max_edge or width * height > limits.max_pixels:
        raise VideoUnreadable(path, Unreadable.TOO_LARGE, f"{width}×{height} is too large")
    claimed = (container.duration or 0) / av.time_base
    if claimed > limits.max_seconds:
        raise VideoUnreadable(path, Unreadable.TOO_LONG, f"{claimed:.0f} s is too long")


def _packet_times(
    path: Path, container: InputContainer, stream: VideoStream, limits: Limits
) -> tuple[list[float], float]:
    """Presentation times in order, and how long the last packet lasts (0 if it does not say)."""
    times: list[float] = []
    last, last_duration = float("-inf"), 0.0
    give_up = time.monotonic() + limits.max_wall_seconds
    try:
        for packet in container.demux(stream):
            if packet.size == 0 or packet.is_discard or packet.pts is None:
                continue
            at = float(packet.pts * packet.time_base)
            times.append(at)
            if at > last:
                last, last_duration = at, float((packet.duration or 0) * packet.time_base)
            if len(times) > limits.max_frames or time.monotonic() > give_up:
                raise VideoUnreadable(path, Unreadable.TOO_LONG, f"over {len(times)} frames")
    except (av.FFmpegError, OSError):
        pass  # the rest cannot be read; what was read counts
    times.sort()
    if times and times[-1] - times[0] > limits.max_seconds:
        told = f"{times[-1] - times[0]:.0f} s is too long"
        raise VideoUnreadable(path, Unreadable.TOO_LONG, told)
    return times, min(last_duration, 1.0)


def _first_rotation(path: Path, container: InputContainer, stream: VideoStream) -> int:
    try:
        for packet in container.demux(stream):
            for frame in packet.decode():
                return int(frame.rotation)
    except (av.FFmpegError, OSError, ValueError) as error:
        raise VideoUnreadable(
            path, Unreadable.BROKEN, f"no picture can be decoded ({_told(error)})"
        ) from error
    raise VideoUnreadable(path, Unreadable.BROKEN, "no picture can be decoded")


def _told(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error or type(error).__name__)
