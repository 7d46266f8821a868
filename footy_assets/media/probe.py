"""Reads the headers and packet times of a video file."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

import av
from av.container import InputContainer
from av.stream import Disposition
from av.video.stream import VideoStream

from footy_assets.errors import FootyError, NotFound
from footy_assets.media.errors import UnreadableReason, VideoUnreadable

# Demuxers that read a single file: a playlist can point anywhere.
FORMATS = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,flv,gif,h264,ivf,mp3,wav,ogg,aac"
# FFmpeg has some 200 video decoders, most of them for formats that nobody posts.
VIDEO_DECODERS = frozenset(
    [
        *("h264", "hevc", "vp8", "vp9", "libvpx-vp8", "libvpx-vp9", "av1", "libdav1d", "mpeg4"),
        *("h263", "mpeg1video", "mpeg2video", "flv", "mjpeg", "gif"),
    ]
)
# Opening a file also decodes a little sound, to know its layout.
AUDIO_DECODERS = frozenset(
    [
        *("aac", "aac_latm", "mp3", "mp3float", "mp2", "mp2float", "opus", "libopus", "vorbis"),
        *("libvorbis", "ac3", "eac3", "pcm_s16le", "pcm_s16be"),
    ]
)
# What reading the next packet raises where a file is damaged: PyAV looks up a stream that was not
# there when the file was opened with an IndexError.
DAMAGE = (av.FFmpegError, OSError, IndexError)
MAX_STREAMS = 16
# How many times as large as the limit a picture may be for its size to be reported.
HEADER_PIXELS = 4
OPEN_SECONDS = 10.0
READ_BYTES = 1 << 16


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
    with open_file(path) as file:
        return probe_file(Path(path), file, limits)


def probe_file(path: Path, file: BinaryIO, limits: DecodeLimits) -> Probe:
    """The same of an open file, which `path` only names."""
    with (
        all_errors_unreadable(path),
        open_video(path, file, limits) as (container, stream),
    ):
        headers = read_headers(path, file, container, stream, limits)
        return rotated(headers, _first_rotation(path, container, stream))


def open_file(path: Path | str) -> BinaryIO:
    """Open a file for reading. Raises if there is none, or if it is empty."""
    path = Path(path)
    if not path.is_file():
        raise NotFound(f"{path} is not a file")
    try:
        file = path.open("rb", buffering=0)
    except OSError as error:
        detail = f"cannot be opened ({_error_text(error)})"
        raise VideoUnreadable(path, UnreadableReason.NOT_A_VIDEO, detail) from error
    if size_of(file) == 0:
        file.close()
        raise VideoUnreadable(path, UnreadableReason.EMPTY, "the file is empty")
    return file


def size_of(file: BinaryIO) -> int:
    return os.fstat(file.fileno()).st_size


@contextmanager
def all_errors_unreadable(path: Path) -> Iterator[None]:
    """A damaged file makes FFmpeg and PyAV fail in more ways than can be listed: whatever they
    raise is a `VideoUnreadable`."""
    try:
        yield
    except FootyError:
        raise
    except MemoryError as error:
        detail = "takes more memory than a video may"
        raise VideoUnreadable(path, UnreadableReason.TOO_LARGE, detail) from error
    except Exception as error:
        detail = f"cannot be decoded ({type(error).__name__}: {_error_text(error)})"
        raise VideoUnreadable(path, UnreadableReason.BROKEN, detail) from error


@contextmanager
def open_video(
    path: Path, file: BinaryIO, limits: DecodeLimits = LIMITS
) -> Iterator[tuple[InputContainer, VideoStream]]:
    """Open the container and its first video stream. Raises if the file exceeds the limits.

    Opening decodes some frames, so the limits apply to it too. FFmpeg reads the open file through
    us and has no protocol to open another.
    """
    decoders = ",".join(VIDEO_DECODERS | AUDIO_DECODERS)
    decoding = {"max_pixels": str(limits.max_pixels), "codec_whitelist": decoders}
    reading = {
        # FFmpeg forgets a size beyond this, so a video that is only somewhat too large is below it.
        "max_pixels": str(HEADER_PIXELS * limits.max_pixels),
        "codec_whitelist": decoders,
        "protocol_whitelist": "none",
        "format_whitelist": FORMATS,
        "max_streams": str(MAX_STREAMS),
    }
    file.seek(0)
    try:
        container = av.open(
            _Named(file, path.name),
            "r",
            options=reading,
            timeout=(OPEN_SECONDS, OPEN_SECONDS),
            buffer_size=READ_BYTES,
        )
    except av.error.MemoryError:
        raise
    except (av.FFmpegError, ValueError, OSError) as error:
        raise VideoUnreadable(
            path, UnreadableReason.NOT_A_VIDEO, f"not a readable video ({_error_text(error)})"
        ) from error
    with container:
        stream = _video_stream(path, container)
        _check_header(path, container, stream, limits)
        # A damaged file may change its size half way; the decoder itself must reject that.
        stream.codec_context.options = decoding
        stream.codec_context.thread_count = 1
        yield container, stream


class _Named:
    """An open file with the name that FFmpeg may look at when the content is ambiguous."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self.name = name
        self.read, self.seek, self.tell = file.read, file.seek, file.tell


def read_headers(
    path: Path,
    file: BinaryIO,
    container: InputContainer,
    stream: VideoStream,
    limits: DecodeLimits = LIMITS,
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
    rewind(path, container)
    size = size_of(file)
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


def rewind(path: Path, container: InputContainer) -> None:
    try:
        container.seek(0)
    except (av.FFmpegError, OSError):
        # No picture starts at 0, or none is marked as one to start from.
        try:
            container.seek(0, backward=False, any_frame=True)
        except (av.FFmpegError, OSError) as error:
            detail = f"cannot be read from its start again ({_error_text(error)})"
            raise VideoUnreadable(path, UnreadableReason.BROKEN, detail) from error


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
            path,
            UnreadableReason.BROKEN,
            "the header names no codec, or a picture size that no video has",
        )
    if (decoder := stream.codec_context.codec.name) not in VIDEO_DECODERS:
        raise VideoUnreadable(path, UnreadableReason.CODEC, f"video of the codec {decoder}")
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
    except av.error.MemoryError:
        raise
    except DAMAGE:
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
    except av.error.MemoryError:
        raise
    except (*DAMAGE, ValueError) as error:
        raise VideoUnreadable(
            path, UnreadableReason.BROKEN, f"no picture can be decoded ({_error_text(error)})"
        ) from error
    raise VideoUnreadable(path, UnreadableReason.BROKEN, "no picture can be decoded")


def _error_text(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error or type(error).__name__)
