"""Finds what may be digits in a small picture of one line of text.

OCR engines miss a digit that stands alone in a box, or read the box as a zero. Here every blob of
ink as high as the text is cut out, whatever the colours, and scaled to one size for the digit
model.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from footy_assets.media.ocr import Image, TextBox

Gray = NDArray[np.uint8]
Patch = NDArray[np.float32]

# The line is scaled so that its capitals are this high before it is cut up.
LINE_HEIGHT = 40
# A glyph's height and width, in parts of that height.
MIN_HEIGHT, MAX_HEIGHT, MIN_WIDTH, MAX_WIDTH = 0.55, 1.7, 0.1, 0.9
# How far its middle may be from the middle of the line.
MAX_OFF_LINE = 0.5
# The least difference in brightness between a glyph and what is around it.
MIN_CONTRAST = 22
# Patches for the digit model.
PATCH_HEIGHT, PATCH_WIDTH = 20, 16
# Sizes of the neighbourhood of an adaptive threshold, and how far above its mean ink is.
THRESHOLDS = ((1.5, 12), (0.9, 8), (2.5, 22))


@dataclass(frozen=True, slots=True)
class Glyph:
    """A blob of ink: where it stands in the line's picture, and how it looks (ink 1, paper 0)."""

    box: TextBox
    patch: Patch


def find_glyphs(line: Image, capitals: float) -> list[Glyph]:
    """Every blob that may be a digit, some of them more than once. `capitals` is the height of the
    line's capitals in pixels."""
    scale = LINE_HEIGHT / capitals
    gray = cv2.cvtColor(line, cv2.COLOR_BGR2GRAY)
    size = max(8, round(gray.shape[1] * scale)), max(8, round(gray.shape[0] * scale))
    grown = np.asarray(cv2.resize(gray, size, interpolation=cv2.INTER_CUBIC), np.uint8)
    glyphs: list[Glyph] = []
    for bright in (grown, np.asarray(255 - grown, np.uint8)):
        for mask in _masks(bright):
            glyphs += _blobs(bright, mask, scale)
    return glyphs


def _masks(bright: Gray) -> Iterator[Gray]:
    for reach, above in THRESHOLDS:
        window = int(reach * LINE_HEIGHT) | 1
        yield np.asarray(
            cv2.adaptiveThreshold(
                bright, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY, window, -above
            ),
            np.uint8,
        )
    _, split = cv2.threshold(bright, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    yield np.asarray(split, np.uint8)


def _blobs(bright: Gray, mask: Gray, scale: float) -> Iterator[Glyph]:
    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=4)
    for number in _glyph_sized(np.asarray(stats, np.int32), *bright.shape):
        left, top, width, height, _ = stats[number].tolist()
        inside = slice(top - 2, top + height + 2), slice(left - 2, left + width + 2)
        patch = _patch(bright[inside], labels[inside] == number)
        if patch is not None:
            corners = (left, top, left + width, top + height)
            yield Glyph(TextBox(*(round(corner / scale) for corner in corners)), patch)


def _glyph_sized(stats: NDArray[np.int32], rows: int, columns: int) -> list[int]:
    """The numbers of the blobs with a digit's size, on the line, and inside of the picture. Most
    blobs are specks, so all are looked at at once."""
    left, top, width, height = stats[:, :4].T
    right, bottom = left + width, top + height
    size = (height >= MIN_HEIGHT * LINE_HEIGHT) & (height <= MAX_HEIGHT * LINE_HEIGHT)
    shape = (width >= MIN_WIDTH * height) & (width <= MAX_WIDTH * height)
    inside = (left > 1) & (top > 1) & (right < columns - 1) & (bottom < rows - 1)
    on_line = np.abs(top + height / 2 - rows / 2) <= MAX_OFF_LINE * LINE_HEIGHT
    found = np.flatnonzero(size & shape & inside & on_line)
    return [number for number in found.tolist() if number > 0]


def _patch(bright: Gray, ink: NDArray[np.bool_]) -> Patch | None:
    """The glyph in its own proportions in the middle of a patch; None without contrast."""
    if not ink.any():
        return None
    around = cv2.dilate(ink.astype(np.uint8), np.ones((5, 5), np.uint8)).astype(bool) & ~ink
    paper = float(bright[around].mean()) if around.any() else 0.0
    contrast = float(bright[ink].mean()) - paper
    if contrast < MIN_CONTRAST:
        return None
    # What is next to the glyph but no part of it is paper.
    near = cv2.dilate(ink.astype(np.uint8), np.ones((7, 7), np.uint8)).astype(bool)
    shown = np.where(near, (bright - paper) / contrast, 0.0).clip(0, 1.2).astype(np.float32)
    height, width = shown.shape
    scale = min(PATCH_HEIGHT / height, PATCH_WIDTH / width)
    size = max(1, round(width * scale)), max(1, round(height * scale))
    small = cv2.resize(shown, size, interpolation=cv2.INTER_AREA)
    patch = np.zeros((PATCH_HEIGHT, PATCH_WIDTH), np.float32)
    y, x = (PATCH_HEIGHT - size[1]) // 2, (PATCH_WIDTH - size[0]) // 2
    patch[y : y + size[1], x : x + size[0]] = small
    return patch


def stack_patches(glyphs: Sequence[Glyph]) -> Patch:
    """All patches as rows of one matrix."""
    return np.array([glyph.patch.ravel() for glyph in glyphs], np.float32)
