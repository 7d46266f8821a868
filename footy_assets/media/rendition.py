"""D6: the pictures of a file as they are, in an MP4 beside the one that plays everywhere.

Players that know HEVC, VP9 or AV1 show what the H.264 of a transcode has lost. Runs in a decoding
cell; `DecodingCell.make_rendition` starts it.
"""

import io
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO

from footy_assets.media.decode import Progress
from footy_assets.media.errors import UnreadableReason, VideoUnreadable
from footy_assets.media.mp4_codecs import codecs_of
from footy_assets.media.mp4_output import Mp4Output, open_mp4
from footy_assets.media.probe import (
    LIMITS,
    DecodeLimits,
    Probe,
    all_errors_unreadable,
    open_video,
    probe_file,
)
from footy_assets.media.remux import Packets, output_errors, write_tracks
from footy_assets.media.tracks import CopiedPictures


class RenditionCodec(StrEnum):
    """Pictures that are kept beside H.264, by the names that FFmpeg has for them."""

    HEVC = "hevc"
    VP9 = "vp9"
    AV1 = "av1"

    @property
    def sample_entry(self) -> str:
        """How an MP4 calls its pictures. FFmpeg's own choice for HEVC is `hev1`, which Apple's
        players refuse."""
        return SAMPLE_ENTRIES[self]


SAMPLE_ENTRIES = {
    RenditionCodec.HEVC: "hvc1",
    RenditionCodec.VP9: "vp09",
    RenditionCodec.AV1: "av01",
}


@dataclass(frozen=True, slots=True)
class RenditionFile:
    """An MP4 with the pictures of a file as they are. `codecs` is what a player must know."""

    path: Path
    codec: RenditionCodec
    codecs: str
    probe: Probe


def make_rendition_file(
    path: Path,
    file: BinaryIO | io.FileIO,
    output: Mp4Output,
    limits: DecodeLimits = LIMITS,
    on_progress: Progress | None = None,
) -> None:
    """Write the rendition of an open file, which `path` only names, to an empty output. A file of
    another codec, or whose packets no MP4 takes, is a `VideoUnreadable`."""
    with output_errors(path, output), open_video(path, file, limits) as (container, video):
        name = video.codec_context.codec.canonical_name
        if name not in set(RenditionCodec):
            detail = f"no rendition is kept of {name}"
            raise VideoUnreadable(path, UnreadableReason.CODEC, detail)
        with open_mp4(output) as target:
            packets = Packets(path, container, video, limits, on_progress)
            pictures = CopiedPictures(target, video, RenditionCodec(name).sample_entry)
            write_tracks(packets, pictures, target)


def describe_file(
    path: Path, file: BinaryIO | io.FileIO, limits: DecodeLimits
) -> tuple[Probe, str]:
    """The probe and the codecs of a rendition."""
    with all_errors_unreadable(path):
        return probe_file(path, file, limits), codecs_of(file)
