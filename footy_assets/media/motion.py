"""How a clip moves: cuts, calm, and the camera's pan, from the gray samples."""

from dataclasses import astuple, dataclass, fields

import cv2
import numpy as np

from footy_assets.media.decode import SAMPLES_PER_SECOND, Gray

# Two samples an eighth of a second apart that agree less than this are two shots.
CUT_AGREEMENT = 0.5
CUT_CHANGE = 12.0
STILL_CHANGE = 0.8
# The camera's way is measured between so many pairs of samples.
PAIRS = 12


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
    small = samples[:, ::4, ::4].astype(np.float32)
    changes = np.abs(np.diff(small, axis=0)).mean(axis=(1, 2))
    flat = small.reshape(len(small), -1)
    flat = flat - flat.mean(axis=1, keepdims=True)
    norms = np.linalg.norm(flat, axis=1) + 1e-3
    agreement = (flat[1:] * flat[:-1]).sum(axis=1) / (norms[1:] * norms[:-1])
    cuts = (agreement < CUT_AGREEMENT) & (changes > CUT_CHANGE)
    ways = _ways(samples, cuts)
    speed = float(np.median(np.hypot(*ways.T)))
    mean = float(np.hypot(*ways.mean(axis=0)))
    return MotionEvidence(
        cuts_per_second=float(cuts.sum()) * SAMPLES_PER_SECOND / len(samples),
        change=float(np.median(changes)) / 8,
        still=float((changes < STILL_CHANGE).mean()),
        pan=min(2.0, speed * SAMPLES_PER_SECOND),
        pan_steadiness=mean / (float(np.hypot(*ways.T).mean()) + 0.002),
    )


def _ways(samples: Gray, cuts: np.ndarray) -> np.ndarray:
    """How far the whole picture moved between neighbours, x and y in parts of the picture."""
    pairs = np.flatnonzero(~cuts)
    if len(pairs) == 0:
        return np.zeros((1, 2))
    picked = pairs[np.linspace(0, len(pairs) - 1, min(PAIRS, len(pairs))).astype(int)]
    window = cv2.createHanningWindow((64, 64), cv2.CV_32F)
    ways = []
    for at in picked:
        before, after = (samples[at + n, ::2, ::2].astype(np.float32) for n in (0, 1))
        (x, y), _ = cv2.phaseCorrelate(before, after, window)
        ways.append((x / 64, y / 64))
    return np.array(ways)
