"""Measures evidence that a video is filmed off a screen: a tilted, shaking frame around the
picture, moiré, blur with noise on top, a bright middle.

A letterbox or a caption band also frames the picture, but it is exactly straight and does not move.
"""

import itertools
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from footy_assets.media.decode import SAMPLE_EDGE, Gray, Still

Floats = NDArray[np.float32]

# The motion of the frame is measured in this many samples, spread over the clip.
FRAME_SAMPLES = 40
# The depth of a frame at most, in pixels of a sample.
MAX_DEPTH = 44
# A side is divided into strips; those in the corners belong to two sides.
STRIP, CORNER_STRIPS = 8, 3
# The frame ends where brightness differs this much from the outermost pixels.
STEP = 12.0
# A frame's edge is a straight line, to within this many pixels.
STRAIGHT_WITHIN = 0.6
PATCH = 256
MAX_SHORT_EDGE = 720
# Bands of spatial frequency, in cycles per pixel.
BANDS = (0.04, 0.1, 0.2, 0.3, 0.4, 0.5)
MOIRE_FROM, MOIRE_TO = 0.1, 0.48


class FrameEdge(NamedTuple):
    """One side of the frame around the picture, in pixels of a sample."""

    straight: float
    depth: float
    tilt: float
    shake: float
    outside: float


@dataclass(frozen=True, slots=True)
class ScreenEvidence:
    """`framed` counts sides, 0 to 4; the next four are about the framed sides only."""

    framed: float
    tilted: float
    shaking: float
    most_tilted: float
    most_shaking: float
    straight_and_still: float
    swaying: float
    dark_outside: float
    moire: float
    fine_detail: float
    finest_detail: float
    detail_slope: float
    noise: float
    vignette: float
    black_level: float
    colour_cast: float

    def values(self) -> list[float]:
        return [float(value) for value in astuple(self)]


SCREEN_NAMES = tuple(field.name for field in fields(ScreenEvidence))


def screen_evidence(samples: Gray, stills: Sequence[Still]) -> ScreenEvidence:
    sides, swaying = frame_sides(samples)
    framed = [side for side in sides if side.straight > 0.5 and 0.7 < side.depth < MAX_DEPTH - 3]
    lumas = [_luma(still) for still in stills]
    spectrum = _spectrum(lumas)
    low, *bands = _band_energies(spectrum)
    colours = np.concatenate([still.image[::8, ::8].reshape(-1, 3) for still in stills])
    return ScreenEvidence(
        framed=len(framed),
        tilted=sum(min(abs(side.tilt), 8.0) for side in framed),
        shaking=sum(min(side.shake, 3.0) for side in framed),
        most_tilted=max((min(abs(side.tilt), 8.0) for side in framed), default=0.0),
        most_shaking=max((min(side.shake, 3.0) for side in framed), default=0.0),
        straight_and_still=sum(abs(side.tilt) < 0.4 and side.shake < 0.12 for side in framed),
        swaying=swaying,
        dark_outside=float(np.mean([side.outside < 60 for side in framed])) if framed else 0.0,
        moire=_moire(spectrum),
        fine_detail=bands[1] - low,
        finest_detail=bands[3] - low,
        detail_slope=bands[3] - bands[0],
        noise=float(np.median([_noise(luma) for luma in lumas])),
        vignette=_vignette(samples),
        black_level=float(np.percentile(colours.max(axis=1), 1)) / 64,
        colour_cast=float(np.median(colours[:, 2].astype(np.float32) - colours[:, 0])) / 32,
    )


def frame_sides(samples: Gray) -> tuple[tuple[FrameEdge, ...], float]:
    """The four sides of a frame around the picture, and how much they sway together."""
    chosen = np.linspace(0, len(samples) - 1, min(FRAME_SAMPLES, len(samples))).astype(int)
    sampled = samples[chosen].astype(np.float32)
    transposed = sampled.transpose(0, 2, 1)
    sides, middles = zip(
        *(_side(view) for view in (sampled, sampled[:, ::-1], transposed, transposed[:, ::-1])),
        strict=True,
    )
    swaying = [
        -float(np.corrcoef(middles[a], middles[b])[0, 1])
        for a, b in ((0, 1), (2, 3))
        if min(sides[a].straight, sides[b].straight) > 0.5
        and min(middles[a].std(), middles[b].std()) > 0.1
    ]
    return tuple(sides), max([0.0, *swaying])


def _side(view: Floats) -> tuple[FrameEdge, Floats]:
    """Measure the side in the first row of `view`; also returns its depth at each moment."""
    strips = view[:, :MAX_DEPTH].reshape(len(view), MAX_DEPTH, -1, STRIP).mean(axis=3)
    strips = strips[:, :, CORNER_STRIPS:-CORNER_STRIPS]
    outside = strips[:, :2].mean(axis=1)
    difference = np.abs(strips - outside[:, None])
    depths = _first_crossing(difference)
    across = np.arange(depths.shape[1]) - (depths.shape[1] - 1) / 2
    middle = np.median(depths, axis=1)
    slope = ((depths - middle[:, None]) * across).sum(axis=1) / (across**2).sum()
    residual = np.median(np.abs(depths - middle[:, None] - slope[:, None] * across), axis=1)
    fits = (residual < STRAIGHT_WITHIN) & (middle > 0.6) & (middle < MAX_DEPTH - 2)
    if fits.sum() < 3:
        return FrameEdge(0.0, 0.0, 0.0, 0.0, 255.0), middle
    steady = middle[fits]
    spread = float(np.subtract(*np.percentile(steady, [84, 16]))) / 2
    side = FrameEdge(
        straight=float(fits.mean()),
        depth=float(np.median(steady)),
        tilt=float(np.median(slope[fits])) * depths.shape[1],
        shake=spread,
        outside=float(np.median(outside[fits])),
    )
    return side, middle


def _first_crossing(difference: Floats) -> Floats:
    """The depth at which each strip first differs by STEP, between pixels; REACH if never."""
    crossed = difference > STEP
    first = crossed.argmax(axis=1)
    never = ~crossed.any(axis=1)
    before = np.maximum(first - 1, 0)
    low = np.take_along_axis(difference, before[:, None], axis=1)[:, 0]
    high = np.take_along_axis(difference, first[:, None], axis=1)[:, 0]
    part = np.clip((STEP - low) / np.maximum(high - low, 1e-3), 0, 1)
    depth = np.where(first == 0, 0.0, before + part)
    return np.where(never, float(MAX_DEPTH), depth).astype(np.float32)


def _luma(still: Still) -> Gray:
    luma = cv2.cvtColor(still.image, cv2.COLOR_BGR2GRAY)
    while min(luma.shape) > MAX_SHORT_EDGE:
        luma = cv2.resize(
            luma, (luma.shape[1] // 2, luma.shape[0] // 2), interpolation=cv2.INTER_AREA
        )
    return np.asarray(luma, dtype=np.uint8)


def _spectrum(lumas: Sequence[Gray]) -> Floats:
    """The mean log spectrum of patches: a pattern in all of them stands out."""
    window = np.outer(np.hanning(PATCH), np.hanning(PATCH)).astype(np.float32)
    spectra = []
    for luma in lumas:
        for patch in _patches(luma):
            real = patch.astype(np.float32)
            spectrum = np.abs(np.fft.rfft2((real - real.mean()) * window))
            spectra.append(np.log(spectrum + 8.0))
    return np.asarray(np.mean(spectra, axis=0), dtype=np.float32)


def _patches(luma: Gray) -> list[Gray]:
    """Two patches beside each other along the longer side."""
    height, width = luma.shape
    short = [max(0, PATCH - height), max(0, PATCH - width)]
    if any(short):
        luma = np.pad(luma, ((0, short[0]), (0, short[1])), mode="reflect")
        height, width = luma.shape
    top, left = (height - PATCH) // 2, (width - PATCH) // 2
    apart = min(PATCH // 2, left if width >= height else top)
    moves = [(0, -apart), (0, apart)] if width >= height else [(-apart, 0), (apart, 0)]
    return [luma[top + y : top + y + PATCH, left + x : left + x + PATCH] for y, x in moves]


def _radius() -> Floats:
    y, x = np.fft.fftfreq(PATCH)[:, None], np.fft.rfftfreq(PATCH)[None]
    return np.asarray(np.hypot(y, x), dtype=np.float32)


def _band_energies(spectrum: Floats) -> list[float]:
    radius = _radius()
    return [
        float(spectrum[(radius >= low) & (radius < high)].mean())
        for low, high in itertools.pairwise(BANDS)
    ]


def _moire(spectrum: Floats) -> float:
    """How far the highest peak off the axes exceeds its surroundings, in deviations."""
    around = cv2.blur(spectrum, (13, 13))
    above = spectrum - around
    radius = _radius()
    y, x = np.fft.fftfreq(PATCH)[:, None], np.fft.rfftfreq(PATCH)[None]
    off_axes = (np.abs(y) > 4 / PATCH) & (x > 4 / PATCH)
    counted = off_axes & (radius > MOIRE_FROM) & (radius < MOIRE_TO)
    spread = float(above[counted].std())
    return float(above[counted].max()) / max(spread, 0.05)


def _noise(luma: Gray) -> float:
    """The deviation of the calmest quarter of blocks, where the picture adds little detail."""
    kernel = np.array([[1, -2, 1], [-2, 4, -2], [1, -2, 1]], np.float32) / 6
    rough = np.abs(cv2.filter2D(luma, cv2.CV_32F, kernel))
    blocks = cv2.resize(
        rough, (luma.shape[1] // 16, luma.shape[0] // 16), interpolation=cv2.INTER_AREA
    )
    return float(np.percentile(blocks, 25)) / 4


def _vignette(samples: Gray) -> float:
    """The brightness of the corners relative to the middle, over the whole clip."""
    mean = samples[:: max(1, len(samples) // FRAME_SAMPLES)].mean(axis=0)
    edge = SAMPLE_EDGE // 8
    corners = [
        mean[y : y + edge, x : x + edge] for y in (edge, -2 * edge) for x in (edge, -2 * edge)
    ]
    middle = mean[3 * edge : -3 * edge, 3 * edge : -3 * edge].mean()
    return float(np.mean([corner.mean() for corner in corners]) / max(middle, 1.0))
