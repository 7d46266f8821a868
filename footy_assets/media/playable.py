"""D4: makes an MP4 of a video that plays everywhere: H.264 and AAC, its index first.

Packets are copied where the codecs allow, and decoded and encoded only where they do not. Runs in
a decoding cell; `DecodingCell.make_playable` starts it.
"""

import io
import time
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO, Protocol, cast

import av
from av.audio.stream import AudioStream
from av.container import InputContainer, OutputContainer
from av.packet import Packet
from av.stream import Stream
from av.video.stream import VideoStream

from footy_assets.media.decode import Progress
from footy_assets.media.errors import UnreadableReason, VideoUnreadable
from footy_assets.media.mp4_boxes import is_faststart
from footy_assets.media.mp4_output import MAX_OUTPUT_BYTES, Mp4Output, OutputTooLarge, open_mp4
from footy_assets.media.probe import (
    AUDIO_DECODERS,
    DAMAGE,
    LIMITS,
    DecodeLimits,
    Probe,
    all_errors_unreadable,
    open_video,
    probe_file,
)
from footy_assets.media.tracks import (
    CannotCopy,
    CopiedPictures,
    EncodedPictures,
    PicturePacket,
    PictureTrack,
    SoundPacket,
    is_aac,
    make_sound_track,
)

# What every decoder of H.264 can show: 8 bits, 4:2:0.
PLAYABLE_PIXELS = frozenset(["yuv420p", "yuvj420p"])
# What FFmpeg reports of every MP4. Anything else says something about its maker.
TECHNICAL_METADATA = frozenset(
    ["major_brand", "minor_version", "compatible_brands", "vendor_id", "language"]
)
USUAL_HANDLERS = frozenset(["VideoHandler", "SoundHandler"])
QUICKTIME = "qt  "
START_TOLERANCE_SECONDS = 0.05
PROGRESS_EVERY_PACKETS = 50


class PlayableMethod(StrEnum):
    """How an MP4 that plays everywhere was made of a file."""

    UNCHANGED = "unchanged"
    REMUXED = "remuxed"
    TRANSCODED = "transcoded"

    @property
    def writes(self) -> bool:
        """Whether there is another file now."""
        return self is not PlayableMethod.UNCHANGED


@dataclass(frozen=True, slots=True)
class PlayableFile:
    """An MP4 that plays everywhere: the file itself if it was one already."""

    path: Path
    method: PlayableMethod
    probe: Probe


class PlayableMaker(Protocol):
    """Makes MP4s of files from outside: a `DecodingCell`."""

    def make_playable(
        self, path: Path, output: Path, on_progress: Progress | None = None
    ) -> PlayableFile:
        """Writes to `output` unless the file is playable already. Raises `VideoUnreadable`."""
        ...


def make_playable_file(
    path: Path,
    file: BinaryIO | io.FileIO,
    output: Mp4Output,
    limits: DecodeLimits = LIMITS,
    on_progress: Progress | None = None,
) -> PlayableMethod:
    """Write the playable MP4 of an open file, which `path` only names, to an empty output. Nothing
    is written for a file that is one already."""
    with all_errors_unreadable(path):
        try:
            return _make(path, file, output, limits, on_progress)
        except Exception:
            if isinstance(output.failure, OutputTooLarge):
                detail = f"over {MAX_OUTPUT_BYTES >> 20} MB as an MP4"
                raise VideoUnreadable(path, UnreadableReason.TOO_LARGE, detail) from output.failure
            if output.failure is not None:
                raise output.failure from None
            raise


def _make(
    path: Path,
    file: BinaryIO | io.FileIO,
    output: Mp4Output,
    limits: DecodeLimits,
    on_progress: Progress | None,
) -> PlayableMethod:
    with open_video(path, file, limits) as (container, video):
        can_copy = _can_copy_pictures(video)
        if can_copy and _is_playable(container, video) and is_faststart(file):
            return PlayableMethod.UNCHANGED
    if can_copy:
        try:
            with (
                open_video(path, file, limits) as (container, video),
                open_mp4(output) as target,
            ):
                packets = _Packets(path, container, video, limits, on_progress)
                _write(packets, CopiedPictures(target, video), target)
            return PlayableMethod.REMUXED
        except av.error.MemoryError:
            raise
        except (av.FFmpegError, CannotCopy):
            if output.failure is not None:
                raise
            # Packets that no MP4 takes, such as those without times. The pictures may be fine.
            output.clear()
    probe = probe_file(path, file, limits)
    with open_video(path, file, limits) as (container, video), open_mp4(output) as target:
        packets = _Packets(path, container, video, limits, on_progress)
        _write(packets, EncodedPictures(target, video, probe), target)
    return PlayableMethod.TRANSCODED


def _can_copy_pictures(video: VideoStream) -> bool:
    return (
        video.codec_context.codec.canonical_name == "h264"
        and video.codec_context.pix_fmt in PLAYABLE_PIXELS
    )


def _is_playable(container: InputContainer, video: VideoStream) -> bool:
    """Whether an MP4 has nothing but its pictures and AAC, from 0 on, and says nothing else."""
    sound = _sound(container)
    streams = [video] if sound is None else [video, sound]
    start = float((video.start_time or 0) * (video.time_base or 0))
    return (
        "mp4" in container.format.name.split(",")
        and container.metadata.get("major_brand") != QUICKTIME
        and len(container.streams) == len(streams)
        and (sound is None or is_aac(sound))
        and abs(start) < START_TOLERANCE_SECONDS
        and not any(map(_tells_of_its_maker, (container.metadata, *(s.metadata for s in streams))))
    )


def _tells_of_its_maker(metadata: dict[str, str]) -> bool:
    handler = metadata.get("handler_name", "VideoHandler")
    return handler not in USUAL_HANDLERS or bool(
        metadata.keys() - TECHNICAL_METADATA - {"handler_name"}
    )


def _sound(container: InputContainer) -> AudioStream | None:
    """The first sound that can be decoded."""
    for stream in container.streams.audio:
        context = stream.codec_context
        if context is not None and context.codec.name in AUDIO_DECODERS and context.sample_rate:
            return stream
    return None


class _Packets:
    """The packets of the pictures and the first sound, until the file ends or is damaged."""

    def __init__(
        self,
        path: Path,
        container: InputContainer,
        video: VideoStream,
        limits: DecodeLimits,
        on_progress: Progress | None,
    ) -> None:
        self._path, self._container, self._limits = path, container, limits
        self._on_progress = on_progress
        self.video, self.sound = video, _sound(container)

    def __iter__(self) -> Iterator["Packet[Stream]"]:
        streams = [self.video] if self.sound is None else [self.video, self.sound]
        deadline = time.monotonic() + self._limits.max_wall_seconds
        packets, number = self._container.demux(*streams), 0
        while True:
            try:
                packet = next(packets, None)
            except av.error.MemoryError:
                raise
            except DAMAGE:
                return
            if packet is None:
                return
            if packet.size == 0 or packet.is_discard:
                continue
            yield packet
            number += 1
            if time.monotonic() > deadline:
                detail = f"no MP4 made of it within {self._limits.max_wall_seconds:.0f} s"
                raise VideoUnreadable(self._path, UnreadableReason.TOO_SLOW, detail)
            if self._on_progress is not None and number % PROGRESS_EVERY_PACKETS == 0:
                self._on_progress(self._part(packet))

    def _part(self, packet: "Packet[Stream]") -> float:
        seconds = (self._container.duration or 0) / av.time_base
        if not seconds or packet.pts is None:
            return 0.0
        return min(1.0, max(0.0, float(packet.pts * packet.time_base) / seconds))


def _write(packets: _Packets, pictures: PictureTrack, target: OutputContainer) -> None:
    """Time 0 is that of the first picture; the sound waits until it is known."""
    sound = None if packets.sound is None else make_sound_track(target, packets.sound)
    waiting: list[SoundPacket] = []
    for packet in packets:
        if packet.stream is packets.video:
            pictures.add(cast(PicturePacket, packet))
        else:
            waiting.append(cast(SoundPacket, packet))
        if sound is not None and pictures.start is not None:
            for one in waiting:
                sound.add(one, pictures.start)
            waiting.clear()
    if pictures.start is None:
        raise CannotCopy("no picture to start from")
    pictures.finish()
    if sound is not None:
        sound.finish()
