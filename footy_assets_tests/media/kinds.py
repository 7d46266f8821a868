"""Films as they come from sites, each in another container and codec."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import av

from benchmarks.fuzz_media import Recipe, encode_film
from footy_assets.media.playable import PlayableMethod

REMUXED, TRANSCODED = PlayableMethod.REMUXED, PlayableMethod.TRANSCODED
KINDS: dict[str, tuple[Recipe, PlayableMethod]] = {
    "HLS": (("mpegts", "libx264", "yuv420p", "aac"), REMUXED),
    "MP4 with its index last": (("mp4", "libx264", "yuv420p", "aac"), REMUXED),
    "MKV": (("matroska", "libx264", "yuv420p", "aac"), REMUXED),
    "MKV with MP3": (("matroska", "libx264", "yuv420p", "libmp3lame"), REMUXED),
    "AVI without times": (("avi", "libx264", "yuv420p", None), REMUXED),
    "WebM": (("webm", "libvpx-vp9", "yuv420p", None), TRANSCODED),
    "HEVC": (("mp4", "libx265", "yuv420p", "aac"), TRANSCODED),
    "AV1": (("mp4", "libsvtav1", "yuv420p", "aac"), TRANSCODED),
    "QuickTime": (("mov", "mpeg4", "yuv420p", "aac"), TRANSCODED),
    "H.264 of 4:4:4": (("mp4", "libx264", "yuv444p", None), TRANSCODED),
    "MPEG-2": (("mpegts", "mpeg2video", "yuv420p", "mp2"), TRANSCODED),
    "GIF": (("gif", "gif", "rgb8", None), TRANSCODED),
}
# As encoders of sites do it: pictures that are shown in another order than they are stored.
REORDERED = {"preset": "veryfast", "bf": "2", "g": "25"}


def write_kind(path: Path, kind: str, seconds: float = 1.2) -> Path:
    with ordinary_priority():
        return encode_film(path, KINDS[kind][0], seconds, REORDERED)


@contextmanager
def ordinary_priority() -> Iterator[None]:
    """libsvtav1, where it may, gives the thread that calls it real-time priority, which every
    program started by it has too: two of those that spin leave nothing of two cores to the rest."""
    if not hasattr(os, "sched_setscheduler"):
        yield
        return
    before = os.sched_getscheduler(0)
    try:
        yield
    finally:
        os.sched_setscheduler(0, before, os.sched_param(0))


def remuxed_to(source: Path, target: Path, container: str, **options: str) -> Path:
    """The pictures of a file in another container, as they are."""
    with (
        av.open(str(source)) as file,
        av.open(str(target), "w", format=container, container_options=options) as output,
    ):
        stream = output.add_stream_from_template(file.streams.video[0])
        for packet in file.demux(video=0):
            if packet.dts is not None:
                packet.stream = stream
                output.mux(packet)
    return target


REALTIME = {"deadline": "realtime", "cpu-used": "8", "crf": "30", "b": "0"}


def reencoded_to(
    source: Path, target: Path, container: str, codec: str, options: Mapping[str, str] = REALTIME
) -> Path:
    with (
        ordinary_priority(),
        av.open(str(source)) as file,
        av.open(str(target), "w", format=container) as output,
    ):
        shown = file.streams.video[0]
        stream = output.add_stream(codec, rate=25)
        stream.width, stream.height, stream.pix_fmt = shown.width, shown.height, "yuv420p"
        stream.options = dict(options)
        for frame in file.decode(shown):
            output.mux(stream.encode(frame.reformat(format="yuv420p")))
        output.mux(stream.encode())
    return target
