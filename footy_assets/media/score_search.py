"""V6: finds where the score stands around the names, and reads its digits there."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from footy_assets.media.clock_text import parse_times
from footy_assets.media.digit_glyphs import find_glyphs
from footy_assets.media.digit_model import Digit, read_digits
from footy_assets.media.ocr import Image, TextBox, surround
from footy_assets.media.scorebug_layout import (
    CAPITALS,
    Cell,
    NamePair,
    ScoreLayout,
    is_name,
    name_pairs,
    score_spots,
)

# Two digits closer together than this, in parts of their height, are one number.
ONE_NUMBER = 0.5
# Once it is known where a digit stands, this much around it is read, in heights of the digit.
AROUND_DIGIT = 1.2


@dataclass(frozen=True, slots=True)
class FoundScore:
    """A pair of names, and the place of each side's number in pixels of the stills."""

    pair: NamePair
    layout: ScoreLayout
    spots: tuple[TextBox, TextBox]

    def is_like(self, other: "FoundScore") -> bool:
        """The same place found twice, as when a name was detected twice."""
        return self.layout is other.layout and all(
            mine.overlaps(theirs) for mine, theirs in zip(self.spots, other.spots, strict=True)
        )


class BandPicture:
    """A picture of the place of a scorebug, and the digits read in it so far."""

    def __init__(self, image: Image, band: TextBox) -> None:
        self.image, self.band = image, band
        self._digits: dict[TextBox, list[Digit]] = {}

    def digits_in(self, spot: TextBox, capitals: float) -> list[Digit]:
        """Digits in a place; it and their boxes are in pixels of the stills."""
        if spot not in self._digits:
            top, bottom = max(0, spot.top - self.band.top), spot.bottom - self.band.top
            left, right = max(0, spot.left - self.band.left), spot.right - self.band.left
            crop = self.image[top:bottom, left:right]
            readable = crop.size > 0 and min(crop.shape[:2]) >= 4
            glyphs = find_glyphs(np.ascontiguousarray(crop), capitals) if readable else []
            x, y = left + self.band.left, top + self.band.top
            self._digits[spot] = [digit.moved(x, y) for digit in read_digits(glyphs)]
        return self._digits[spot]


def find_score(ends: Sequence[BandPicture], cells: Sequence[Cell], width: int) -> FoundScore | None:
    """The pair of names with numbers at one of the known places, at the clip's begin or end; None
    if two pairs or places are as likely."""
    found: list[tuple[float, FoundScore]] = []
    for pair in name_pairs(cells):
        for layout in ScoreLayout:
            spots = score_spots(pair, layout, width)
            if spots is None:
                continue
            spots = without_other_texts(spots, pair, cells)
            numbers = [n for end in ends if (n := numbers_in(end, spots, layout, pair)) is not None]
            if numbers:
                strength = max(min(one.probability for one in pair_) for pair_ in numbers)
                found.append((strength, FoundScore(pair, layout, spots)))
    if not found:
        return None
    found.sort(key=lambda one: -one[0])
    # Two digits between two names are more specific than digits in two rows.
    between = [one for one in found if one[1].layout is ScoreLayout.BETWEEN]
    if between and between[0][0] > 0.8 * found[0][0]:
        found = between
    strength, best = found[0]
    if any(other > 0.8 * strength and not best.is_like(one) for other, one in found[1:]):
        return None
    return best


def without_other_texts(
    spots: tuple[TextBox, TextBox], pair: NamePair, cells: Sequence[Cell]
) -> tuple[TextBox, TextBox]:
    """Each place up to the first other text in it: a clock, another name."""
    cut = []
    for spot, name in zip(spots, (pair.home, pair.away), strict=True):
        left, right = spot.left, spot.right
        for cell in cells:
            if cell is pair.home or cell is pair.away or not _is_other_text(cell):
                continue
            box = cell.box
            if min(box.bottom, name.box.bottom) - max(box.top, name.box.top) < 0.4 * box.height:
                continue
            if box.left >= name.box.right - 2 and box.left < right:
                right = max(left, box.left)
            elif box.right <= name.box.left + 2 and box.right > left:
                left = min(right, box.right)
        cut.append(TextBox(left, spot.top, right, spot.bottom))
    return cut[0], cut[1]


def _is_other_text(cell: Cell) -> bool:
    text = cell.text.strip()
    if any(time.clear for time in parse_times(text)) and sum(map(str.isdigit, text)) >= 3:
        return True
    return is_name(cell) and sum(map(str.isalpha, text)) >= 3


def numbers_in(
    picture: BandPicture, spots: tuple[TextBox, TextBox], layout: ScoreLayout, pair: NamePair
) -> tuple[Digit, Digit] | None:
    """The digits of both sides in one picture of the band, if there are as many as the layout
    needs and they stand on one line or in one column. None if a number has two digits."""
    capitals = CAPITALS * pair.height
    if layout is ScoreLayout.BETWEEN:
        digits = picture.digits_in(spots[0], capitals)
        if len(digits) != 2:
            return None
        home, away = digits
    else:
        sides = [picture.digits_in(spot, capitals) for spot in spots]
        if any(not 0 < len(side) <= 2 for side in sides):
            return None
        last_of = {
            ScoreLayout.OUTSIDE: (True, False),
            ScoreLayout.AFTER: (False, False),
            ScoreLayout.BEFORE: (True, True),
        }[layout]
        if any(_are_one_number(side) for side in sides):
            return None
        home, away = (side[-1 if last else 0] for side, last in zip(sides, last_of, strict=True))
        if pair.stacked and not _in_one_column(home, away, pair):
            return None
    low, high = sorted((home.box.height, away.box.height))
    return (home, away) if high <= 1.35 * low else None


def at_its_digits(found: FoundScore, ends: Sequence[BandPicture], width: int) -> FoundScore:
    """The same score, its places no larger than it takes to read its digits, and to see a second
    digit beside each."""
    read = [numbers_in(end, found.spots, found.layout, found.pair) for end in ends]
    digits = [pair for pair in read if pair is not None]
    if not digits:
        return found
    sides = [surround(pair[side].box for pair in digits) for side in (0, 1)]
    if found.layout is ScoreLayout.BETWEEN:
        sides = [surround(sides)] * 2
    reach = round(AROUND_DIGIT * max(one.box.height for pair in digits for one in pair))
    home, away = (
        TextBox(
            max(0, spot.left, box.left - reach),
            max(0, spot.top, box.top - reach),
            min(width, spot.right, box.right + reach),
            min(spot.bottom, box.bottom + reach),
        )
        for box, spot in zip(sides, found.spots, strict=True)
    )
    return replace(found, spots=(home, away))


def _are_one_number(side: Sequence[Digit]) -> bool:
    return any(
        right.box.left - left.box.right < ONE_NUMBER * min(left.box.height, right.box.height)
        for left, right in pairwise(side)
    )


def _in_one_column(home: Digit, away: Digit, pair: NamePair) -> bool:
    """Below each other, or as far from the names."""
    apart = home.box.left - away.box.left
    names = pair.home.box.right - pair.away.box.right
    return min(abs(apart), abs(apart - names)) <= 0.6 * pair.height
