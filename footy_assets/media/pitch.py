"""Measures evidence of a football pitch in a picture: grass, lines and figures on it.

`assessment_models` holds the learned weights of these measurements, by their names.
"""

from dataclasses import astuple, dataclass, fields

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Mask = NDArray[np.uint8]

# Pictures are measured at this size: lines are a pixel or two wide, far players ten high.
WIDTH, HEIGHT = 256, 144
# Grass under any colour grading, in OpenCV's hues of 0 to 180: yellowish to bluish green.
HUES = (28, 92)
MIN_SATURATION, MIN_VALUE = 38, 28
# A pixel is part of a line if it is this much brighter than its surroundings.
LINE_CONTRAST = 14
LINE_WIDTH = 7
LINE_LENGTH = 22
# The area of figures on grass, in pixels of the small picture.
FIGURE_AREA = (12, 900)


@dataclass(frozen=True, slots=True)
class PitchEvidence:
    """Shares of the picture, or of the green area."""

    green: float
    green_below: float
    largest_green: float
    middle_green: float
    hue: float
    hue_spread: float
    saturation: float
    roughness: float
    lines: float
    long_lines: float
    figures: float
    upright_figures: float
    skin: float
    flatness: float

    def values(self) -> list[float]:
        return [float(value) for value in astuple(self)]


PITCH_NAMES = tuple(field.name for field in fields(PitchEvidence))


def pitch_evidence(image: Image) -> PitchEvidence:
    small = cv2.resize(image, (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA)
    hsv = cv2.cvtColor(small, cv2.COLOR_BGR2HSV)
    luma = np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
    darkest, brightest = (HUES[0], MIN_SATURATION, MIN_VALUE), (HUES[1], 255, 255)
    green = np.asarray(cv2.inRange(hsv, darkest, brightest), dtype=np.uint8)
    count = int(np.count_nonzero(green))
    largest = _largest_area(green)
    on_grass = green > 0
    enough = count > 0.01 * green.size
    hues, saturations = hsv[:, :, 0][on_grass], hsv[:, :, 1][on_grass]
    detail = np.abs(cv2.Laplacian(luma, cv2.CV_32F))
    line_share, long_lines = _lines(luma, largest)
    figures, upright = _figures(green, largest)
    skin = cv2.inRange(hsv, (3, 40, 80), (18, 170, 255))
    return PitchEvidence(
        green=count / green.size,
        green_below=float(on_grass[HEIGHT // 2 :].mean()),
        largest_green=float((largest > 0).mean()),
        middle_green=float(on_grass[HEIGHT // 4 : -HEIGHT // 4, WIDTH // 4 : -WIDTH // 4].mean()),
        hue=float(np.median(hues)) / 180 if enough else 0.0,
        hue_spread=float(hues.std()) / 20 if enough else 1.0,
        saturation=float(np.median(saturations)) / 255 if enough else 0.0,
        roughness=float(np.median(detail[on_grass])) / 20 if enough else 1.0,
        lines=line_share,
        long_lines=long_lines,
        figures=figures,
        upright_figures=upright,
        skin=float((skin > 0).mean()),
        flatness=float((detail < 4).mean()),
    )


def _largest_area(green: Mask) -> Mask:
    """The largest connected area of grass, with lines and players filled in."""
    closed = cv2.morphologyEx(green, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(closed, connectivity=4)
    if count < 2:
        return np.zeros_like(green)
    best = 1 + int(np.argmax(stats[1:, cv2.CC_STAT_AREA]))
    return np.asarray(labels == best, dtype=np.uint8) * np.uint8(255)


def _lines(luma: Image, grass: Mask) -> tuple[float, float]:
    """Thin bright strokes on the grass: their share of it, and the length of straight ones."""
    kernel = np.ones((LINE_WIDTH, LINE_WIDTH), np.uint8)
    bright = cv2.morphologyEx(luma, cv2.MORPH_TOPHAT, kernel)
    inside = cv2.erode(cv2.morphologyEx(grass, cv2.MORPH_CLOSE, kernel), np.ones((3, 3), np.uint8))
    strokes = np.asarray((bright > LINE_CONTRAST) & (inside > 0), dtype=np.uint8) * np.uint8(255)
    area = max(1, int(np.count_nonzero(inside)))
    found = cv2.HoughLinesP(strokes, 1, np.pi / 180, LINE_LENGTH, None, LINE_LENGTH, 4)
    length = 0.0
    if found is not None:
        ends = found.reshape(-1, 4).astype(np.float32)[:30]
        length = float(np.hypot(ends[:, 2] - ends[:, 0], ends[:, 3] - ends[:, 1]).sum())
    return min(1.0, 5 * np.count_nonzero(strokes) / area), min(1.0, length / (6 * WIDTH))


def _figures(green: Mask, grass: Mask) -> tuple[float, float]:
    """Figures on the grass: how many, and how many are upright."""
    hull = cv2.morphologyEx(grass, cv2.MORPH_CLOSE, np.ones((25, 25), np.uint8))
    standing = cv2.bitwise_and(hull, cv2.bitwise_not(green))
    count, _, stats, _ = cv2.connectedComponentsWithStats(standing, connectivity=8)
    areas = stats[1:count, cv2.CC_STAT_AREA]
    widths, heights = stats[1:count, cv2.CC_STAT_WIDTH], stats[1:count, cv2.CC_STAT_HEIGHT]
    fitting = (areas >= FIGURE_AREA[0]) & (areas <= FIGURE_AREA[1]) & (widths < WIDTH // 6)
    upright = fitting & (heights > 1.2 * widths)
    return min(1.0, float(fitting.sum()) / 20), min(1.0, float(upright.sum()) / 12)
