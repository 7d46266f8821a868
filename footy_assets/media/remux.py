"""Writes the packets of a video file into an MP4: its pictures and its first sound."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import av
from av.audio.stream import AudioStream
from av.container import InputContainer, OutputContainer
from av.packet import Packet
from av.stream import Stream
from av.video.stream import VideoStream

from footy_assets.media.decode import Progress
from footy_assets.media.errors import UnreadableReason, VideoUnreadable
from footy_assets.media.mp4_output import MAX_OUTPUT_BYTES, Mp4Output, OutputTooLarge
from footy_assets.media.probe import AUDIO_DECODERS, DAMAGE, DecodeLimits, all_errors_unreadable
from footy_assets.media.tracks import (
    CannotCopy,
    PicturePacket,
    PictureTrack,
    SoundPacket,
    make_sound_track,
)

PROGRESS_EVERY_PACKETS = 50


@contextmanager
def output_errors(path: Path, output: Mp4Output) -> Iterator[None]:
    """Whatever goes wrong is a `VideoUnreadable` of the file, unless the output failed."""
    with all_errors_unreadable(path):
        try:
            yield
        except Exception:
            if isinstance(output.failure, OutputTooLarge):
                detail = f"over {MAX_OUTPUT_BYTES >> 20} MB as an MP4"
                raise VideoUnreadable(path, UnreadableReason.TOO_LARGE, detail) from output.failure
            if output.failure is not None:
                raise output.failure from None
            raise


def first_sound(container: InputContainer) -> AudioStream | None:
    """The first sound that can be decoded."""
    for stream in container.streams.audio:
        context = stream.codec_context
        if context is not None and context.codec.name in AUDIO_DECODERS and context.sample_rate:
            return stream
    return None


class Packets:
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
        self.video, self.sound = video, first_sound(container)

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


def write_tracks(packets: Packets, pictures: PictureTrack, target: OutputContainer) -> None:
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
