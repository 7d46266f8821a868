"""Two clips that seem to meet at some moment: at which speed and offset do they agree best?

Agreements of all pairs of samples are one matrix product. A speed and an offset are a line through
the matrix; only lines that pass near the meeting are tried.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footy_assets.media.alignment import (
    FINE_SPEEDS,
    MIN_EVIDENCE,
    SPEEDS,
    WORTH_REFINING,
    Alignment,
    least_overlap,
    plausible,
)
from footy_assets.media.fingerprint import HARMONICS, ODD, Codes

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

# How far from the meeting a line may pass, in samples; and how far from the best of those a finer
# one. Codes hold for three or four samples, so every second line is enough at first.
MISSES = np.arange(-4, 5, 2)
FINE_MISSES = np.arange(-2, 3)
# Products of at most so many steps stay on one core. Larger ones wake the threads of BLAS, whose
# waiting costs far more than the arithmetic.
STEPS_AT_ONCE = 200_000


@dataclass(frozen=True, slots=True)
class Meeting:
    """Sample `mine` of a view of the reference shows the same as sample `theirs` of a view of the
    other clip, if one is mirrored or not."""

    reference: int
    view: int
    mine: int
    theirs: int
    mirrored: bool


def fitted(reference: Codes, other: Codes, meeting: Meeting) -> Alignment | None:
    """The most surprising line near a meeting of two views; none if they share too little there."""
    mine, theirs = reference.astype(np.float32), other.astype(np.float32)
    if meeting.mirrored:
        theirs = np.where(ODD, -theirs, theirs)
    lines = _Lines(mine, theirs, meeting)
    found = lines.best(SPEEDS, MISSES)
    if found is None or found.surprise < WORTH_REFINING:
        return found
    missed = found.offset - round(meeting.mine / found.speed) + meeting.theirs
    speeds = tuple(found.speed * factor for factor in FINE_SPEEDS)
    finer = lines.best(speeds, missed + FINE_MISSES)
    return found if finer is None or finer.surprise <= found.surprise else finer


class _Lines:
    def __init__(self, mine: Floats, theirs: Floats, meeting: Meeting) -> None:
        self._mine, self._theirs, self._meeting = len(mine), len(theirs), meeting
        # One row and one column of nothing, for what lies outside.
        self._agreed = np.zeros((len(mine) + 1, len(theirs) + 1), np.float32)
        at_once = max(1, STEPS_AT_ONCE // theirs.size)
        for begin in range(0, len(mine), at_once):
            rows = mine[begin : begin + at_once]
            self._agreed[begin : begin + len(rows), :-1] = rows @ theirs.T
        self._told = np.append(np.count_nonzero(mine, axis=1), 0)
        self._heard = np.concatenate([[0], np.count_nonzero(theirs, axis=1).cumsum()])

    def best(self, speeds: tuple[float, ...], misses: Ints) -> Alignment | None:
        """Arrays are `[speed, miss]`, or `[speed, miss, sample as played]`."""
        speed = np.array(speeds)[:, None]
        length = np.maximum(2, np.rint(self._mine / speed)).astype(int)
        played = np.arange(length.max())
        sample = np.minimum(np.rint(played * speed).astype(int), self._mine - 1)
        sample[played >= length] = self._mine
        told = np.zeros((len(speed), len(played) + 1))
        self._told[sample].cumsum(axis=1, out=told[:, 1:])
        offset = np.rint(self._meeting.mine / speed).astype(int) - self._meeting.theirs + misses
        first = np.maximum(offset, 0)
        last = np.maximum(first, np.minimum(offset + self._theirs, length))
        enough = last - first >= least_overlap(length, self._theirs)
        if not enough.any():
            return None
        partner = np.clip(played - offset[:, :, None], -1, self._theirs)
        agreed = self._agreed[sample[:, None], partner].sum(axis=2)
        row = np.arange(len(speed))[:, None]
        heard = self._heard[np.clip(last - offset, 0, None)]
        heard = heard - self._heard[np.clip(first - offset, 0, self._theirs)]
        evidence = np.sqrt((told[row, last] - told[row, first]) * heard)
        evidence = np.maximum(evidence, MIN_EVIDENCE * len(HARMONICS))
        weight = np.array([plausible(each) for each in speeds])[:, None]
        surprise = np.where(enough, agreed * weight / np.sqrt(evidence * len(HARMONICS)), -np.inf)
        at = np.unravel_index(int(surprise.argmax()), surprise.shape)
        return Alignment(
            surprise=float(surprise[at]),
            score=float(agreed[at] / evidence[at]),
            offset=int(offset[at]),
            overlap=int(last[at] - first[at]),
            mirrored=self._meeting.mirrored,
            speed=speeds[at[0]],
            reference=self._meeting.reference,
            view=self._meeting.view,
        )
