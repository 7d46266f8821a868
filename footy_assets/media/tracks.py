"""The pictures and the sound of an MP4 that is made of another file: copied, or encoded again."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Protocol, TypeAlias

import av
from av.audio.frame import AudioFrame
from av.audio.stream import AudioStream
from av.container import OutputContainer
from av.packet import Packet
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from footy_assets.media.probe import DAMAGE, Probe
from footy_assets.media.transcode import PictureEncoder, SoundEncoder

# PyAV's classes have type parameters only for type checkers.
PicturePacket: TypeAlias = "Packet[VideoStream]"
SoundPacket: TypeAlias = "Packet[AudioStream]"
# More pictures than any encoder holds back to show them in another order.
MAX_UNDATED = 20


class CannotCopy(Exception):
    """The packets of a file cannot be in an MP4 as they are."""


class PictureTrack(Protocol):
    # When the first picture is shown, in the file's own seconds; None until it is known.
    start: Fraction | None

    def add(self, packet: PicturePacket) -> None: ...
    def finish(self) -> None: ...


class SoundTrack(Protocol):
    def add(self, packet: SoundPacket, start: Fraction) -> None: ...
    def finish(self) -> None: ...


def is_aac(sound: AudioStream) -> bool:
    return sound.codec_context.codec.canonical_name == "aac"


def make_sound_track(target: OutputContainer, sound: AudioStream) -> SoundTrack:
    return CopiedSound(target, sound) if is_aac(sound) else EncodedSound(target, sound)


class CopiedPictures:
    """From the first picture that needs no other."""

    def __init__(
        self, target: OutputContainer, source: VideoStream, sample_entry: str | None = None
    ) -> None:
        """`sample_entry` is what the MP4 calls these pictures, if not by FFmpeg's own choice."""
        self._target = target
        self._stream = target.add_stream_from_template(source, opaque=True)
        if sample_entry is not None:
            self._stream.codec_context.codec_tag = sample_entry
        self._undated: list[PicturePacket] = []
        self.start: Fraction | None = None

    def add(self, packet: PicturePacket) -> None:
        if packet.pts is None:
            raise CannotCopy("a picture without a time")
        if self.start is None:
            if not packet.is_keyframe:
                return
            self.start = packet.pts * packet.time_base
        if packet.dts is None:
            # Matroska has no decoding times, and FFmpeg knows them only after some pictures.
            self._undated.append(packet)
            if len(self._undated) > MAX_UNDATED:
                raise CannotCopy("pictures without decoding times")
            return
        self._copy_undated(packet.dts)
        _copy(packet, self.start, self._target, self._stream)

    def _copy_undated(self, next_dts: int) -> None:
        assert self.start is not None
        for before, packet in zip(range(len(self._undated), 0, -1), self._undated, strict=True):
            packet.dts = next_dts - before * max(1, packet.duration or 1)
            _copy(packet, self.start, self._target, self._stream)
        self._undated.clear()

    def finish(self) -> None:
        if self._undated:
            raise CannotCopy("pictures without decoding times")


class CopiedSound:
    def __init__(self, target: OutputContainer, source: AudioStream) -> None:
        self._target = target
        self._stream = target.add_stream_from_template(source, opaque=True)
        self._last: int | None = None
        self._shift = 0

    def add(self, packet: SoundPacket, start: Fraction) -> None:
        if packet.pts is None or (self._last is None and _ends_before(packet, start)):
            return
        packet.pts += self._shift
        if self._last is not None and packet.pts <= self._last:
            # The file's times jump back: its sound goes on all the same.
            jump = self._last + max(1, packet.duration or 1) - packet.pts
            self._shift += jump
            packet.pts += jump
        packet.dts = self._last = packet.pts
        _copy(packet, start, self._target, self._stream)

    def finish(self) -> None:
        pass


class EncodedPictures:
    def __init__(self, target: OutputContainer, source: VideoStream, probe: Probe) -> None:
        self._encoder = PictureEncoder(target, probe, source.codec_context)
        self._source = source
        self.start: Fraction | None = None

    def add(self, packet: "PicturePacket | None") -> None:
        for frame in _decoded(self._source, packet):
            if not isinstance(frame, VideoFrame) or frame.pts is None:
                continue
            at = frame.pts * _time_base(self._source)
            if self.start is None:
                self.start = at
            self._encoder.add(frame, float(at - self.start))

    def finish(self) -> None:
        self.add(None)
        self._encoder.finish()


class EncodedSound:
    def __init__(self, target: OutputContainer, source: AudioStream) -> None:
        self._encoder = SoundEncoder(target)
        self._source = source
        self._start = Fraction(0)
        source.codec_context.thread_count = 1

    def add(self, packet: "SoundPacket | None", start: Fraction) -> None:
        if packet is not None and (
            packet.pts is None or (self._encoder.is_empty and _ends_before(packet, start))
        ):
            return
        self._start = start
        for frame in _decoded(self._source, packet):
            if isinstance(frame, AudioFrame) and frame.pts is not None:
                at = frame.pts * _time_base(self._source)
                self._encoder.add(frame, float(at - start))

    def finish(self) -> None:
        self.add(None, self._start)
        self._encoder.finish()


def _time_base(source: VideoStream | AudioStream) -> Fraction:
    assert source.time_base is not None
    return source.time_base


def _copy(
    packet: "PicturePacket | SoundPacket",
    start: Fraction,
    target: OutputContainer,
    stream: VideoStream | AudioStream,
) -> None:
    shift = round(start / packet.time_base)
    assert packet.pts is not None
    packet.pts -= shift
    assert packet.dts is not None
    packet.dts -= shift
    packet.stream = stream
    target.mux(packet)


def _ends_before(packet: SoundPacket, start: Fraction) -> bool:
    assert packet.pts is not None
    return (packet.pts + (packet.duration or 0)) * packet.time_base <= start


def _decoded(
    source: VideoStream | AudioStream, packet: "PicturePacket | SoundPacket | None"
) -> Iterator[VideoFrame | AudioFrame]:
    """The frames of a packet, or those that are left if it is None; nothing if it is damaged."""
    try:
        yield from source.codec_context.decode(packet)
    except av.error.MemoryError:
        raise
    except DAMAGE:
        return
