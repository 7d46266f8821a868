"""H1's matcher: the baseline of the media benchmarks."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from footy_assets.media.dense_hash import PREFIX

MAX_DISTANCE = 10
CONSECUTIVE = 3

Hashes = NDArray[np.uint64]
Evidence = NDArray[np.bool_]


def parse_dense(text: str) -> tuple[Hashes, Evidence]:
    """The hashes of a `dense:` string, and which of them are evidence: flat frames are not."""
    if not text.startswith(PREFIX):
        raise ValueError("not a dense:0.25: hash string")
    parts = [part for part in text.removeprefix(PREFIX).split(",") if part]
    try:
        hashes = np.array([int(part, 16) for part in parts], dtype=np.uint64)
    except (ValueError, OverflowError):
        raise ValueError("a dense: hash holds something that is not 64-bit hex") from None
    return hashes, hashes != 0


def h1_match(a: str, b: str) -> bool:
    """H1: three consecutive frames at one offset with a Hamming distance of at most 10."""
    (left, left_evidence), (right, right_evidence) = parse_dense(a), parse_dense(b)
    if min(len(left), len(right)) < CONSECUTIVE:
        return False
    near = np.bitwise_count(left[:, None] ^ right[None, :]) <= MAX_DISTANCE
    return has_run(near & left_evidence[:, None] & right_evidence[None, :])


def has_run(near: NDArray[np.bool_]) -> bool:
    """Whether `near[frame of a, frame of b]` holds for three consecutive frames at one offset."""
    return bool((near[:-2, :-2] & near[1:-1, 1:-1] & near[2:, 2:]).any())


def h1_match_in_loops(a: Sequence[int], b: Sequence[int]) -> bool:
    """H1 as first written, frame by frame in Python."""
    for offset in range(-len(b) + 1, len(a)):
        run = 0
        for i in range(max(0, offset), min(len(a), len(b) + offset)):
            near = (a[i] ^ b[i - offset]).bit_count() <= MAX_DISTANCE
            run = run + 1 if near else 0
            if run >= CONSECUTIVE:
                return True
    return False
