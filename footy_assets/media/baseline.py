"""H1: the compatible baseline, for interchange with older stores and as the one to beat.

`dense:0.25:` and then one 64-bit dHash in hex for each quarter second, separated by commas.
"""

from collections.abc import Sequence

import imagehash
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps

from footy_assets.errors import BadInput
from footy_assets.media.decode import SAMPLES_PER_SECOND, Gray

INTERVAL = 0.25
PREFIX = f"dense:{INTERVAL}:"
NEAR = 10
CONSECUTIVE = 3
# Brightness of a black, white or one-coloured frame varies by less than this.
FLAT_DEVIATION = 4.0
# What dHash makes of a flat frame anyway; readers that do not know the rule still parse it.
FLAT_HASH = "0" * 16

Hashes = NDArray[np.uint64]
Known = NDArray[np.bool_]


def dense_string(samples: Gray) -> str:
    """H1: a frame each 0.25 s, histogram equalised, 9×8 gray, dHash. Flat frames are zero."""
    every = round(INTERVAL * SAMPLES_PER_SECOND)
    return PREFIX + ",".join(_frame_hash(sample) for sample in samples[::every])


def parse_dense(text: str) -> tuple[Hashes, Known]:
    """The hashes of a `dense:` string, and which of them are evidence."""
    if not text.startswith(PREFIX):
        raise BadInput("not a dense:0.25: hash string", "Hash the clip with `footy clip hash`")
    parts = [part for part in text.removeprefix(PREFIX).split(",") if part]
    try:
        hashes = np.array([int(part, 16) for part in parts], dtype=np.uint64)
    except (ValueError, OverflowError):
        raise BadInput("a dense: hash holds something that is not 64-bit hex") from None
    return hashes, hashes != 0


def baseline_match(a: str, b: str) -> bool:
    """H1: three consecutive frames at one offset with a Hamming distance of at most 10."""
    (left, left_known), (right, right_known) = parse_dense(a), parse_dense(b)
    if min(len(left), len(right)) < CONSECUTIVE:
        return False
    near = np.bitwise_count(left[:, None] ^ right[None, :]) <= NEAR
    near &= left_known[:, None] & right_known[None, :]
    run = near[:-2, :-2] & near[1:-1, 1:-1] & near[2:, 2:]
    return bool(run.any())


def baseline_match_in_loops(a: Sequence[int], b: Sequence[int]) -> bool:
    """H1 as first written, frame by frame in Python: what the benchmark measures against."""
    for offset in range(-len(b) + 1, len(a)):
        run = 0
        for i in range(max(0, offset), min(len(a), len(b) + offset)):
            near = (a[i] ^ b[i - offset]).bit_count() <= NEAR
            run = run + 1 if near else 0
            if run >= CONSECUTIVE:
                return True
    return False


def _frame_hash(sample: Gray) -> str:
    if float(sample.std()) < FLAT_DEVIATION:
        return FLAT_HASH
    picture = ImageOps.equalize(Image.fromarray(sample))
    return str(imagehash.dhash(picture, hash_size=8))
