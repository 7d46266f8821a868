"""H9: the original system's hash of a clip, and its matcher (H1), for interchange.

`dense:0.25:`, then `0.25=` and a 64-bit dHash in hex for each quarter second, separated by commas.
"""

import re
from dataclasses import dataclass

import imagehash
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps

from footy_assets.errors import BadInput
from footy_assets.media.decode import SAMPLES_PER_SECOND, Gray

SCHEME = "dense:"
INTERVAL = 0.25
PREFIX = f"{SCHEME}{INTERVAL}:"
# The original leaves out the end of a film, where some decoders fail.
WITHOUT_LAST_SECONDS = 0.3
# Brightness of a black, white or one-coloured frame varies by less than this.
FLAT_DEVIATION = 4.0
# What dHash makes of a flat frame anyway; readers that do not know the rule still parse it.
FLAT_HASH = "0" * 16

# H1
MAX_DISTANCE = 10
CONSECUTIVE = 3

FRAME = re.compile(r"(?:(?P<seconds>\d{1,6}(?:\.\d{1,6})?)=)?(?P<hash>[0-9a-fA-F]{1,16})")


def dense_string(samples: Gray) -> str:
    """H1: a frame each 0.25 s, histogram equalised, 9×8 gray, dHash. Flat frames are zero.

    The first is at 0.25 s; of a film that is too short for it, the first of all.
    """
    every = round(INTERVAL * SAMPLES_PER_SECOND)
    ends = len(samples) / SAMPLES_PER_SECOND - WITHOUT_LAST_SECONDS
    wanted = [n for n in range(every, len(samples), every) if n / SAMPLES_PER_SECOND < ends] or [0]
    return PREFIX + ",".join(
        f"{number / SAMPLES_PER_SECOND:.2f}={_frame_hash(samples[number])}" for number in wanted
    )


def _frame_hash(sample: Gray) -> str:
    if float(sample.std()) < FLAT_DEVIATION:
        return FLAT_HASH
    picture = ImageOps.equalize(Image.fromarray(sample))
    return str(imagehash.dhash(picture, hash_size=8))


@dataclass(frozen=True, slots=True)
class DenseHash:
    """A parsed hash. Flat frames are zero, and no evidence."""

    seconds: NDArray[np.float64]
    hashes: NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class DenseMatch:
    """The longest run of frames that agree, and how much later it is in the first clip."""

    match: bool
    frames: int
    offset_seconds: float


def parse_dense(text: str) -> DenseHash:
    """Reads a hash string, also one without times, as earlier versions wrote it."""
    text = text.strip()
    if not text.startswith(PREFIX):
        raise BadInput(
            f"{text[:40]!r} is not a hash of a clip",
            f"It must start with {PREFIX}, as `footy clip hash --format dense` prints it",
        )
    seconds, hashes = [], []
    for number, part in enumerate(filter(None, text.removeprefix(PREFIX).split(","))):
        frame = FRAME.fullmatch(part)
        if frame is None:
            raise BadInput(
                f"frame {number + 1} of the dense: hash is {part[:40]!r}",
                "It must be a time, =, and up to 16 hex digits, for example 0.25=a3f8b2e1c9d4f5a2",
            )
        seconds.append(float(frame["seconds"] or number * INTERVAL))
        hashes.append(int(frame["hash"], 16))
    return DenseHash(np.array(seconds), np.array(hashes, dtype=np.uint64))


def match_dense(a: DenseHash, b: DenseHash) -> DenseMatch:
    """H1: three consecutive frames at one offset with a Hamming distance of at most 10."""
    near = np.bitwise_count(a.hashes[:, None] ^ b.hashes[None, :]) <= MAX_DISTANCE
    near &= (a.hashes != 0)[:, None] & (b.hashes != 0)[None, :]
    length, row, column = longest_run(near)
    offset = float(a.seconds[row] - b.seconds[column]) if length else 0.0
    return DenseMatch(length >= CONSECUTIVE, length, round(offset, 2))


def longest_run(near: NDArray[np.bool_]) -> tuple[int, int, int]:
    """The longest run of `near[frame of a, frame of b]` at one offset: its length, and where in
    both it starts."""
    found, begun, length = (0, 0, 0), near, 0
    while begun.any():
        length += 1
        row, column = np.unravel_index(int(begun.argmax()), begun.shape)
        found = length, int(row), int(column)
        begun = begun[:-1, :-1] & near[length:, length:]
    return found
