"""Text regions of a clip's stills, in which a clock may stand.

Detecting text costs far more than reading a known region, so it runs on a few stills at a small
size. Boxes are in pixels of the original stills.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from footy_assets.media.clock_text import MINUTE, parse_period, parse_times
from footy_assets.media.decode import Still
from footy_assets.media.ocr import Image, OcrText, TextBox, TextReader, surround

# Text is detected in stills of this many pixels, and in larger ones if that finds no time.
SEARCH_PIXELS, CLOSE_SEARCH_PIXELS = 704 * 396, 1152 * 648
# The height of text in a scorebug, in parts of the frame's shorter side.
MIN_TEXT_HEIGHT, MAX_TEXT_HEIGHT = 0.018, 0.13
MAX_REGIONS = 20
# The margin around a text box, in parts of its height: digits may come and go at its ends.
MARGIN_X, MARGIN_Y = 0.35, 0.08
# How far `crop_line` reaches to either side, in heights of the text.
LINE_REACH = 4
# A clock this close to the left border, in parts of its height, may miss a digit.
CUT_OFF_WITHIN = 0.5
# Columns whose brightest pixel is darker than this are a border.
BLACK = 40


@dataclass(frozen=True, slots=True)
class TextRegion:
    """A text box and its text in the stills in which it was detected."""

    box: TextBox
    texts: tuple[OcrText, ...]
    # In how many of the searched stills it was detected.
    seen_in: int = 1

    @property
    def shows_time(self) -> bool:
        return any(parse_times(text.text) for text in self.texts)

    @property
    def shows_clear_time(self) -> bool:
        return bool(self.minutes)

    @property
    def minutes(self) -> frozenset[int]:
        return frozenset(
            (time.seconds + (time.base or 0)) // MINUTE
            for text in self.texts
            for time in parse_times(text.text)
            if time.clear
        )

    @property
    def shows_period(self) -> bool:
        return any(parse_period(text.text) for text in self.texts)


def find_text_regions(reader: TextReader, stills: Sequence[Still]) -> tuple[TextRegion, ...]:
    """All regions with text in these stills. Searches a larger image if no region shows a time."""
    regions = _find_regions(reader, stills, SEARCH_PIXELS)
    if not any(region.shows_time for region in regions) and stills:
        middle = stills[len(stills) // 2]
        regions += _find_regions(reader, [middle], CLOSE_SEARCH_PIXELS)
    return regions


def are_adjacent(one: TextBox, other: TextBox) -> bool:
    """Whether two boxes can be parts of one scorebug: a gap of less than about three digits."""
    reach = 2.5 * max(one.height, other.height)
    across = max(one.left, other.left) - min(one.right, other.right)
    down = max(one.top, other.top) - min(one.bottom, other.bottom)
    return across <= reach and down <= reach


def clock_regions(regions: Sequence[TextRegion]) -> list[TextRegion]:
    """Regions that show a time, clear ones first; of two that show the same time the smaller."""
    kept: list[TextRegion] = []
    for region in sorted(
        regions, key=lambda region: (not region.shows_clear_time, region.box.width)
    ):
        if region.shows_time and not any(_contains_same_time(region, other) for other in kept):
            kept.append(region)
    return kept


def left_border(stills: Sequence[Still]) -> int:
    """The first column that is not a black border in all of these stills."""
    brightest = np.max([still.image.max(axis=2).max(axis=0) for still in stills], axis=0)
    lit = np.flatnonzero(brightest > BLACK)
    return int(lit[0]) if len(lit) else 0


def is_cut_off(box: TextBox, left: int) -> bool:
    """Whether a text is so close to the left border that its first digit may be missing."""
    return box.left - left < CUT_OFF_WITHIN * box.height


def crop(image: Image, box: TextBox) -> Image:
    """The image of a box with a small margin."""
    beside, above = round(MARGIN_X * box.height), round(MARGIN_Y * box.height)
    height, width = image.shape[:2]
    top, bottom = max(0, box.top - above), min(height, box.bottom + above)
    left, right = max(0, box.left - beside), min(width, box.right + beside)
    return np.ascontiguousarray(image[top:bottom, left:right])


def crop_line(image: Image, box: TextBox) -> Image:
    """The image of a box and its neighbours in the same line."""
    wider = TextBox(
        max(0, box.left - LINE_REACH * box.height),
        box.top,
        min(image.shape[1], box.right + LINE_REACH * box.height),
        box.bottom,
    )
    return crop(image, wider)


def _find_regions(
    reader: TextReader, stills: Sequence[Still], pixels: int
) -> tuple[TextRegion, ...]:
    found: list[tuple[TextBox, list[Still]]] = []
    for still in stills:
        for box in _detect_text(reader, still.image, pixels):
            for number, (known, seen_in) in enumerate(found):
                if _mostly_overlap(known, box):
                    found[number] = surround((known, box)), [*seen_in, still]
                    break
            else:
                found.append((box, [still]))
    # Text that stays is more likely a scorebug, and so is text at the top.
    found.sort(key=lambda region: (-len(region[1]), region[0].top))
    return tuple(_read_region(reader, box, seen_in) for box, seen_in in found[:MAX_REGIONS])


def _read_region(reader: TextReader, box: TextBox, seen_in: Sequence[Still]) -> TextRegion:
    """Read a region once; if its digits make no time, read the other stills too."""
    texts: list[OcrText] = []
    for still in seen_in:
        texts += reader.recognize([crop(still.image, box)])
        region = TextRegion(box, tuple(texts), len(seen_in))
        if region.shows_clear_time or sum(map(str.isdigit, texts[-1].text)) < 3:
            break
    return region


def _detect_text(reader: TextReader, image: Image, pixels: int) -> list[TextBox]:
    height, width = image.shape[:2]
    scale = (pixels / (height * width)) ** 0.5
    size = max(32, round(width * scale)), max(32, round(height * scale))
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    searched = np.asarray(cv2.resize(image, size, interpolation=how), np.uint8)
    boxes = [TextBox(*(round(side / scale) for side in box)) for box in reader.detect(searched)]
    low, high = MIN_TEXT_HEIGHT * min(height, width), MAX_TEXT_HEIGHT * min(height, width)
    return [box for box in boxes if low <= box.height <= high and box.width >= box.height]


def _contains_same_time(region: TextRegion, other: TextRegion) -> bool:
    """Whether this region contains the other one and shows the same time."""
    one, inner = region.box, other.box
    across = min(one.right, inner.right) - max(one.left, inner.left)
    down = min(one.bottom, inner.bottom) - max(one.top, inner.top)
    if across < 0.6 * inner.width or down < 0.6 * inner.height:
        return False
    return not region.minutes or any(
        abs(mine - theirs) <= 1 for mine in region.minutes for theirs in other.minutes
    )


def _mostly_overlap(one: TextBox, other: TextBox) -> bool:
    across = min(one.right, other.right) - max(one.left, other.left)
    down = min(one.bottom, other.bottom) - max(one.top, other.top)
    if across <= 0 or down <= 0:
        return False
    shared = across * down
    return shared > 0.5 * max(one.width * one.height, other.width * other.height)
