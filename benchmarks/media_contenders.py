"""The algorithms that the media benchmarks compare `footy_assets.media` with.

Each function returns a callable to time; its input is prepared beforehand.
"""

import importlib
import math
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import av
import imagehash
import numpy as np

from benchmarks.h1_matcher import h1_match_in_loops, has_run
from benchmarks.media_samples import SECONDS, SyntheticClips
from footy_assets.media.dense_hash import CONSECUTIVE, INTERVAL, MAX_DISTANCE

Work = Callable[[], object]

VpdqFrame = tuple[int, bytes]

# vPDQ's usual settings, with one hash per second: the largest distance of two similar frames, the
# lowest quality of a frame that counts, and the share of similar frames that a match needs.
VPDQ_DISTANCE = 31
VPDQ_QUALITY = 50
VPDQ_SHARE = 0.8


def decode_only(video: Path) -> None:
    with av.open(str(video)) as container:
        container.streams.video[0].codec_context.thread_count = 1
        for _ in container.decode(video=0):
            pass


def ffmpeg_per_frame(video: Path) -> None:
    """Seek to each quarter second with a new process."""
    import imageio_ffmpeg

    program = imageio_ffmpeg.get_ffmpeg_exe()
    with av.open(str(video)) as container:
        seconds = (container.duration or 0) / av.time_base
    for number in range(math.ceil(seconds / INTERVAL)):
        at = f"{number * INTERVAL:.2f}"
        command = [program, "-v", "error", "-nostdin", "-threads", "1", "-ss", at, "-i", str(video)]
        command += ["-frames:v", "1", "-vf", "scale=9:8,format=gray", "-f", "rawvideo", "-"]
        subprocess.run(command, check=True, capture_output=True)


def h1_in_loops(clips: SyntheticClips) -> Work:
    query, others = clips.query_hashes.tolist(), [hashes.tolist() for hashes in clips.hashes]
    return lambda: [h1_match_in_loops(query, other) for other in others]


def h1_on_objects(clips: SyntheticClips, pairs: int) -> Work:
    """H1 as ImageHash's readme shows it: `hash - hash` is the distance."""
    query, *others = (_image_hashes(h) for h in [clips.query_hashes, *clips.hashes[:pairs]])
    return lambda: [_match_on_objects(query, other) for other in others]


def h1_in_numpy(clips: SyntheticClips) -> Work:
    query = clips.query_hashes
    return lambda: [
        has_run(np.bitwise_count(query[:, None] ^ hashes[None, :]) <= MAX_DISTANCE)
        for hashes in clips.hashes
    ]


def vpdq_in_loops(pairs: int) -> Work | None:
    """vPDQ's brute-force matcher, on the package's own distance function: how many frames of either
    clip have a near one in the other. None if the package is not installed."""
    vpdq = _vpdq()
    if vpdq is None:
        return None
    rng = np.random.default_rng(1)

    def clip() -> list[object]:
        made = rng.integers(0, 256, (SECONDS, 32), dtype=np.uint8)
        return [vpdq.str_to_hash(row.tobytes().hex()) for row in made]

    query, others = clip(), [clip() for _ in range(pairs)]
    distance = vpdq.hamming_distance

    def near(mine: list[object], theirs: list[object]) -> int:
        return sum(any(distance(a, b) <= VPDQ_DISTANCE for b in theirs) for a in mine)

    return lambda: [(near(query, other), near(other, query)) for other in others]


def vpdq_frames(path: Path) -> list[VpdqFrame] | None:
    """Quality and hash of one frame per second; None if the package is not installed."""
    vpdq = _vpdq()
    if vpdq is None:
        return None
    return [(f.quality, bytes.fromhex(f.hex)) for f in vpdq.computeHash(str(path), thread_count=1)]


def vpdq_match(mine: list[VpdqFrame], theirs: list[VpdqFrame]) -> bool:
    """Whether most good frames of one of the two have a near frame in the other."""
    a, b = (
        np.frombuffer(b"".join(h for quality, h in frames if quality >= VPDQ_QUALITY), np.uint64)
        for frames in (mine, theirs)
    )
    if not len(a) or not len(b):
        return False
    a, b = a.reshape(-1, 4), b.reshape(-1, 4)
    distance = np.bitwise_count(a[:, None] ^ b[None]).sum(axis=2, dtype=int)
    near = distance <= VPDQ_DISTANCE
    return bool(max(near.any(axis=0).mean(), near.any(axis=1).mean()) >= VPDQ_SHARE)


def vpdq_in_numpy(count: int) -> Work:
    """The same distances on one large array."""
    rng = np.random.default_rng(1)
    query = rng.integers(0, 2**63, (SECONDS, 4)).astype(np.uint64)
    stored = rng.integers(0, 2**63, (count * SECONDS, 4)).astype(np.uint64)

    def search() -> None:
        theirs = np.zeros(len(stored), bool)
        for frame in query:
            near = np.bitwise_count(stored ^ frame).sum(axis=1, dtype=np.uint16) <= VPDQ_DISTANCE
            theirs |= near
            near.reshape(count, SECONDS).any(axis=1)

    return search


def _vpdq() -> Any:
    """The package, or None: it is built from source against FFmpeg's headers, which not every
    machine has."""
    try:
        return importlib.import_module("vpdq")
    except ImportError:
        return None


def _image_hashes(values: np.ndarray) -> list[imagehash.ImageHash]:
    return [imagehash.hex_to_hash(f"{value:016x}") for value in values.tolist()]


def _match_on_objects(a: list[imagehash.ImageHash], b: list[imagehash.ImageHash]) -> bool:
    for offset in range(-len(b) + 1, len(a)):
        run = 0
        for i in range(max(0, offset), min(len(a), len(b) + offset)):
            run = run + 1 if a[i] - b[i - offset] <= MAX_DISTANCE else 0
            if run >= CONSECUTIVE:
                return True
    return False
