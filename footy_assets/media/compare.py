"""Decides whether two fingerprints show the same footage."""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from footy_assets.media.alignment import (
    FINE_SPEEDS,
    MIN_EVIDENCE,
    WORTH_REFINING,
    Alignment,
    alignment_near,
    best_alignment,
)
from footy_assets.media.decode import SAMPLES_PER_SECOND
from footy_assets.media.fingerprint import CONTENT, HARMONICS, ODD, Codes, Fingerprint

Series = NDArray[np.float64]

# A match needs a high score, and a significance above that of chance. On the development set the
# best wrong pair has a significance of 1.9; see benchmarks/media_accuracy.py.
MIN_AGREEMENT = 0.4
MIN_SIGNIFICANCE = 2.1
# Two clips that share only a replay agree perfectly for some seconds and nowhere else. Without the
# best stretch of this length (at most half of the overlap) the rest still needs this score.
REPLAY_SECONDS = 4.0
MIN_SCORE_ELSEWHERE = 0.25
# The picture of a fixed camera, or of one that pans slowly, changes in the same direction for
# seconds: two moments of it agree at any offset. The same moment agrees more than moments this far
# beside it.
BESIDE_SECONDS: tuple[float, ...] = tuple(
    sign * samples / SAMPLES_PER_SECOND for sign in (-1, 1) for samples in range(4, 9)
)
MIN_CONTRAST = 0.1


@dataclass(frozen=True, slots=True)
class Match:
    """How two clips relate, by the most significant alignment.

    `score` is the agreement, 0 (chance) to 1 (identical). The moment t of the first clip is the
    moment (t - offset_seconds) / speed of the second: with a positive offset the second starts
    later in the footage, with a speed over 1 it plays faster. `significance` is the score weighted
    by the amount of evidence: by chance the best alignment reaches about 1.2. `score_elsewhere` is
    the score without the stretch that agrees best, `contrast` the score minus that of offsets
    beside it. `views` are the parts of each picture that agree (see fingerprint.CROPS).
    """

    match: bool
    score: float
    offset_seconds: float
    overlap_seconds: float
    mirrored: bool
    speed: float
    significance: float
    score_elsewhere: float
    contrast: float = 0.0
    views: tuple[int, int] = (CONTENT, CONTENT)


NO_MATCH = Match(False, 0.0, 0.0, 0.0, False, 1.0, 0.0, 0.0)


def compare(a: Fingerprint, b: Fingerprint) -> Match:
    """Whether `b` shows the same footage as `a`. Each is tried as the reference, so their order
    changes only the direction of the offset."""
    forward, backward = best_alignment(a, b), best_alignment(b, a)
    if forward is None or backward is None:
        return NO_MATCH
    swapped = backward.significance > forward.significance
    found = backward if swapped else forward
    if found.significance >= WORTH_REFINING:
        found = _refined(b, a, found) if swapped else _refined(a, b, found)
    match = _to_match(found, swapped)
    return _decide(match, a.codes[match.views[0]], b.codes[match.views[1]])


def _decide(found: Match, codes: Codes, other_codes: Codes) -> Match:
    """Fill in whether it is a match, from the codes of the two views that agree."""
    _, agreement, nonzero, other_nonzero = _agreement_by_sample(found, codes, other_codes)
    score_elsewhere = 0.0
    if len(agreement):
        length = min(round(REPLAY_SECONDS * SAMPLES_PER_SECOND), len(agreement) // 2)
        sums = np.concatenate([[0.0], agreement.cumsum()])
        best = int((sums[length:] - sums[: len(sums) - length]).argmax())
        rest = np.delete(np.arange(len(agreement)), slice(best, best + length))
        evidence = math.sqrt(nonzero[rest].sum() * other_nonzero[rest].sum())
        score_elsewhere = float(agreement[rest].sum()) / max(evidence, float(len(HARMONICS)))
    is_likely = found.significance >= WORTH_REFINING
    contrast = _contrast(found, codes, other_codes) if is_likely else 0.0
    match = (
        found.score >= MIN_AGREEMENT
        and found.significance >= MIN_SIGNIFICANCE
        and score_elsewhere >= MIN_SCORE_ELSEWHERE
        and contrast >= MIN_CONTRAST
    )
    return replace(
        found,
        match=match,
        score_elsewhere=round(max(0.0, min(1.0, score_elsewhere)), 4),
        contrast=round(contrast, 4),
    )


def _contrast(found: Match, codes: Codes, other_codes: Codes) -> float:
    """How much more the clips agree at this offset than half a second to a second beside it."""

    def score(beside: float) -> float:
        moved = replace(found, offset_seconds=found.offset_seconds + beside)
        _, agreement, nonzero, other_nonzero = _agreement_by_sample(moved, codes, other_codes)
        evidence = math.sqrt(nonzero.sum() * other_nonzero.sum())
        return float(agreement.sum()) / max(evidence, MIN_EVIDENCE * len(HARMONICS))

    return score(0.0) - sum(map(score, BESIDE_SECONDS)) / len(BESIDE_SECONDS)


def agreement_over_time(
    a: Fingerprint, b: Fingerprint, found: Match, window: int = SAMPLES_PER_SECOND
) -> tuple[Series, Series]:
    """Moments of the first clip in the overlap, and the agreement around each, for plots."""
    views = found.views
    seconds, *series = _agreement_by_sample(found, a.codes[views[0]], b.codes[views[1]])
    if not len(seconds):
        return np.zeros(0), np.zeros(0)
    around = np.ones(min(window, len(seconds)))
    agreement, nonzero, other_nonzero = (np.convolve(each, around, "same") for each in series)
    return seconds, agreement / np.maximum(np.sqrt(nonzero * other_nonzero), len(HARMONICS))


def _agreement_by_sample(
    found: Match, codes: Codes, other_codes: Codes
) -> tuple[Series, Series, Series, Series]:
    """For each shared sample: its second in the first clip, the codes that agree minus those that
    differ, and the nonzero codes of the first and of the second clip."""
    seconds = np.arange(len(codes)) / SAMPLES_PER_SECOND
    partner = (seconds - found.offset_seconds) / found.speed * SAMPLES_PER_SECOND
    partner_samples = np.rint(partner).astype(int)
    shared = (partner_samples >= 0) & (partner_samples < len(other_codes))
    ours, other = codes[shared].astype(float), other_codes[partner_samples[shared]].astype(float)
    if found.mirrored:
        other = np.where(ODD, -other, other)
    agreement = (ours * other).sum(axis=1)
    return seconds[shared], agreement, np.abs(ours).sum(axis=1), np.abs(other).sum(axis=1)


def _refined(reference: Fingerprint, other: Fingerprint, found: Alignment) -> Alignment:
    """Fit the speed: over half a minute, an error of one percent is out of step at the ends."""
    fitted = alignment_near(reference, other, found, FINE_SPEEDS)
    return found if fitted is None or fitted.significance <= found.significance else fitted


def _to_match(found: Alignment, swapped: bool) -> Match:
    """Convert to seconds of the first clip; `swapped` if the second one is the reference."""
    offset = found.offset / SAMPLES_PER_SECOND
    overlap = found.overlap / SAMPLES_PER_SECOND
    views = (found.reference, found.view)
    return Match(
        match=False,
        score=round(max(0.0, min(1.0, found.score)), 4),
        offset_seconds=round(-offset if swapped else offset * found.speed, 3) + 0.0,
        overlap_seconds=round(overlap if swapped else overlap * found.speed, 3),
        mirrored=found.mirrored,
        speed=round(1 / found.speed if swapped else found.speed, 4),
        significance=round(found.significance, 3),
        score_elsewhere=0.0,
        views=views[::-1] if swapped else views,
    )
