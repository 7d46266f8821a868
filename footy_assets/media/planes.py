"""Codes as bits: two planes (is there a change, is it upwards), a row of five bytes a sample.

A third of the size of the codes themselves, and two stretches are compared by counting bits.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from footy_assets.media.fingerprint import HARMONICS, ODD, Codes

Bytes = NDArray[np.uint8]
Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

ROW_BYTES = (len(HARMONICS) + 7) // 8

# A second before and after a moment. Each view has so many empty rows before it.
REACH = 8
WINDOW_BYTES = 2 * REACH * ROW_BYTES
_TURNED = np.tile(np.packbits(ODD), 2 * REACH).view(np.uint64)
# Less evidence than this part of a window's codes is counted as this much.
LEAST_PART = 0.25
LEAST_EVIDENCE = LEAST_PART * 2 * REACH * len(HARMONICS)
# How many windows are looked at at once, to bound the memory.
AT_ONCE = 8192


@dataclass(frozen=True, slots=True)
class Planes:
    """The bits of many clips, one after the other: `starts[clip]` is its first row."""

    changed: Bytes
    upward: Bytes
    starts: Ints
    samples: Ints

    @classmethod
    def of(cls, clips: Sequence[tuple[Bytes, Bytes]], samples: Sequence[int]) -> "Planes":
        """From what `packed` gives for each clip."""
        rows = [0, *(len(changed) for changed, _ in clips)]
        end = np.zeros((REACH, ROW_BYTES), np.uint8)
        return cls(
            changed=np.concatenate([*(changed for changed, _ in clips), end]),
            upward=np.concatenate([*(upward for _, upward in clips), end]),
            starts=np.cumsum(rows)[:-1],
            samples=np.array(samples, dtype=np.int64),
        )

    @property
    def nbytes(self) -> int:
        return self.changed.nbytes + self.upward.nbytes + self.starts.nbytes + self.samples.nbytes

    def place(self, rows: Ints) -> tuple[Ints, Ints, Ints]:
        """Clip, view and sample of each row."""
        clips = np.searchsorted(self.starts, rows, side="right") - 1
        views, samples = np.divmod(rows - self.starts[clips], self.samples[clips] + REACH)
        return clips, views, samples - REACH

    def codes(self, clip: int, view: int | None = None) -> Codes:
        """A clip's codes as they were, or those of one view."""
        after = self.starts[clip + 1] if clip + 1 < len(self.starts) else len(self.changed) - REACH
        first, height = int(self.starts[clip]), int(self.samples[clip]) + REACH
        rows = slice(first, int(after))
        if view is not None:
            rows = slice(first + view * height, first + (view + 1) * height)
        changed, upward = _unpacked(self.changed[rows]), _unpacked(self.upward[rows])
        codes = (changed * (2 * upward - 1)).reshape(-1, height, len(HARMONICS))[:, REACH:]
        return codes if view is None else codes[0]

    def windows(self, rows: Ints) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """The bits around each row."""
        return _windows(self.changed, rows), _windows(self.upward, rows)


def rows_of(samples: int, views: Ints, moments: Ints) -> Ints:
    """Where in its clip a sample of a view is."""
    return views * (samples + REACH) + REACH + moments


def packed(codes: Codes) -> tuple[Bytes, Bytes]:
    """The two planes of a clip, with the empty rows before each view."""
    views, samples, harmonics = codes.shape
    padded = np.zeros((views, samples + REACH, 8 * ROW_BYTES), np.int8)
    padded[:, REACH:, :harmonics] = codes
    changed, upward = np.packbits(padded.view(bool)), np.packbits(padded > 0)
    return changed.reshape(-1, ROW_BYTES), upward.reshape(-1, ROW_BYTES)


def agreement_around(
    mine: Planes, here: Ints, theirs: Planes, there: Ints
) -> tuple[Floats, NDArray[np.bool_]]:
    """How well a second either side of each pair of rows agrees, and whether better mirrored."""
    parts = [
        _agreement(mine.windows(here[n : n + AT_ONCE]), theirs.windows(there[n : n + AT_ONCE]))
        for n in range(0, len(here), AT_ONCE)
    ]
    if not parts:
        return np.zeros(0, np.float32), np.zeros(0, bool)
    agreed, mirrored = zip(*parts, strict=True)
    return np.concatenate(agreed), np.concatenate(mirrored)


def _agreement(
    mine: tuple[NDArray[np.uint64], NDArray[np.uint64]],
    theirs: tuple[NDArray[np.uint64], NDArray[np.uint64]],
) -> tuple[Floats, NDArray[np.bool_]]:
    both = mine[0] & theirs[0]
    differing = (mine[1] ^ theirs[1]) & both
    flipped = _counted(both & _TURNED) - 2 * _counted(differing & _TURNED)
    plain = _counted(both) - 2 * _counted(differing)
    turned = plain - 2 * flipped
    evidence = np.sqrt(_counted(mine[0]) * _counted(theirs[0]))
    agreed = np.maximum(plain, turned) / np.maximum(evidence, np.float32(LEAST_EVIDENCE))
    return agreed, turned > plain


def _counted(bits: NDArray[np.uint64]) -> Floats:
    return np.asarray(np.bitwise_count(bits).sum(axis=1, dtype=np.uint16), dtype=np.float32)


def _windows(plane: Bytes, rows: Ints) -> NDArray[np.uint64]:
    shape = (len(plane) - 2 * REACH + 1, WINDOW_BYTES)
    all_windows = as_strided(plane, shape, (ROW_BYTES, 1), writeable=False)
    return all_windows[rows - REACH].view(np.uint64)


def _unpacked(plane: Bytes) -> NDArray[np.int8]:
    return np.unpackbits(plane, axis=1, count=len(HARMONICS)).view(np.int8)
