"""D4: makes an MP4 of a video that plays everywhere: H.264 and AAC, its index first.

Packets are copied where the codecs allow, and decoded and encoded only where they do not. Runs in
a decoding cell; `DecodingCell.make_playable` starts it.
"""

import io
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO, Protocol

import av
from av.container import InputContainer
from av.video.stream import VideoStream

from footy_assets.media.decode import Progress
from footy_assets.media.mp4_boxes import is_faststart
from footy_assets.media.mp4_output import Mp4Output, open_mp4
from footy_assets.media.probe import LIMITS, DecodeLimits, Probe, open_video, probe_file
from footy_assets.media.remux import Packets, first_sound, output_errors, write_tracks
from footy_assets.media.rendition import RenditionFile
from footy_assets.media.tracks import CannotCopy, CopiedPictures, EncodedPictures, is_aac

# What every decoder of H.264 can show: 8 bits, 4:2:0.
PLAYABLE_PIXELS = frozenset(["yuv420p", "yuvj420p"])
# What FFmpeg reports of every MP4. Anything else says something about its maker.
TECHNICAL_METADATA = frozenset(
    ["major_brand", "minor_version", "compatible_brands", "vendor_id", "language"]
)
USUAL_HANDLERS = frozenset(["VideoHandler", "SoundHandler"])
QUICKTIME = "qt  "
START_TOLERANCE_SECONDS = 0.05


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

    def make_rendition(
        self, path: Path, output: Path, on_progress: Progress | None = None
    ) -> RenditionFile:
        """Writes the pictures as they are. Raises `VideoUnreadable` if there is no such MP4."""
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
    with output_errors(path, output):
        return _make(path, file, output, limits, on_progress)


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
                packets = Packets(path, container, video, limits, on_progress)
                write_tracks(packets, CopiedPictures(target, video), target)
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
        packets = Packets(path, container, video, limits, on_progress)
        write_tracks(packets, EncodedPictures(target, video, probe), target)
    return PlayableMethod.TRANSCODED


def _can_copy_pictures(video: VideoStream) -> bool:
    return (
        video.codec_context.codec.canonical_name == "h264"
        and video.codec_context.pix_fmt in PLAYABLE_PIXELS
    )


def _is_playable(container: InputContainer, video: VideoStream) -> bool:
    """Whether an MP4 has nothing but its pictures and AAC, from 0 on, and says nothing else."""
    sound = first_sound(container)
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
