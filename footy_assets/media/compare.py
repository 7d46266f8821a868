"""Do two fingerprints show the same footage?"""

import math
from dataclasses import dataclass, replace

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
from footy_assets.media.fingerprint import CONTENT, HARMONICS, ODD, Codes, Fingerprint

Series = NDArray[np.float64]

# A match agrees well, and more than chance allows for so much evidence. On the development set the
# best wrong pair reaches a surprise of 1.9; see benchmarks/media_accuracy.py.
MIN_AGREEMENT = 0.4
MIN_SURPRISE = 2.1
# Two clips that share a replay agree perfectly for some seconds and nowhere else. Without their
# best stretch of this length (at most half of what they share) the rest must still agree so well.
REPLAY_SECONDS = 4.0
MIN_ELSEWHERE = 0.25


@dataclass(frozen=True, slots=True)
class Match:
    """How two clips relate, by the best hypothesis there is.

    `score` is the agreement, 0 (chance) to 1 (identical). The moment t of the first clip is the
    moment (t - offset_seconds) / speed of the second: with a positive offset the second starts
    later in the footage, with a speed over 1 it plays faster. `surprise` is the score weighed by
    the amount of evidence: about 1.2 is what the best of all hypotheses reaches by chance.
    `elsewhere` is the score without the stretch that agrees best. `views` are the parts of each
    picture that agreed (see fingerprint.CROPS).
    """

    match: bool
    score: float
    offset_seconds: float
    overlap_seconds: float
    mirrored: bool
    speed: float
    surprise: float
    elsewhere: float
    views: tuple[int, int] = (CONTENT, CONTENT)


NO_MATCH = Match(False, 0.0, 0.0, 0.0, False, 1.0, 0.0, 0.0)


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
    match = as_match(found, turned)
    return judged(match, a.codes[match.views[0]], b.codes[match.views[1]])


def judged(found: Match, mine: Codes, theirs: Codes) -> Match:
    """Is it a match? `mine` and `theirs` are the codes of the two views that agreed."""
    _, agreed, told, heard = _along(found, mine, theirs)
    elsewhere = 0.0
    if len(agreed):
        length = min(round(REPLAY_SECONDS * SAMPLES_PER_SECOND), len(agreed) // 2)
        sums = np.concatenate([[0.0], agreed.cumsum()])
        best = int((sums[length:] - sums[: len(sums) - length]).argmax())
        rest = np.delete(np.arange(len(agreed)), slice(best, best + length))
        evidence = math.sqrt(told[rest].sum() * heard[rest].sum())
        elsewhere = float(agreed[rest].sum()) / max(evidence, float(len(HARMONICS)))
    match = (
        found.score >= MIN_AGREEMENT
        and found.surprise >= MIN_SURPRISE
        and elsewhere >= MIN_ELSEWHERE
    )
    return replace(found, match=match, elsewhere=round(max(0.0, min(1.0, elsewhere)), 4))


def agreement_over_time(
    a: Fingerprint, b: Fingerprint, found: Match, window: int = SAMPLES_PER_SECOND
) -> tuple[Series, Series]:
    """For people: moments of the first clip in the overlap, and the agreement around each."""
    views = found.views
    seconds, *series = _along(found, a.codes[views[0]], b.codes[views[1]])
    if not len(seconds):
        return np.zeros(0), np.zeros(0)
    around = np.ones(min(window, len(seconds)))
    agreed, told, heard = (np.convolve(each, around, "same") for each in series)
    return seconds, agreed / np.maximum(np.sqrt(told * heard), len(HARMONICS))


def _along(found: Match, mine: Codes, theirs: Codes) -> tuple[Series, Series, Series, Series]:
    """Of each shared sample: its second in the first clip, how many codes agree less those that
    differ, and how many say something in the first and in the second."""
    seconds = np.arange(len(mine)) / SAMPLES_PER_SECOND
    partner = (seconds - found.offset_seconds) / found.speed * SAMPLES_PER_SECOND
    there = np.rint(partner).astype(int)
    shared = (there >= 0) & (there < len(theirs))
    here, other = mine[shared].astype(float), theirs[there[shared]].astype(float)
    if found.mirrored:
        other = np.where(ODD, -other, other)
    agreed = (here * other).sum(axis=1)
    return seconds[shared], agreed, np.abs(here).sum(axis=1), np.abs(other).sum(axis=1)


def _refined(reference: Fingerprint, other: Fingerprint, found: Alignment) -> Alignment:
    """Fit the speed: over half a minute, one percent off is out of step at the ends."""
    fitted = alignment_near(reference, other, found, FINE_SPEEDS)
    return found if fitted is None or fitted.surprise <= found.surprise else fitted


def as_match(found: Alignment, turned: bool) -> Match:
    """In seconds of the first clip; `turned` if the second one was the reference. Not judged."""
    offset = found.offset / SAMPLES_PER_SECOND
    overlap = found.overlap / SAMPLES_PER_SECOND
    views = (found.reference, found.view)
    return Match(
        match=False,
        score=round(max(0.0, min(1.0, found.score)), 4),
        offset_seconds=round(-offset if turned else offset * found.speed, 3) + 0.0,
        overlap_seconds=round(overlap if turned else overlap * found.speed, 3),
        mirrored=found.mirrored,
        speed=round(1 / found.speed if turned else found.speed, 4),
        surprise=round(found.surprise, 3),
        elsewhere=0.0,
        views=views[::-1] if turned else views,
    )
