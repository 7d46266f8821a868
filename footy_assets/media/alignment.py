"""How two code sequences lie best against each other: every offset, view and speed at once.

A hypothesis is: the reference clip, played at some speed, is some view of the other clip, perhaps
mirrored. Its agreement at one offset is the correlation of the two code sequences over their
overlap. Correlations at all offsets come from one Fourier transform, those of all hypotheses from
one batch of matrix products.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import fft

from footy_assets.media.decode import SAMPLES_PER_SECOND
from footy_assets.media.fingerprint import CONTENT, HARMONICS, ODD, UNTRIMMED, Codes, Fingerprint

# How fast the reference clip plays against the other. Between two of these a refinement fits.
SPEEDS: tuple[float, ...] = (1.0, 1.04, 1.1, 1.25, 1 / 1.04, 1 / 1.1, 1 / 1.25)
FINE_SPEEDS: tuple[float, ...] = tuple(1 + step / 100 for step in range(-4, 5))
# A surprise below this cannot be made a match by fitting the speed.
WORTH_REFINING = 1.0
# Most copies play at their own speed; a claim of another one needs more to be believed.
SPEED_DOUBT = 0.6

MIN_OVERLAP_SECONDS = 2.0
MIN_OVERLAP_SHARE = 0.5
# Codes that say something, counted in full samples: less is no evidence, however well it agrees.
MIN_EVIDENCE = 4.0
REMEMBERED = 128

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Spectra = NDArray[np.complex64]
Row = tuple[int, float]


@dataclass(frozen=True, slots=True)
class Alignment:
    """The best offset of the best hypothesis. Offsets and overlaps are in samples of the reference
    as played at `speed`: sample i of it shows the same as sample i - offset of the other."""

    surprise: float
    score: float
    offset: int
    overlap: int
    mirrored: bool
    speed: float
    reference: int
    view: int


@dataclass(frozen=True, slots=True)
class Sequences:
    """Code sequences ready to be correlated: spectra of the harmonics that a mirror keeps and of
    those it flips, `[frequency, sequence, harmonic]`, and how much each says up to each sample."""

    lengths: tuple[int, ...]
    kept: Spectra
    flipped: Spectra
    told: tuple[Floats, ...]


def reference_rows(fingerprint: Fingerprint) -> list[Row]:
    """The views that stand for the whole picture, at every speed."""
    has_borders = len(fingerprint.codes) > UNTRIMMED
    views = (CONTENT, UNTRIMMED) if has_borders else (CONTENT,)
    return [(view, speed) for view in views for speed in SPEEDS]


def best_alignment(reference: Fingerprint, other: Fingerprint) -> Alignment | None:
    """The most surprising hypothesis, or none if the clips are too short to share enough."""
    length = transform_length(reference.samples / min(SPEEDS), other.samples)
    rows = reference_rows(reference)
    return strongest(rows, _references(reference, length), _views(other, length), length)


def alignment_near(
    reference: Fingerprint, other: Fingerprint, found: Alignment, factors: tuple[float, ...]
) -> Alignment | None:
    """The same hypothesis at neighbouring speeds."""
    rows = [(found.reference, found.speed * factor) for factor in factors]
    sped = [at_speed(reference.codes[view], speed) for view, speed in rows]
    length = transform_length(max(map(len, sped)), other.samples)
    view = prepared([other.codes[found.view]], length)
    return strongest(rows, prepared(sped, length), view, length, first_view=found.view)


def at_speed(codes: Codes, speed: float) -> Codes:
    """The codes of a clip played faster: every speed-th sample, the nearest there is."""
    count = max(2, round(len(codes) / speed))
    picked = np.minimum(np.rint(np.arange(count) * speed).astype(int), len(codes) - 1)
    return np.asarray(codes[picked], dtype=np.int8)


def least_overlap(mine: "int | Ints", theirs: int) -> Ints:
    """How many samples two clips must share, by their lengths."""
    shorter = np.minimum(mine, theirs)
    least = np.maximum(MIN_OVERLAP_SECONDS * SAMPLES_PER_SECOND, MIN_OVERLAP_SHARE * shorter)
    return np.floor(least).astype(np.int64)


def plausible(speed: float) -> float:
    """1 at the same speed, less the further away."""
    return 1 - SPEED_DOUBT * abs(math.log(speed))


def strongest(
    rows: list[Row], mine: Sequences, theirs: Sequences, length: int, first_view: int = 0
) -> Alignment | None:
    """Of all rows, views, offsets and mirrorings the most surprising.

    The surprise of an agreement grows with the root of the evidence, as chance shrinks with it.
    """
    kept = _correlations(mine.kept, theirs.kept, length)
    flipped = _correlations(mine.flipped, theirs.flipped, length)
    their_told = np.stack(theirs.told)
    best: Alignment | None = None
    for number, (reference, speed) in enumerate(rows):
        offsets, first, last = _overlaps(mine.lengths[number], theirs.lengths[0])
        if len(offsets) == 0:
            continue
        told = mine.told[number]
        heard = their_told[:, last - offsets] - their_told[:, first - offsets]
        evidence = np.sqrt((told[last] - told[first]) * heard)
        evidence = np.maximum(evidence, np.float32(MIN_EVIDENCE * len(HARMONICS)))
        weight = plausible(speed) / np.sqrt(evidence * len(HARMONICS))
        where = offsets % length
        plain, turned = kept[number][:, where], flipped[number][:, where]
        for mirrored in (False, True):
            agreed = plain - turned if mirrored else plain + turned
            surprise = agreed * weight
            at = int(surprise.argmax())
            view, place = divmod(at, len(offsets))
            if best is None or surprise[view, place] > best.surprise:
                best = Alignment(
                    surprise=float(surprise[view, place]),
                    score=float(agreed[view, place] / evidence[view, place]),
                    offset=int(offsets[place]),
                    overlap=int(last[place] - first[place]),
                    mirrored=mirrored,
                    speed=speed,
                    reference=reference,
                    view=first_view + view,
                )
    return best


def prepared(sequences: list[Codes], length: int) -> Sequences:
    """Padded to `length`, so that no offset wraps round, and transformed."""
    padded = np.zeros((len(sequences), len(HARMONICS), length), np.float32)
    for number, codes in enumerate(sequences):
        padded[number, :, : len(codes)] = codes.T
    spectra = fft.rfft(padded).transpose(2, 0, 1)
    return Sequences(
        lengths=tuple(map(len, sequences)),
        kept=np.ascontiguousarray(spectra[:, :, ~ODD]),
        flipped=np.ascontiguousarray(spectra[:, :, ODD]),
        told=tuple(_told_before(codes) for codes in sequences),
    )


def transform_length(mine: float, theirs: int) -> int:
    """Room for all offsets, in a length that transforms fast."""
    power = 2 ** max(1, math.floor(math.log2(mine + theirs + 1)) - 2)
    return int(power * 2 * math.ceil((mine + theirs + 1) / (2 * power)))


def _correlations(rows: Spectra, views: Spectra, length: int) -> Floats:
    """`[row, view, lag]`: how a view moved by `lag` samples agrees with a row."""
    product = rows @ views.conj().transpose(0, 2, 1)
    lags = fft.irfft(product.transpose(1, 2, 0), n=length, axis=2)
    return np.asarray(lags, dtype=np.float32)


@lru_cache(maxsize=1024)
def _overlaps(mine: int, theirs: int) -> tuple[Ints, Ints, Ints]:
    """Offsets with enough in common, and the first and last shared sample of each."""
    offsets = np.arange(-theirs + 1, mine)
    first, last = np.maximum(offsets, 0), np.minimum(offsets + theirs, mine)
    enough = last - first >= least_overlap(mine, theirs)
    return offsets[enough], first[enough], last[enough]


def _told_before(codes: Codes) -> Floats:
    """How many codes say something before each sample."""
    told = np.zeros(len(codes) + 1, np.float32)
    np.cumsum(np.count_nonzero(codes, axis=1), out=told[1:])
    return told


@lru_cache(maxsize=REMEMBERED)
def _views(fingerprint: Fingerprint, length: int) -> Sequences:
    return prepared(list(fingerprint.codes), length)


@lru_cache(maxsize=REMEMBERED)
def _references(fingerprint: Fingerprint, length: int) -> Sequences:
    rows = reference_rows(fingerprint)
    return prepared([at_speed(fingerprint.codes[view], speed) for view, speed in rows], length)
