"""The single decoding pass: gray samples for the fingerprint, stills for validation and posters.

Decoding is nearly all of the cost of examining a video, so it happens once. Frames between samples
are decoded, because others are predicted from them, but neither converted nor scaled.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import av
import cv2
import numpy as np
from av import Packet
from av.container import InputContainer
from av.video.frame import VideoFrame
from av.video.stream import VideoStream
from numpy.typing import NDArray

from footy_assets.clip_limits import ClipRules
from footy_assets.media.acceptance import rejections
from footy_assets.media.errors import UnreadableReason, VideoUnreadable
from footy_assets.media.probe import (
    DAMAGE,
    LIMITS,
    DecodeLimits,
    Probe,
    all_errors_unreadable,
    display_size,
    open_file,
    open_video,
    read_headers,
    rotated,
)

Gray = NDArray[np.uint8]
Progress = Callable[[float], None]

SAMPLES_PER_SECOND = 8
SAMPLE_EDGE = 128
# Formats whose first plane is 8-bit luma; others are converted.
LUMA_FIRST = frozenset(
    ["yuv420p", "yuv422p", "yuv444p", "yuvj420p", "yuvj422p", "yuvj444p", "nv12", "nv21", "gray"]
)
PROGRESS_EVERY_FRAMES = 25
# Stills are scaled down to this: sixteen of an 8-megapixel video would take half a gigabyte.
STILL_EDGE = 1280


@dataclass(frozen=True, slots=True)
class Still:
    """One picture as a player shows it: upright, square pixels, BGR."""

    seconds: float
    image: NDArray[np.uint8]

    def jpeg(self, width: int | None = None, quality: int = 85) -> bytes:
        """The picture as a JPEG, scaled down to `width`."""
        image = self.image
        if width is not None and width < image.shape[1]:
            height = max(1, round(image.shape[0] * width / image.shape[1]))
            image = _resized(image, width, height)
        _, encoded = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
        return encoded.tobytes()


@dataclass(frozen=True, slots=True)
class Scan:
    """The result of one decoding pass.

    `samples` are gray SAMPLE_EDGE² pictures, upright and squeezed to a square, one for each 1/8 s
    of presentation time at any frame rate.
    """

    probe: Probe
    samples: Gray
    stills: tuple[Still, ...]


def scan(
    path: Path | str,
    stills_at: Sequence[float] = (),
    limits: DecodeLimits = LIMITS,
    on_progress: Progress | None = None,
) -> Scan:
    """Decode a file once. `stills_at` are positions in parts of its duration, such as 0.25.

    `on_progress` gets the finished part every few frames, as proof of progress (P3).
    """
    with open_file(path) as file:
        return scan_file(Path(path), file, stills_at, limits, on_progress)


def scan_file(
    path: Path,
    file: BinaryIO,
    stills_at: Sequence[float] = (),
    limits: DecodeLimits = LIMITS,
    on_progress: Progress | None = None,
) -> Scan:
    """The same of an open file, which `path` only names."""
    found = scan_if_accepted(path, file, None, stills_at, limits, on_progress)
    assert isinstance(found, Scan)
    return found


def scan_if_accepted(
    path: Path,
    file: BinaryIO,
    rules: ClipRules | None,
    stills_at: Sequence[float] = (),
    limits: DecodeLimits = LIMITS,
    on_progress: Progress | None = None,
) -> Scan | Probe:
    """The same, but only the probe of a file that breaks the rules, which is known with its first
    picture."""
    sampler: _Sampler | None = None
    with (
        all_errors_unreadable(path),
        open_video(path, file, limits) as (container, stream),
    ):
        headers = read_headers(path, file, container, stream, limits)
        for number, frame in enumerate(_frames(path, container, stream, limits)):
            if sampler is None:
                probe = rotated(headers, int(frame.rotation))
                if rules is not None and rejections(probe, rules):
                    return probe
                sampler = _Sampler(path, probe, stills_at, limits)
            sampler.add(frame)
            if on_progress is not None and number % PROGRESS_EVERY_FRAMES == 0:
                on_progress(min(1.0, sampler.seconds / headers.duration))
        if sampler is None:
            raise VideoUnreadable(path, UnreadableReason.BROKEN, "no picture can be decoded")
        samples, stills = sampler.finish()
    return Scan(sampler.probe, samples, stills)


def _frames(
    path: Path, container: InputContainer, stream: VideoStream, limits: DecodeLimits
) -> Iterator[VideoFrame]:
    """Decoded frames in presentation order; packets that cannot be decoded are left out."""
    deadline = time.monotonic() + limits.max_wall_seconds
    packets = container.demux(stream)
    packet: Packet[VideoStream] | None = None
    while True:
        try:
            packet = next(packets, None)
            if packet is None:
                return
            yield from packet.decode()
        except av.error.MemoryError:
            raise
        except DAMAGE:
            if packet is None:
                return
        if time.monotonic() > deadline:
            detail = f"not decoded within {limits.max_wall_seconds:.0f} s"
            raise VideoUnreadable(path, UnreadableReason.TOO_SLOW, detail)


class _Sampler:
    """Resamples frames of any timing to the fixed sample rate; scales each frame at most once."""

    def __init__(
        self, path: Path, probe: Probe, stills_at: Sequence[float], limits: DecodeLimits
    ) -> None:
        self._path = path
        self.probe = probe
        self._limits = limits
        self._samples: list[Gray] = []
        self._stills: list[Still] = []
        self._pending_stills = sorted(part * probe.duration for part in stills_at)
        self._first: float | None = None
        self._last: VideoFrame | None = None
        self._last_sample: Gray | None = None
        self.seconds = 0.0

    def add(self, frame: VideoFrame) -> None:
        now = self._time_of(frame)
        if self._last is not None:
            self._add_samples_until(now)
        if self._pending_stills and now >= self._pending_stills[0] - 0.5 / self.probe.fps:
            self._take_still(frame, now, up_to=now + 0.5 / self.probe.fps)
        self._last, self._last_sample, self.seconds = frame, None, now

    def finish(self) -> tuple[Gray, tuple[Still, ...]]:
        assert self._last is not None
        self._add_samples_until(
            min(max(self.probe.duration, self.seconds + 0.01), self.seconds + 1.0)
        )
        if self._pending_stills:
            # The file ends before its stated end: the last picture replaces the missing stills.
            self._take_still(self._last, self.seconds, up_to=self._pending_stills[-1])
        return np.stack(self._samples), tuple(self._stills)

    def _time_of(self, frame: VideoFrame) -> float:
        """Seconds since the first frame; never decreasing, even if the file's times are."""
        at = frame.time
        if at is None:
            at = self.seconds + 1 / self.probe.fps + (self._first or 0.0)
        if self._first is None:
            self._first = at
        return max(at - self._first, self.seconds)

    def _add_samples_until(self, until: float) -> None:
        """Use the last frame as the sample of each moment until now."""
        while (moment := len(self._samples) / SAMPLES_PER_SECOND) < until - 1e-6:
            if moment > self._limits.max_seconds:
                raise VideoUnreadable(
                    self._path, UnreadableReason.TOO_LONG, "its timestamps exceed the limit"
                )
            if self._last_sample is None:
                assert self._last is not None
                self._last_sample = gray_sample(self._last, self.probe.rotation)
            self._samples.append(self._last_sample)

    def _take_still(self, frame: VideoFrame, now: float, up_to: float) -> None:
        image = display_image(frame, self.probe)
        while self._pending_stills and self._pending_stills[0] <= up_to:
            self._stills.append(Still(now, image))
            self._pending_stills.pop(0)


def gray_sample(frame: VideoFrame, rotation: int) -> Gray:
    """A frame's luma, small and upright. All files take this route: others give other values."""
    plane = frame.planes[0]
    # Some decoders give a picture from its last row to its first.
    if frame.format.name in LUMA_FIRST and plane.line_size > 0:
        rows = np.frombuffer(memoryview(plane), np.uint8).reshape(-1, plane.line_size)
        luma = rows[: frame.height, : frame.width]
    else:
        luma = np.asarray(frame.to_ndarray(format="gray", threads=1), dtype=np.uint8)
    # Halving is vectorised and an uneven ratio is not: 25 times faster than one resize.
    while max(luma.shape) >= 2 * SAMPLE_EDGE:
        down, across = (2 if side >= 2 * SAMPLE_EDGE else 1 for side in luma.shape)
        height, width = luma.shape[0] // down, luma.shape[1] // across
        luma = _resized(luma[: down * height, : across * width], width, height)
    # For the rest, less than a factor of two, INTER_AREA is no better and costs fifteen times as
    # much.
    small = cv2.resize(luma, (SAMPLE_EDGE, SAMPLE_EDGE), interpolation=cv2.INTER_LINEAR)
    return _upright(np.asarray(small, dtype=np.uint8), rotation)


def display_image(frame: VideoFrame, probe: Probe) -> NDArray[np.uint8]:
    """A frame in colour as a player shows it, scaled down if it is large."""
    width, height = display_size(frame.width, frame.height, probe.sample_aspect)
    shrink = min(1.0, STILL_EDGE / max(width, height))
    size = max(1, round(width * shrink)), max(1, round(height * shrink))
    image = np.asarray(frame.to_ndarray(format="bgr24", threads=1), dtype=np.uint8)
    if size != (frame.width, frame.height):
        image = _resized(image, *size)
    return _upright(image, probe.rotation)


def _upright(image: NDArray[np.uint8], rotation: int) -> NDArray[np.uint8]:
    """PyAV's rotation counts anticlockwise, as `np.rot90` does."""
    turns = rotation // 90
    return np.ascontiguousarray(np.rot90(image, turns)) if turns else image


def _resized(image: NDArray[np.uint8], width: int, height: int) -> NDArray[np.uint8]:
    shrinks = width <= image.shape[1] and height <= image.shape[0]
    how = cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(image, (width, height), interpolation=how), dtype=np.uint8)
