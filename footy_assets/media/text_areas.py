"""Where in a clip text may stay: parts of the picture whose edges are the same in many stills.

A scorebug, a logo or a caption is drawn at the same pixels in every still, while the picture below
moves. To find these parts costs a hundredth of what detecting text in the whole picture does.
"""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from footy_assets.media.decode import Still
from footy_assets.media.ocr import Image, TextBox

# Edges are compared in this many stills, at this width; how strong an edge is (Sobel, 8 bit), and
# in which part of the stills it has to be.
COMPARED_STILLS, WIDTH = 13, 640
MIN_EDGE, MIN_SHARE, MIN_STILLS = 45, 0.5, 3
# Text has this many rising and as many falling edges in a window of this size.
WINDOW, MIN_EDGES = (33, 13), 20
# A vertical line of this length is a border of the picture and no letter.
LINE = 31
# What is added to either side of the text found, at that width.
MARGIN_X, MARGIN_Y = 44, 15
# A scorebug that only the first or the last part of a clip shows is in all stills of it.
END_STILLS = 6
# The whole picture is searched instead of areas that are more than this part of it.
MAX_PART = 0.6

_Mask = NDArray[np.uint8]


def text_areas(stills: Sequence[Still]) -> tuple[TextBox, ...]:
    """The areas, in pixels of the stills: the whole picture if nearly everything stays, none if
    nothing does."""
    step = max(1, len(stills) // COMPARED_STILLS)
    compared = [still.image for still in stills[step // 2 :: step]][:COMPARED_STILLS]
    if len(compared) < MIN_STILLS:
        return ()
    rows, columns = compared[0].shape[:2]
    scale = WIDTH / columns
    size = WIDTH, round(rows * scale)
    if min(size[1], columns) < WINDOW[0]:
        return ()
    places = _text_like(*_lasting_edges(compared, size))
    grown = cv2.dilate(places, np.ones((2 * MARGIN_Y + 1, 2 * MARGIN_X + 1), np.uint8))
    count, _, found, _ = cv2.connectedComponentsWithStats(grown, connectivity=8)
    areas = []
    for left, top, width, height, _ in found[1:count].tolist():
        corners = (left, top, left + width, top + height)
        area = TextBox(*(round(side / scale) for side in corners))
        areas.append(TextBox(area.left, area.top, min(columns, area.right), min(rows, area.bottom)))
    covered = sum(area.width * area.height for area in areas)
    if covered > MAX_PART * rows * columns:
        return (TextBox(0, 0, columns, rows),)
    return tuple(areas)


def _lasting_edges(images: Sequence[Image], size: tuple[int, int]) -> tuple[_Mask, _Mask]:
    """Where it becomes brighter to the right, and where darker, in enough of the images."""
    rising, falling = [], []
    for image in images:
        how = cv2.INTER_AREA if image.shape[1] > size[0] else cv2.INTER_LINEAR
        gray = cv2.cvtColor(cv2.resize(image, size, interpolation=how), cv2.COLOR_BGR2GRAY)
        slope = cv2.Sobel(gray, cv2.CV_16S, 1, 0)
        rising.append((slope > MIN_EDGE).view(np.uint8))
        falling.append((slope < -MIN_EDGE).view(np.uint8))
    return _lasting(rising), _lasting(falling)


def _lasting(masks: Sequence[_Mask]) -> _Mask:
    often = sum(masks[1:], masks[0]) >= max(MIN_STILLS, MIN_SHARE * len(masks))
    if len(masks) >= 2 * END_STILLS:
        for part in (masks[:END_STILLS], masks[-END_STILLS:]):
            often |= np.bitwise_and.reduce(part).astype(bool)
    return np.asarray(often, np.uint8)


def _text_like(rising: _Mask, falling: _Mask) -> _Mask:
    """The middles of windows with as many edges as text has."""
    lines = cv2.morphologyEx(rising | falling, cv2.MORPH_OPEN, np.ones((LINE, 1), np.uint8))
    lines = cv2.dilate(lines, np.ones((1, 5), np.uint8))
    counts = [
        cv2.boxFilter(np.where(lines, 0, one).astype(np.uint8), cv2.CV_16U, WINDOW, normalize=False)
        for one in (rising, falling)
    ]
    return np.asarray((counts[0] >= MIN_EDGES) & (counts[1] >= MIN_EDGES), np.uint8)
