"""Measures motion in the gray samples: cuts, still stretches, and the camera's pan."""

from dataclasses import astuple, dataclass, fields

import cv2
import numpy as np
from numpy.typing import NDArray

from footy_assets.media.decode import SAMPLES_PER_SECOND, Gray

# Two consecutive samples that correlate less and change more than this are a cut.
CUT_CORRELATION = 0.5
CUT_CHANGE = 12.0
STILL_CHANGE = 0.8
# The pan is measured between this many pairs of samples.
SHIFT_PAIRS = 12


@dataclass(frozen=True, slots=True)
class MotionEvidence:
    """Change in gray levels per sample; `pan` in parts of the picture per second."""

    cuts_per_second: float
    change: float
    still: float
    pan: float
    pan_steadiness: float

    def values(self) -> list[float]:
        return [float(value) for value in astuple(self)]


MOTION_NAMES = tuple(field.name for field in fields(MotionEvidence))


def motion_evidence(samples: Gray) -> MotionEvidence:
    if len(samples) < 3:
        return MotionEvidence(0.0, 0.0, 1.0, 0.0, 0.0)
    changes, cuts = _changes_and_cuts(samples)
    shifts = _shifts(samples, cuts)
    speed = float(np.median(np.hypot(*shifts.T)))
    mean = float(np.hypot(*shifts.mean(axis=0)))
    return MotionEvidence(
        cuts_per_second=float(cuts.sum()) * SAMPLES_PER_SECOND / len(samples),
        change=float(np.median(changes)) / 8,
        still=float((changes < STILL_CHANGE).mean()),
        pan=min(2.0, speed * SAMPLES_PER_SECOND),
        pan_steadiness=mean / (float(np.hypot(*shifts.T).mean()) + 0.002),
    )


def cuts_in(samples: Gray) -> NDArray[np.bool_]:
    """Whether there is a cut after each sample but the last."""
    return _changes_and_cuts(samples)[1]


def _changes_and_cuts(samples: Gray) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    small = samples[:, ::4, ::4].astype(np.float32)
    changes = np.abs(np.diff(small, axis=0)).mean(axis=(1, 2))
    flat = small.reshape(len(small), -1)
    flat = flat - flat.mean(axis=1, keepdims=True)
    norms = np.linalg.norm(flat, axis=1) + 1e-3
    correlation = (flat[1:] * flat[:-1]).sum(axis=1) / (norms[1:] * norms[:-1])
    return changes, (correlation < CUT_CORRELATION) & (changes > CUT_CHANGE)


def _shifts(samples: Gray, cuts: np.ndarray) -> np.ndarray:
    """The shift of the whole picture between consecutive samples, x and y in parts of it."""
    pairs = np.flatnonzero(~cuts)
    if len(pairs) == 0:
        return np.zeros((1, 2))
    chosen = pairs[np.linspace(0, len(pairs) - 1, min(SHIFT_PAIRS, len(pairs))).astype(int)]
    window = cv2.createHanningWindow((64, 64), cv2.CV_32F)
    shifts = []
    for at in chosen:
        before, after = (samples[at + n, ::2, ::2].astype(np.float32) for n in (0, 1))
        (x, y), _ = cv2.phaseCorrelate(before, after, window)
        shifts.append((x / 64, y / 64))
    return np.array(shifts)
