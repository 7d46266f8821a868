"""Text regions of a clip's stills, in which a clock may stand.

Detecting text costs far more than reading a known region, so it runs on a few stills at a small
size, and there in the areas whose edges stay. Boxes are in pixels of the original stills.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from footy_assets.media.clock_text import MINUTE, parse_period, parse_times
from footy_assets.media.decode import Still
from footy_assets.media.ocr import Image, OcrText, TextBox, TextReader, surround
from footy_assets.media.scorebug_layout import Cell, is_name, split_line

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
# Sides of the pictures that the text detector takes are multiples of this.
BLOCK = 32
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


def find_text_regions(
    reader: TextReader, stills: Sequence[Still], areas: Sequence[TextBox] = ()
) -> tuple[TextRegion, ...]:
    """The regions with text in these areas of the stills. If none shows a time, those of the whole
    middle still, or of all stills if there are no areas, and then what a larger image of the areas
    shows, too."""
    if not stills:
        return ()
    middle = stills[len(stills) // 2]
    whole = [TextBox(0, 0, middle.image.shape[1], middle.image.shape[0])]
    searches = (
        (stills, areas, SEARCH_PIXELS),
        (
            [middle] if areas else stills,
            whole if tuple(areas) != tuple(whole) else (),
            SEARCH_PIXELS,
        ),
        ([middle], areas, CLOSE_SEARCH_PIXELS),
    )
    regions: tuple[TextRegion, ...] = ()
    for searched, places, pixels in searches:
        found = _find_regions(reader, searched, places, pixels)
        regions += (*found, *filter(None, map(time_in_line, found)))
        if any(region.shows_time for region in regions):
            break
    return regions


def time_in_line(region: TextRegion) -> TextRegion | None:
    """The part of a line that shows a time, without the names beside it: 23:41 of 23:41 ARS 1-0
    CHE. It is read faster and surer than the line. None if the line shows nothing else."""
    line = next((text for text in region.texts if _shows_clear_time(text)), None)
    if line is None:
        return None
    beside = round(MARGIN_X * region.box.height)
    box = region.box._replace(
        left=max(0, region.box.left - beside), right=region.box.right + beside
    )
    cells = split_line(box, line)
    at = next((n for n, cell in enumerate(cells) if _shows_clear_time(cell)), None)
    names = [number for number, cell in enumerate(cells) if is_name(cell)]
    if at is None or not names:
        return None
    first = max((number + 1 for number in names if number < at), default=0)
    last = min((number for number in names if number > at), default=len(cells))
    part = cells[first:last]
    text = OcrText(" ".join(cell.text for cell in part), line.confidence)
    return TextRegion(surround(cell.box for cell in part), (text,), region.seen_in)


def _shows_clear_time(text: OcrText | Cell) -> bool:
    return any(time.clear for time in parse_times(text.text))


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
    brightest = np.max([still.image.max(axis=0).max(axis=1) for still in stills], axis=0)
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
    reader: TextReader, stills: Sequence[Still], areas: Sequence[TextBox], pixels: int
) -> tuple[TextRegion, ...]:
    found: list[tuple[TextBox, list[Still]]] = []
    for still, area in ((still, area) for still in stills for area in areas):
        for box in _detect_text(reader, still.image, area, pixels):
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


def _detect_text(reader: TextReader, image: Image, area: TextBox, pixels: int) -> list[TextBox]:
    """The texts of an area, and of what is beside it if one of them goes on there."""
    height, width = image.shape[:2]
    scale = (pixels / (height * width)) ** 0.5
    place = _in_whole_blocks(area, scale, width, height)
    found = _detect_in(reader, image, place, scale)
    if any(_goes_on(box, place, width) for box in found):
        place = place._replace(left=0, right=width)
        found = _detect_in(reader, image, place, scale)
    low, high = MIN_TEXT_HEIGHT * min(height, width), MAX_TEXT_HEIGHT * min(height, width)
    return [box for box in found if low <= box.height <= high and box.width >= box.height]


def _goes_on(box: TextBox, place: TextBox, width: int) -> bool:
    """Whether a text reaches a side of the place that is not a side of the picture."""
    return (0 < place.left >= box.left - 1) or (width > place.right <= box.right + 1)


def _in_whole_blocks(area: TextBox, scale: float, width: int, height: int) -> TextBox:
    """The area as large as the detector's blocks make it, so that it is not distorted."""
    sides = []
    for low, high, most in ((area.left, area.right, width), (area.top, area.bottom, height)):
        length = min(most, math.ceil((high - low) * scale / BLOCK) * BLOCK / scale)
        start = min(max(0.0, (low + high - length) / 2), most - length)
        sides.append((round(start), round(start + length)))
    (left, right), (top, bottom) = sides
    return TextBox(left, top, right, bottom)


def _detect_in(reader: TextReader, image: Image, place: TextBox, scale: float) -> list[TextBox]:
    size = max(BLOCK, round(place.width * scale)), max(BLOCK, round(place.height * scale))
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    part = image[place.top : place.bottom, place.left : place.right]
    searched = np.asarray(cv2.resize(part, size, interpolation=how), np.uint8)
    left, top = place.left, place.top
    found = []
    for box in reader.detect(searched):
        x, y, right, bottom = (round(side / scale) for side in box)
        found.append(TextBox(x + left, y + top, right + left, bottom + top))
    return found


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
