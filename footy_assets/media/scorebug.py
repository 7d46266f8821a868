"""Where on the screen a clock may stand: text that OCR found in a few stills of a clip.

Finding text costs far more than reading a known place, so it is done in a few stills, at a small
size. A place is where text was found, in the pixels of the stills as they are.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from footy_assets.media.clock_text import MINUTE, period_in, times_in
from footy_assets.media.decode import Still
from footy_assets.media.ocr import Image, Said, Spot, TextReader

# Stills are searched for text at so many pixels, and once more at more if that finds no time.
SEARCHED_PIXELS, CLOSER_PIXELS = 704 * 396, 1152 * 648
# Text lower or higher than this, in parts of the frame's height, is in no scorebug.
LOWEST, HIGHEST = 0.018, 0.13
# What is read at most, in a picture full of text.
MOST_PLACES = 20
# Around a found text, in parts of its height: digits may come and go at its ends.
MARGIN_X, MARGIN_Y = 0.35, 0.08
# How far a line is looked along beside a place, in heights of its text.
LINE_BESIDE = 4
# A clock this near to the picture's left edge, in parts of its height, may have lost a digit.
CUT_OFF = 0.5
# Columns darker than this, at their brightest, are a border and not picture.
BLACK = 40


@dataclass(frozen=True, slots=True)
class Place:
    """A piece of text on the screen and what it said where it was found."""

    spot: Spot
    said: tuple[Said, ...]

    @property
    def tells_time(self) -> bool:
        return any(times_in(said.text) for said in self.said)

    @property
    def tells_clearly(self) -> bool:
        return bool(self.minutes)

    @property
    def minutes(self) -> frozenset[int]:
        return frozenset(
            (time.seconds + (time.base or 0)) // MINUTE
            for said in self.said
            for time in times_in(said.text)
            if time.clear
        )

    @property
    def names_period(self) -> bool:
        return any(period_in(said.text) for said in self.said)


def find_places(reader: TextReader, stills: Sequence[Still]) -> tuple[Place, ...]:
    """All places with text in these stills, read once each; times first looked for from afar."""
    places = _places(reader, stills, SEARCHED_PIXELS)
    if not any(place.tells_time for place in places) and stills:
        middle = stills[len(stills) // 2]
        places += _places(reader, [middle], CLOSER_PIXELS)
    return places


def near(one: Spot, other: Spot) -> bool:
    """Close enough to be parts of one scorebug: a gap of less than about three digits."""
    reach = 2.5 * max(one.height, other.height)
    across = max(one.left, other.left) - min(one.right, other.right)
    down = max(one.top, other.top) - min(one.bottom, other.bottom)
    return across <= reach and down <= reach


def distinct(places: Sequence[Place]) -> list[Place]:
    """Places that tell a time, clear ones first; of two that show the same one the smaller."""
    kept: list[Place] = []
    for place in sorted(places, key=lambda place: (not place.tells_clearly, place.spot.width)):
        if place.tells_time and not any(_shows(place, other) for other in kept):
            kept.append(place)
    return kept


def picture_left(stills: Sequence[Still]) -> int:
    """The first column that is not a black border in all of these stills."""
    brightest = np.max([still.image.max(axis=2).max(axis=0) for still in stills], axis=0)
    lit = np.flatnonzero(brightest > BLACK)
    return int(lit[0]) if len(lit) else 0


def cut_off(spot: Spot, left: int) -> bool:
    """Is this text so near to the picture's left edge that its first digit may be missing?"""
    return spot.left - left < CUT_OFF * spot.height


def crop(image: Image, spot: Spot) -> Image:
    """The picture of a place with a little around it."""
    beside, above = round(MARGIN_X * spot.height), round(MARGIN_Y * spot.height)
    height, width = image.shape[:2]
    top, bottom = max(0, spot.top - above), min(height, spot.bottom + above)
    left, right = max(0, spot.left - beside), min(width, spot.right + beside)
    return np.ascontiguousarray(image[top:bottom, left:right])


def line_of(image: Image, spot: Spot) -> Image:
    """A place and what stands beside it in the same line."""
    wider = Spot(
        max(0, spot.left - LINE_BESIDE * spot.height),
        spot.top,
        min(image.shape[1], spot.right + LINE_BESIDE * spot.height),
        spot.bottom,
    )
    return crop(image, wider)


def _places(reader: TextReader, stills: Sequence[Still], pixels: int) -> tuple[Place, ...]:
    found: list[tuple[Spot, list[Still]]] = []
    for still in stills:
        for spot in _spots(reader, still.image, pixels):
            for number, (known, seen_in) in enumerate(found):
                if _same(known, spot):
                    found[number] = _union(known, spot), [*seen_in, still]
                    break
            else:
                found.append((spot, [still]))
    # What stays is more likely a scorebug than what passes; at the edge more than in the middle.
    found.sort(key=lambda place: (-len(place[1]), place[0].top))
    return tuple(_read(reader, spot, seen_in) for spot, seen_in in found[:MOST_PLACES])


def _read(reader: TextReader, spot: Spot, seen_in: Sequence[Still]) -> Place:
    """Read once; digits that make no time get another chance in the other stills."""
    said: list[Said] = []
    for still in seen_in:
        said += reader.read([crop(still.image, spot)])
        place = Place(spot, tuple(said))
        if place.tells_clearly or sum(map(str.isdigit, said[-1].text)) < 3:
            break
    return place


def _spots(reader: TextReader, image: Image, pixels: int) -> list[Spot]:
    height, width = image.shape[:2]
    scale = (pixels / (height * width)) ** 0.5
    size = max(32, round(width * scale)), max(32, round(height * scale))
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    searched = np.asarray(cv2.resize(image, size, interpolation=how), np.uint8)
    spots = [Spot(*(round(side / scale) for side in spot)) for spot in reader.spots(searched)]
    low, high = LOWEST * min(height, width), HIGHEST * min(height, width)
    return [spot for spot in spots if low <= spot.height <= high and spot.width >= spot.height]


def _shows(place: Place, other: Place) -> bool:
    """Does this place hold the other one, with the same time on it?"""
    one, inner = place.spot, other.spot
    across = min(one.right, inner.right) - max(one.left, inner.left)
    down = min(one.bottom, inner.bottom) - max(one.top, inner.top)
    if across < 0.6 * inner.width or down < 0.6 * inner.height:
        return False
    return not place.minutes or any(
        abs(mine - theirs) <= 1 for mine in place.minutes for theirs in other.minutes
    )


def _same(one: Spot, other: Spot) -> bool:
    across = min(one.right, other.right) - max(one.left, other.left)
    down = min(one.bottom, other.bottom) - max(one.top, other.top)
    if across <= 0 or down <= 0:
        return False
    shared = across * down
    return shared > 0.5 * max(one.width * one.height, other.width * other.height)


def _union(one: Spot, other: Spot) -> Spot:
    return Spot(
        min(one.left, other.left),
        min(one.top, other.top),
        max(one.right, other.right),
        max(one.bottom, other.bottom),
    )
