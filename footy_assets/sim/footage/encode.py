"""Planes in, H.264 in an mp4 file out, and back."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path

import av
import numpy as np

from footy_assets.sim.footage.planes import Planes

FPS = 25


def write(
    path: Path,
    pictures: Iterable[Planes],
    fps: Fraction | int = FPS,
    crf: int = 27,
    preset: str = "ultrafast",
) -> None:
    """One thread and no clock inside: the same pictures give the same bytes."""
    with av.open(str(path), "w", format="mp4", options={"movflags": "+faststart"}) as container:
        stream = container.add_stream("libx264", rate=fps)
        stream.pix_fmt = "yuv420p"
        stream.options = {"preset": preset, "crf": str(crf), "threads": "1"}
        stream.codec_context.gop_size = 2 * round(fps)
        stream.codec_context.thread_count = 1
        for number, picture in enumerate(pictures):
            if number == 0:
                stream.width, stream.height = picture.size
            frame = av.VideoFrame.from_ndarray(picture.i420, format="yuv420p")
            frame.pts, frame.time_base = number, 1 / Fraction(fps)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())


def read(path: Path) -> Iterator[tuple[float, Planes]]:
    """Seconds and pictures of a film."""
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        stream.codec_context.thread_count = 1
        for frame in container.decode(stream):
            yield float(frame.time or 0), Planes(np.asarray(frame.to_ndarray(), np.uint8))
