"""Renders small test videos: a camera pans over a textured ground, with players and cuts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
Edit = Callable[[Picture], Picture]

WIDTH, HEIGHT, FPS = 320, 180, 25


class Film:
    """A picture for each moment; the same seed gives the same film at any frame rate."""

    def __init__(self, seed: int, cuts: Sequence[float] = (3.1,)) -> None:
        self._cuts = cuts
        self._rng = np.random.default_rng(seed)
        self._shots = [self._shot() for _ in range(len(cuts) + 1)]

    def at(self, seconds: float) -> Picture:
        ground, pan, players = self._shots[sum(seconds >= cut for cut in self._cuts)]
        swing = np.sin(np.outer(pan[0], [seconds]).T + pan[1]) * pan[2]
        centre = (
            ground.shape[1] / 2 + swing[0, :3].sum(),
            ground.shape[0] / 2 + swing[0, 3:].sum(),
        )
        picture = cv2.getRectSubPix(ground, (WIDTH, HEIGHT), centre)
        for speed, phase, reach, shade in players:
            x = WIDTH * (0.5 + reach * np.sin(speed * seconds + phase))
            y = HEIGHT * (0.5 + reach * np.cos(0.7 * speed * seconds + 2 * phase))
            cv2.ellipse(picture, (int(x), int(y)), (8, 16), 0, 0, 360, int(shade), -1)
        return np.asarray(picture, dtype=np.uint8)

    def _shot(self) -> tuple[Picture, NDArray[np.float64], list[NDArray[np.float64]]]:
        rng = self._rng
        ground = np.zeros((512, 768), np.float32)
        for grain in (8, 24, 96):
            coarse = rng.normal(size=(512 // grain + 2, 768 // grain + 2)).astype(np.float32)
            layer = cv2.resize(coarse, (768, 512), interpolation=cv2.INTER_CUBIC)
            ground += layer / layer.std()
        shades = np.clip(120 + 30 * ground, 0, 255).astype(np.uint8)
        pan = np.stack([rng.uniform(0.3, 2.5, 6), rng.uniform(0, 6, 6), rng.uniform(10, 45, 6)])
        players = [
            np.array([rng.uniform(0.5, 3), rng.uniform(0, 6), rng.uniform(0.1, 0.4), shade])
            for shade in rng.uniform(0, 255, 6)
        ]
        return shades, pan, players


@dataclass(frozen=True)
class Take:
    """How a film is cut, edited and encoded into a file."""

    seconds: float = 6.0
    start: float = 0.0
    speed: float = 1.0
    fps: int = FPS
    size: tuple[int, int] | None = None
    crf: int = 26
    edit: Edit | None = None
    lead_in: float = 0.0
    end_card: float = 0.0


def render(path: Path, film: Film, take: Take | None = None) -> Path:
    take = take or Take()
    pictures = [film.at(take.start + n / take.fps * take.speed) for n in _frame_numbers(take)]
    if take.edit is not None:
        pictures = [take.edit(picture) for picture in pictures]
    if take.size is not None:
        pictures = [np.asarray(cv2.resize(p, take.size), np.uint8) for p in pictures]
    black = np.full_like(pictures[0], 16)
    card = cv2.circle(np.full_like(pictures[0], 30), (80, 80), 50, 220, -1)
    pictures = [black] * round(take.lead_in * take.fps) + pictures
    pictures += [np.asarray(card, np.uint8)] * round(take.end_card * take.fps)
    return encode(path, pictures, take.fps, take.crf)


def encode(
    path: Path,
    pictures: Sequence[Picture],
    fps: int = FPS,
    crf: int = 26,
    times: Sequence[int] | None = None,
    sample_aspect: Fraction | None = None,
) -> Path:
    """H.264 in mp4; `times` are in milliseconds, for a variable rate."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=fps)
        stream.height, stream.width = pictures[0].shape[:2]
        stream.pix_fmt = "yuv420p" if not (stream.width % 2 or stream.height % 2) else "yuv444p"
        stream.options = {"preset": "ultrafast", "crf": str(crf)}
        if sample_aspect is not None:
            stream.codec_context.sample_aspect_ratio = sample_aspect
        if times is not None:
            stream.codec_context.time_base = Fraction(1, 1000)
        for number, picture in enumerate(pictures):
            frame = av.VideoFrame.from_ndarray(picture, format="gray")
            if times is not None:
                frame.pts, frame.time_base = times[number], Fraction(1, 1000)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


def letterbox(picture: Picture) -> Picture:
    return np.pad(picture, ((70, 70), (0, 0)), constant_values=16)


def mirror(picture: Picture) -> Picture:
    return np.ascontiguousarray(picture[:, ::-1])


def watermark(picture: Picture) -> Picture:
    marked = picture.copy()
    cv2.rectangle(marked, (230, 8), (310, 30), 200, -1)
    cv2.putText(marked, "GOALS", (60, 100), cv2.FONT_HERSHEY_SIMPLEX, 1.2, 255, 3)
    marked[160:] = 40
    return marked


def caption(picture: Picture) -> Picture:
    band = np.full((54, picture.shape[1]), 235, np.uint8)
    cv2.putText(band, "WHAT A GOAL", (40, 36), cv2.FONT_HERSHEY_SIMPLEX, 0.9, 0, 2)
    return np.vstack([band, picture])


def cropped(picture: Picture) -> Picture:
    return np.ascontiguousarray(picture[9:-9, 16:-16])


def graded(picture: Picture) -> Picture:
    return np.clip(picture.astype(np.float32) * 1.3 - 10, 0, 255).astype(np.uint8)


def _frame_numbers(take: Take) -> range:
    return range(round(take.seconds / take.speed * take.fps))
