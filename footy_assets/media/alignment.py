"""Aligns two code sequences: tries every offset, view, mirroring and speed at once.

A hypothesis is: the reference clip, played at some speed, shows the same as some view of the other
clip, perhaps mirrored. Its agreement at one offset is the correlation of the two code sequences
over their overlap. One Fourier transform gives the correlations at all offsets, one batch of matrix
products those of all hypotheses.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from footy_assets.media.decode import SAMPLES_PER_SECOND
from footy_assets.media.fingerprint import CONTENT, HARMONICS, ODD, UNTRIMMED, Codes, Fingerprint

# Speeds of the reference clip relative to the other. A refinement fits speeds between two of these.
SPEEDS: tuple[float, ...] = (1.0, 1.04, 1.1, 1.25, 1 / 1.04, 1 / 1.1, 1 / 1.25)
FINE_SPEEDS: tuple[float, ...] = tuple(1 + step / 100 for step in range(-4, 5))
# Fitting the speed cannot turn a lower significance into a match.
WORTH_REFINING = 1.0
# Most copies play at their own speed, so another speed needs stronger agreement.
SPEED_PENALTY = 0.6

MIN_OVERLAP_SECONDS = 2.0
MIN_OVERLAP_SHARE = 0.5
# The least evidence assumed, in full samples: a few nonzero codes prove nothing.
MIN_EVIDENCE = 4.0
CACHE_SIZE = 128

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Spectra = NDArray[np.complex64]
# A view of the reference clip, and its speed.
Row = tuple[int, float]


@dataclass(frozen=True, slots=True)
class Alignment:
    """The best offset of the best hypothesis. Offsets and overlaps are in samples of the reference
    as played at `speed`: its sample i shows the same as sample i - offset of the other clip."""

    significance: float
    score: float
    offset: int
    overlap: int
    mirrored: bool
    speed: float
    reference: int
    view: int


@dataclass(frozen=True, slots=True)
class Sequences:
    """Code sequences in the frequency domain, `[frequency, sequence, harmonic]`: harmonics that
    mirroring keeps, and those whose sign it flips. `nonzero_before` counts the nonzero codes before
    each sample."""

    lengths: tuple[int, ...]
    kept: Spectra
    flipped: Spectra
    nonzero_before: tuple[Floats, ...]


def best_alignment(reference: Fingerprint, other: Fingerprint) -> Alignment | None:
    """The most significant hypothesis, or None if the clips are too short to share enough."""
    length = _transform_length(reference.samples / min(SPEEDS), other.samples)
    rows = _reference_rows(reference)
    return _most_significant(rows, _references(reference, length), _views(other, length), length)


def alignment_near(
    reference: Fingerprint, other: Fingerprint, found: Alignment, factors: tuple[float, ...]
) -> Alignment | None:
    """The same hypothesis at neighbouring speeds."""
    rows = [(found.reference, found.speed * factor) for factor in factors]
    resampled = [_at_speed(reference.codes[view], speed) for view, speed in rows]
    length = _transform_length(max(map(len, resampled)), other.samples)
    view = _transform([other.codes[found.view]], length)
    return _most_significant(
        rows, _transform(resampled, length), view, length, first_view=found.view
    )


def _reference_rows(fingerprint: Fingerprint) -> list[Row]:
    """The views of the whole picture, at every speed."""
    has_borders = len(fingerprint.codes) > UNTRIMMED
    views = (CONTENT, UNTRIMMED) if has_borders else (CONTENT,)
    return [(view, speed) for view in views for speed in SPEEDS]


def _at_speed(codes: Codes, speed: float) -> Codes:
    """The codes of a clip played faster: the sample nearest to every speed-th moment."""
    count = max(2, round(len(codes) / speed))
    picked = np.minimum(np.rint(np.arange(count) * speed).astype(int), len(codes) - 1)
    return np.asarray(codes[picked], dtype=np.int8)


def _min_overlap(samples: int, other_samples: int) -> int:
    """How many samples two clips must share, by their lengths."""
    shorter = min(samples, other_samples)
    return math.floor(max(MIN_OVERLAP_SECONDS * SAMPLES_PER_SECOND, MIN_OVERLAP_SHARE * shorter))


def _speed_weight(speed: float) -> float:
    """1 at the same speed, less the further away."""
    return 1 - SPEED_PENALTY * abs(math.log(speed))


def _most_significant(
    rows: list[Row], references: Sequences, views: Sequences, length: int, first_view: int = 0
) -> Alignment | None:
    """The most significant of all rows, views, offsets and mirrorings.

    The significance of an agreement grows with the square root of the evidence: agreement by
    chance shrinks at the same rate.
    """
    kept = _correlations(references.kept, views.kept, length)
    flipped = _correlations(references.flipped, views.flipped, length)
    view_nonzero = np.stack(views.nonzero_before)
    best: Alignment | None = None
    for number, (reference, speed) in enumerate(rows):
        offsets, first, last = _overlaps(references.lengths[number], views.lengths[0])
        if len(offsets) == 0:
            continue
        nonzero = references.nonzero_before[number]
        in_view = view_nonzero[:, last - offsets] - view_nonzero[:, first - offsets]
        evidence = np.sqrt((nonzero[last] - nonzero[first]) * in_view)
        evidence = np.maximum(evidence, np.float32(MIN_EVIDENCE * len(HARMONICS)))
        weight = _speed_weight(speed) / np.sqrt(evidence * len(HARMONICS))
        lags = offsets % length
        even, odd = kept[number][:, lags], flipped[number][:, lags]
        for mirrored in (False, True):
            agreement = even - odd if mirrored else even + odd
            significance = agreement * weight
            view, at = divmod(int(significance.argmax()), len(offsets))
            if best is None or significance[view, at] > best.significance:
                best = Alignment(
                    significance=float(significance[view, at]),
                    score=float(agreement[view, at] / evidence[view, at]),
                    offset=int(offsets[at]),
                    overlap=int(last[at] - first[at]),
                    mirrored=mirrored,
                    speed=speed,
                    reference=reference,
                    view=first_view + view,
                )
    return best


def _transform(sequences: list[Codes], length: int) -> Sequences:
    """Fourier transforms, padded to `length` so that no offset wraps around."""
    # Loaded at the first use: it takes longer than the whole decoder, which needs none.
    from scipy import fft

    padded = np.zeros((len(sequences), len(HARMONICS), length), np.float32)
    for number, codes in enumerate(sequences):
        padded[number, :, : len(codes)] = codes.T
    spectra = fft.rfft(padded).transpose(2, 0, 1)
    return Sequences(
        lengths=tuple(map(len, sequences)),
        kept=np.ascontiguousarray(spectra[:, :, ~ODD]),
        flipped=np.ascontiguousarray(spectra[:, :, ODD]),
        nonzero_before=tuple(_nonzero_before(codes) for codes in sequences),
    )


def _transform_length(samples: float, other_samples: int) -> int:
    """A length that holds all offsets and transforms fast."""
    total = samples + other_samples + 1
    power = 2 ** max(1, math.floor(math.log2(total)) - 2)
    return int(power * 2 * math.ceil(total / (2 * power)))


def _correlations(references: Spectra, views: Spectra, length: int) -> Floats:
    """`[reference, view, lag]`: how a view moved by `lag` samples agrees with a reference."""
    from scipy import fft

    product = references @ views.conj().transpose(0, 2, 1)
    lags = fft.irfft(product.transpose(1, 2, 0), n=length, axis=2)
    return np.asarray(lags, dtype=np.float32)


@lru_cache(maxsize=1024)
def _overlaps(samples: int, other_samples: int) -> tuple[Ints, Ints, Ints]:
    """Offsets with enough overlap, and the first and last shared sample of each."""
    offsets = np.arange(-other_samples + 1, samples)
    first, last = np.maximum(offsets, 0), np.minimum(offsets + other_samples, samples)
    enough = last - first >= _min_overlap(samples, other_samples)
    return offsets[enough], first[enough], last[enough]


def _nonzero_before(codes: Codes) -> Floats:
    counts = np.zeros(len(codes) + 1, np.float32)
    np.cumsum(np.count_nonzero(codes, axis=1), out=counts[1:])
    return counts


@lru_cache(maxsize=CACHE_SIZE)
def _views(fingerprint: Fingerprint, length: int) -> Sequences:
    return _transform(list(fingerprint.codes), length)


@lru_cache(maxsize=CACHE_SIZE)
def _references(fingerprint: Fingerprint, length: int) -> Sequences:
    rows = _reference_rows(fingerprint)
    return _transform([_at_speed(fingerprint.codes[view], speed) for view, speed in rows], length)
