"""Input for the media benchmark: a rendered video and fingerprints of synthetic clips."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import av
import cv2
import numpy as np
from numpy.typing import NDArray

from footy_assets.media import Fingerprint
from footy_assets.media.fingerprint import HARMONICS, LAG, STRIP

SECONDS = 30
SAMPLES = SECONDS * 8
HASHES = SECONDS * 4


@dataclass(frozen=True, slots=True)
class SyntheticClips:
    """Clips, and queries that each have one damaged copy among the clips: `copies[n]` is the index
    of the copy of `queries[n]`. `hashes` are H1's, of as many unrelated clips."""

    clips: list[Fingerprint]
    queries: list[Fingerprint]
    copies: list[int]
    hashes: list[NDArray[np.uint64]]
    query_hashes: NDArray[np.uint64]


def synthetic_clips(count: int, query_count: int, noise: float = 0.15) -> SyntheticClips:
    """Clips whose codes keep their sign for about as long as those of real footage do.

    A copy begins a second later and a seventh of its codes are wrong.
    """
    rng = np.random.default_rng(7)
    clips = [_synthetic_fingerprint(rng) for _ in range(count)]
    queries = [_synthetic_fingerprint(rng) for _ in range(query_count)]
    copies = rng.choice(count, query_count, replace=False).tolist()
    for copy, query in zip(copies, queries, strict=True):
        codes = np.roll(query.codes, -8, axis=1)
        wrong = rng.random(codes.shape) < noise
        clips[copy] = Fingerprint(SECONDS, np.where(wrong, -codes, codes).astype(np.int8))
    hashes = [rng.integers(1, 2**63, HASHES).astype(np.uint64) for _ in range(count)]
    query_hashes = rng.integers(1, 2**63, HASHES).astype(np.uint64)
    return SyntheticClips(clips, queries, copies, hashes, query_hashes)


def render_video(path: Path, seconds: int = 10) -> Path:
    """Write a 1080p video at 25 frames a second, like a broadcast clip."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=25)
        stream.width, stream.height, stream.pix_fmt = 1920, 1080, "yuv420p"
        stream.options = {"preset": "veryfast", "crf": "21"}
        for picture in panning_frames(seconds * 25):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="gray")))
        container.mux(stream.encode())
    return path


def panning_frames(count: int) -> Iterator[NDArray[np.uint8]]:
    """1920×1080 frames that pan over a textured ground with film grain."""
    rng = np.random.default_rng(2)
    ground = np.zeros((1400, 2600), np.float32)
    for grain in (6, 40, 200):
        coarse = rng.normal(size=(1400 // grain + 2, 2600 // grain + 2)).astype(np.float32)
        ground += cv2.resize(coarse, (2600, 1400), interpolation=cv2.INTER_CUBIC) * 25
    shades = np.clip(ground + 120, 20, 235).astype(np.uint8)
    grain = rng.normal(8, 2.5, (1200, 2100)).clip(0, 16).astype(np.uint8)
    for number in range(count):
        left, top = (int(300 + 290 * np.sin(number / speed)) for speed in (31, 47))
        picture = shades[top // 2 : top // 2 + 1080, left : left + 1920]
        down, right = rng.integers(120), rng.integers(180)
        yield picture + grain[down : down + 1080, right : right + 1920]


def _synthetic_fingerprint(rng: np.random.Generator) -> Fingerprint:
    shape = (STRIP + 1, SAMPLES + 2 * LAG + 1, len(HARMONICS))
    # Neighbouring views overlap: half of the signal of each comes from the whole picture.
    own, shared = rng.normal(size=shape), rng.normal(size=(1, *shape[1:]))
    walk = (own * 0.5 + shared).cumsum(axis=1)
    change = walk[:, 2 * LAG + 1 :] - walk[:, : -2 * LAG - 1]
    threshold = 0.7 * np.median(np.abs(change), axis=1, keepdims=True)
    codes = np.sign(change) * (np.abs(change) > threshold)
    return Fingerprint(float(SECONDS), codes.astype(np.int8))
