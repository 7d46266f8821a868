"""The fingerprint of a clip: in which direction its picture changes, eight times a second.

Of each sampled frame we take a few low spatial frequencies (cosine transform) of the content box
and of some crops of it, and keep only the *sign of their change* over half a second: -1, +1, or 0
where the change is too small. What does not move cancels out (watermarks, captions, scorebugs,
colour grading). Black, frozen and flat stretches are all zeros, so they are no evidence (H1).
Mirroring a picture only flips the signs of the odd horizontal frequencies, so it needs no view of
its own.
"""

import struct
import zlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from footy_assets.media.content_box import WHOLE, Box, content_box, portrait_strip
from footy_assets.media.decode import SAMPLE_EDGE, SAMPLES_PER_SECOND, Gray, Scan, scan
from footy_assets.media.errors import FingerprintUnreadable

VERSION = 1
HEADER = struct.Struct("<4sBBHIf")
MAGIC = b"FTYf"

# Vertical and horizontal frequency of each feature.
WAVES = 8
HARMONICS: tuple[tuple[int, int], ...] = tuple(
    (down, across) for down in range(WAVES) for across in range(WAVES) if 0 < down + across < WAVES
)
# Features whose sign mirroring flips.
ODD = np.array([across % 2 == 1 for _, across in HARMONICS])
# The change is measured between two samples before and two samples after: half a second.
LAG = 2
# A change counts if it exceeds this share of the median change, and the noise of a camera.
MIN_CHANGE_SHARE = 0.7
NOISE = 4.0

# Parts of the content box. The first is the reference that all views of the other clip are
# compared with; the others are common crops.
CROPS: tuple[Box, ...] = (
    WHOLE,
    Box(0.05, 0.95, 0.05, 0.95),
    Box(0.11, 0.89, 0.11, 0.89),
    Box(0.0, 0.82, 0.0, 0.82),
    Box(0.0, 0.82, 0.18, 1.0),
    Box(0.18, 1.0, 0.0, 0.82),
    Box(0.18, 1.0, 0.18, 1.0),
)
CONTENT, STRIP, UNTRIMMED = 0, len(CROPS), len(CROPS) + 1

Codes = NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class Fingerprint:
    """`codes[view, sample, harmonic]` in -1, 0, 1. The untrimmed view exists only if it differs
    from the content box."""

    duration: float
    codes: Codes

    @property
    def samples(self) -> int:
        return int(self.codes.shape[1])

    def to_bytes(self) -> bytes:
        views, samples, harmonics = self.codes.shape
        header = HEADER.pack(MAGIC, VERSION, views, harmonics, samples, self.duration)
        # Two bit planes (changed, upwards) compress better than one number per code.
        planes = np.stack([self.codes != 0, self.codes > 0])
        return header + zlib.compress(np.packbits(planes).tobytes(), 6)

    @classmethod
    def from_bytes(cls, stored: bytes) -> "Fingerprint":
        """Refuses what is damaged or of another version, never guesses."""
        try:
            magic, version, views, harmonics, samples, duration = HEADER.unpack_from(stored)
        except struct.error:
            raise FingerprintUnreadable("these bytes are too short for a fingerprint") from None
        if magic != MAGIC:
            raise FingerprintUnreadable("these bytes are not a fingerprint")
        if version != VERSION or harmonics != len(HARMONICS) or views not in (STRIP + 1, STRIP + 2):
            detail = f"a fingerprint of version {version}, not {VERSION}"
            raise FingerprintUnreadable(detail)
        count = 2 * views * samples * harmonics
        size = (count + 7) // 8
        try:
            unzip = zlib.decompressobj()
            body = unzip.decompress(stored[HEADER.size :], size + 1)
        except zlib.error:
            raise FingerprintUnreadable("a fingerprint with damaged bytes") from None
        if len(body) != size or not unzip.eof or unzip.unused_data:
            raise FingerprintUnreadable("a fingerprint with missing or surplus bytes")
        bits = np.unpackbits(np.frombuffer(body, np.uint8), count=count)
        changed, upward = bits.reshape(2, views, samples, harmonics).astype(np.int8)
        return cls(duration, changed * (2 * upward - 1))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Fingerprint)
            and self.duration == other.duration
            and np.array_equal(self.codes, other.codes)
        )

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.duration, self.codes.tobytes()))


def fingerprint(path: Path | str) -> Fingerprint:
    """Decode a file once and fingerprint it."""
    return fingerprint_of(scan(path))


def fingerprint_of(scanned: Scan) -> Fingerprint:
    """The fingerprint from a decoding pass that validation and posters share."""
    samples = scanned.samples
    box = content_box(samples)
    views = [box.part(crop) for crop in CROPS]
    views.append(portrait_strip(box, scanned.probe.aspect))
    if box != WHOLE:
        views.append(WHOLE)
    codes = np.stack([_directions(waves) for waves in _wave_series(samples, views)])
    # Rounded as stored, so that a fingerprint read back equals the original.
    duration = float(np.float32(len(samples) / SAMPLES_PER_SECOND))
    return Fingerprint(duration, codes)


def _wave_series(samples: Gray, views: list[Box]) -> NDArray[np.float32]:
    """Each harmonic of each view over time, `[view, sample, harmonic]`.

    One view of one sample at a time: products this small stay on one core. For larger ones BLAS
    starts threads, whose waiting costs more CPU than the arithmetic.
    """
    down, across = np.array(HARMONICS).T
    bases = [(_cosines(v.top, v.bottom), _cosines(v.left, v.right).T.copy()) for v in views]
    series = np.empty((len(views), len(samples), len(HARMONICS)), np.float32)
    for moment, sample in enumerate(samples):
        shades = sample.astype(np.float32)
        for number, (rows, columns) in enumerate(bases):
            series[number, moment] = (rows @ (shades @ columns))[down, across]
    return series


def _cosines(low: float, high: float) -> NDArray[np.float32]:
    """Cosine waves over a part of a side, normalised; edge pixels count by their share."""
    pixel = (np.arange(SAMPLE_EDGE) + 0.5) / SAMPLE_EDGE
    half = 0.5 / SAMPLE_EDGE
    inside = np.clip((pixel + half - low) * SAMPLE_EDGE, 0, 1)
    inside *= np.clip((high - pixel + half) * SAMPLE_EDGE, 0, 1)
    along = (pixel - low) / (high - low)
    waves = np.cos(np.pi * np.outer(np.arange(WAVES), along)) * inside
    lengths = np.sqrt((waves**2).sum(axis=1, keepdims=True))
    return np.asarray(waves / np.maximum(lengths, 1e-9), dtype=np.float32)


def _directions(waves: NDArray[np.float32]) -> Codes:
    """The sign of each change; 0 where it is small compared with the rest of the clip."""
    padded = np.pad(waves, ((LAG, LAG), (0, 0)), mode="edge")
    change = padded[2 * LAG :] - padded[: -2 * LAG]
    threshold = np.maximum(np.median(np.abs(change), axis=0) * MIN_CHANGE_SHARE, NOISE)
    return np.asarray(np.sign(change) * (np.abs(change) > threshold), dtype=np.int8)
