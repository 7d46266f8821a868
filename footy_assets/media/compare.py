"""Do two fingerprints show the same footage?"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footy_assets.media.alignment import (
    FINE_SPEEDS,
    WORTH_REFINING,
    Alignment,
    alignment_near,
    best_alignment,
)
from footy_assets.media.decode import SAMPLES_PER_SECOND
from footy_assets.media.fingerprint import CONTENT, HARMONICS, ODD, Fingerprint

# A match agrees well, and more than chance allows for so much evidence. On the development set the
# best wrong pair reaches a surprise of 1.9; see benchmarks/media_accuracy.py.
MIN_AGREEMENT = 0.4
MIN_SURPRISE = 2.1


@dataclass(frozen=True, slots=True)
class Match:
    """How two clips relate, by the best hypothesis there is.

    `score` is the agreement, 0 (chance) to 1 (identical). The moment t of the first clip is the
    moment (t - offset_seconds) / speed of the second: with a positive offset the second starts
    later in the footage, with a speed over 1 it plays faster. `surprise` is the score weighed by
    the amount of evidence: about 1.2 is what the best of all hypotheses reaches by chance. `views`
    are the parts of each picture that agreed (see fingerprint.CROPS).
    """

    match: bool
    score: float
    offset_seconds: float
    overlap_seconds: float
    mirrored: bool
    speed: float
    surprise: float
    views: tuple[int, int] = (CONTENT, CONTENT)


NO_MATCH = Match(False, 0.0, 0.0, 0.0, False, 1.0, 0.0)


def compare(a: Fingerprint, b: Fingerprint) -> Match:
    """Is `b` the same footage as `a`? Each is tried as the reference, so the order of the two
    changes nothing but the direction of the offset."""
    forward, backward = best_alignment(a, b), best_alignment(b, a)
    if forward is None or backward is None:
        return NO_MATCH
    turned = backward.surprise > forward.surprise
    found = backward if turned else forward
    if found.surprise >= WORTH_REFINING:
        found = _refined(b, a, found) if turned else _refined(a, b, found)
    return as_match(found, turned)


def agreement_over_time(
    a: Fingerprint, b: Fingerprint, found: Match, window: int = SAMPLES_PER_SECOND
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """For people: moments of the first clip in the overlap, and the agreement around each."""
    seconds = np.arange(a.samples) / SAMPLES_PER_SECOND
    partner = (seconds - found.offset_seconds) / found.speed * SAMPLES_PER_SECOND
    there = np.rint(partner).astype(int)
    shared = (there >= 0) & (there < b.samples)
    mine = a.codes[found.views[0], shared].astype(float)
    theirs = b.codes[found.views[1], there[shared]].astype(float)
    if found.mirrored:
        theirs = np.where(ODD, -theirs, theirs)
    if not len(mine):
        return np.zeros(0), np.zeros(0)
    around = np.ones(min(window, len(mine)))
    agreed = np.convolve((mine * theirs).sum(axis=1), around, "same")
    told = np.convolve(np.abs(mine).sum(axis=1), around, "same")
    heard = np.convolve(np.abs(theirs).sum(axis=1), around, "same")
    return seconds[shared], agreed / np.maximum(np.sqrt(told * heard), len(HARMONICS))


def _refined(reference: Fingerprint, other: Fingerprint, found: Alignment) -> Alignment:
    """Fit the speed: over half a minute, one percent off is out of step at the ends."""
    fitted = alignment_near(reference, other, found, FINE_SPEEDS)
    return found if fitted is None or fitted.surprise <= found.surprise else fitted


def as_match(found: Alignment, turned: bool) -> Match:
    """In seconds of the first clip; `turned` if the second one was the reference."""
    offset = found.offset / SAMPLES_PER_SECOND
    overlap = found.overlap / SAMPLES_PER_SECOND
    views = (found.reference, found.view)
    return Match(
        match=found.score >= MIN_AGREEMENT and found.surprise >= MIN_SURPRISE,
        score=round(max(0.0, min(1.0, found.score)), 4),
        offset_seconds=round(-offset if turned else offset * found.speed, 3) + 0.0,
        overlap_seconds=round(overlap if turned else overlap * found.speed, 3),
        mirrored=found.mirrored,
        speed=round(1 / found.speed if turned else found.speed, 4),
        surprise=round(found.surprise, 3),
        views=views[::-1] if turned else views,
    )
