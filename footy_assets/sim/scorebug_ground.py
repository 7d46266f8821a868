"""Football-like pictures that move: a striped pitch, players, boards, a crowd, cuts."""

from collections.abc import Iterable
from pathlib import Path

import av
import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]

WIDTH, HEIGHT = 640, 360
SECONDS_A_SHOT = 7.0
BOARDS = ("BETNOW", "FLY 24:7", "COLA ZERO", "0800 555", "SINCE 1921", "KREDIT 4.9")


class Footage:
    """A picture for every moment; the same seed is the same film at any frame rate."""

    def __init__(self, seed: int, width: int = WIDTH, height: int = HEIGHT) -> None:
        self._rng = np.random.default_rng(seed)
        self._size = width, height
        self._shots: list[_Shot] = []

    def at(self, seconds: float) -> Picture:
        number = int(seconds // SECONDS_A_SHOT)
        while len(self._shots) <= number:
            self._shots.append(_Shot(self._rng, *self._size))
        return self._shots[number].at(seconds % SECONDS_A_SHOT)


class _Shot:
    def __init__(self, rng: np.random.Generator, width: int, height: int) -> None:
        self._size = width, height
        self._ground = _ground(rng, 2 * width, height + height // 2)
        self._pan = rng.uniform(0.2, 1.2), rng.uniform(0, 6), rng.uniform(0.15, 0.45)
        self._tilt = rng.uniform(0.2, 0.9), rng.uniform(0, 6)
        self._players = [
            (rng.uniform(0.3, 1.5), rng.uniform(0, 6), rng.uniform(0.1, 0.45), _shirt(rng))
            for _ in range(9)
        ]

    def at(self, seconds: float) -> Picture:
        width, height = self._size
        speed, phase, reach = self._pan
        across = width * (1 + reach * np.sin(speed * seconds + phase))
        down = 0.75 * height * (1 + 0.3 * np.sin(self._tilt[0] * seconds + self._tilt[1]))
        picture = cv2.getRectSubPix(self._ground, self._size, (float(across), float(down)))
        tall = height // 12
        for speed, phase, reach, shirt in self._players:
            x = int(width * (0.5 + reach * np.sin(speed * seconds + phase)))
            y = int(height * (0.6 + 0.7 * reach * np.cos(0.7 * speed * seconds + 2 * phase)))
            cv2.ellipse(picture, (x, y), (tall // 3, tall // 2), 0, 0, 360, shirt, -1)
            cv2.circle(picture, (x, y - tall // 2), tall // 4, (120, 160, 200), -1)
        return np.asarray(picture, dtype=np.uint8)


def write_film(path: Path, pictures: Iterable[Picture], fps: int, crf: int = 28) -> Path:
    """H.264 in mp4, as small re-encodes come."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=fps)
        stream.pix_fmt = "yuv420p"
        stream.options = {"preset": "superfast", "crf": str(crf)}
        stream.thread_count = 1
        for number, picture in enumerate(pictures):
            if number == 0:
                stream.height, stream.width = picture.shape[:2]
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="bgr24")))
        container.mux(stream.encode())
    return path


def _ground(rng: np.random.Generator, width: int, height: int) -> Picture:
    """Crowd above, a row of boards, striped grass with lines below."""
    ground = np.zeros((height, width, 3), np.uint8)
    crowd, boards = height // 4, height // 4 + height // 14
    people = rng.integers(20, 230, (crowd // 4 + 1, width // 4, 3)).astype(np.uint8)
    ground[:crowd] = cv2.resize(people, (width, crowd), interpolation=cv2.INTER_LINEAR)
    ground[crowd:boards] = rng.integers(30, 200, 3)
    for number, text in enumerate(rng.permutation(BOARDS)):
        at = number * width // len(BOARDS) + 10, boards - height // 50
        cv2.putText(ground, str(text), at, cv2.FONT_HERSHEY_DUPLEX, 0.8, (250, 250, 250), 2)
    green = np.array([rng.integers(30, 70), rng.integers(110, 170), rng.integers(30, 80)])
    stripes = (np.arange(width) // (width // 16)) % 2
    grass = green + stripes[:, None] * 14 + rng.normal(0, 6, (height - boards, width, 1))
    ground[boards:] = np.clip(grass, 0, 255).astype(np.uint8)
    for x in rng.integers(0, width, 3).tolist():
        cv2.line(ground, (x, boards), (x + width // 8, height), (235, 240, 235), 3)
    cv2.ellipse(ground, (width // 2, height), (width // 6, height // 4), 0, 0, 360, (235,) * 3, 3)
    return ground


def _shirt(rng: np.random.Generator) -> tuple[int, int, int]:
    blue, green, red = rng.integers(0, 256, 3).tolist()
    return blue, green, red
