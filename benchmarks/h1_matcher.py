"""H1's matcher, on strings: the baseline of the media benchmarks."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from footy_assets.media.dense_hash import CONSECUTIVE, MAX_DISTANCE, match_dense, parse_dense


def h1_match(a: str, b: str) -> bool:
    return match_dense(parse_dense(a), parse_dense(b)).match


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
