"""Reads and writes the films of the validation benchmarks."""

from collections.abc import Iterator
from pathlib import Path

import av
import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
Floats = NDArray[np.float32]
Rng = np.random.Generator

WIDTH, HEIGHT, FPS, SECONDS = 640, 360, 12, 4.0
FRAMES = round(FPS * SECONDS)


def write_film(path: Path, pictures: Iterator[Picture], crf: int, fps: float = FPS) -> Path:
    part = path.with_suffix(".part")
    with av.open(str(part), "w", format="mp4") as container:
        stream = None
        for picture in pictures:
            if stream is None:
                stream = container.add_stream("libx264", rate=round(fps))
                stream.height, stream.width = picture.shape[:2]
                stream.pix_fmt = "yuv420p"
                stream.options = {"preset": "superfast", "crf": str(crf)}
                stream.codec_context.thread_count = 1
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="bgr24")))
        if stream is not None:
            container.mux(stream.encode())
    part.replace(path)
    return path


def frames_of(path: Path, every: float = 1 / FPS, limit: int = FRAMES) -> Iterator[Picture]:
    """The pictures of a film at a fixed rate."""
    with av.open(str(path)) as container:
        container.streams.video[0].codec_context.thread_count = 1
        given = 0
        for frame in container.decode(video=0):
            if frame.time is None or frame.time >= given * every:
                yield np.asarray(frame.to_ndarray(format="bgr24"), np.uint8)
                given += 1
                if given == limit:
                    return


def pan_photo(
    photo: Picture, seed: int, size: tuple[int, int] = (WIDTH, HEIGHT)
) -> Iterator[Picture]:
    """A photograph as video: the camera pans and zooms, as in slide shows."""
    rng = np.random.default_rng(seed)
    width, height = size
    scale = max(width / photo.shape[1], height / photo.shape[0]) * rng.uniform(1.05, 1.6)
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    photo = np.asarray(cv2.resize(photo, None, fx=scale, fy=scale, interpolation=how), np.uint8)
    room = np.array([photo.shape[1] - width, photo.shape[0] - height])
    begin, end = rng.uniform(0, 1, 2) * room, rng.uniform(0, 1, 2) * room
    for n in range(FRAMES):
        at = begin + (end - begin) * n / FRAMES + [width / 2, height / 2]
        yield np.asarray(cv2.getRectSubPix(photo, size, (float(at[0]), float(at[1]))), np.uint8)
