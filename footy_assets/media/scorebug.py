"""V6: reads both sides and the score from the scorebug of a clip.

The texts that stay in the picture are known from the search for the clock. Around them the stills
are averaged, which sharpens what stays, and the names are read there; the digits of the score are
read in every still, so that a change is seen. What is not certain is left out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from footy_assets.media.clock_text import parse_minute_mark, parse_times
from footy_assets.media.decode import Still
from footy_assets.media.digit_glyphs import find_glyphs
from footy_assets.media.digit_model import Digit, read_digits
from footy_assets.media.ocr import (
    Image,
    TextBox,
    TextReader,
    reading_failure,
    surround,
    text_reader,
)
from footy_assets.media.scorebug_digits import ScoreDigits
from footy_assets.media.scorebug_layout import (
    CAPITALS,
    Cell,
    NamePair,
    ScoreLayout,
    clean_name,
    is_cut_off,
    is_name,
    name_pairs,
    score_spots,
    split_line,
)
from footy_assets.media.scorebug_reading import ScorebugReading, choose_scores
from footy_assets.media.text_regions import TextRegion, are_adjacent

# Text is detected around the anchor at these heights of its boxes, in pixels.
DETECT_HEIGHTS = (32, 48)
# How far a scorebug may reach from its clock or its names, in heights of the text.
REACH_ACROSS, REACH_DOWN = 17.0, 2.3
# A still shows the bug if its anchor looks at least this much like the reference.
MIN_LIKENESS = 0.55
# The part of the stills at each end of the clip whose average shows where the score stands.
END_SHARE = 0.3
MIN_VISIBLE, MIN_VISIBLE_SHARE = 3, 0.3
MAX_ANCHORS = 2
# In how many stills a name is read, and how many must agree with the average of all.
NAME_STILLS, MIN_NAME_STILLS = 3, 2
# The least confidence of a name in the average.
SURE_NAME = 0.9


@dataclass(frozen=True, slots=True)
class _Found:
    pair: NamePair
    layout: ScoreLayout
    spots: tuple[TextBox, TextBox]

    def is_like(self, other: "_Found") -> bool:
        """The same place found twice, as when a name was detected twice."""
        return self.layout is other.layout and all(
            mine.overlaps(theirs) for mine, theirs in zip(self.spots, other.spots, strict=True)
        )


class _Line:
    """A picture of the place of a scorebug, and the digits read in it so far."""

    def __init__(self, image: Image, band: TextBox) -> None:
        self.image, self.band = image, band
        self._digits: dict[TextBox, list[Digit]] = {}

    def digits_in(self, spot: TextBox, capitals: float) -> list[Digit]:
        """Digits in a place, which is given in pixels of the stills."""
        if spot not in self._digits:
            top, bottom = max(0, spot.top - self.band.top), spot.bottom - self.band.top
            left, right = max(0, spot.left - self.band.left), spot.right - self.band.left
            crop = self.image[top:bottom, left:right]
            readable = crop.size > 0 and min(crop.shape[:2]) >= 4
            glyphs = find_glyphs(np.ascontiguousarray(crop), capitals) if readable else []
            self._digits[spot] = read_digits(glyphs)
        return self._digits[spot]


def read_scorebug(
    stills: Sequence[Still],
    regions: Sequence[TextRegion],
    clock: TextBox | None,
    reader: TextReader | None = None,
) -> ScorebugReading:
    """Read the names and the score. Never raises: `reason` explains what is missing."""
    try:
        return _read(stills, regions, clock, reader or text_reader())
    except Exception as error:
        return ScorebugReading(reason=reading_failure("the scorebug", error))


def _read(
    stills: Sequence[Still],
    regions: Sequence[TextRegion],
    clock: TextBox | None,
    reader: TextReader,
) -> ScorebugReading:
    best = ScorebugReading(reason="no scorebug found")
    for anchor in _anchors(regions, clock):
        visible = _visible(stills, anchor)
        if len(visible) < max(MIN_VISIBLE, MIN_VISIBLE_SHARE * len(stills)):
            continue
        reading = _read_around(visible, anchor, regions, reader)
        if reading.names:
            return reading
        if len(reading.cells) > len(best.cells):
            best = reading
    return best


def _anchors(regions: Sequence[TextRegion], clock: TextBox | None) -> Iterator[tuple[TextBox, ...]]:
    """Where a scorebug may be: at the clock, or else at two names."""
    if clock is not None:
        yield (clock,)
        return
    cells = {cell: region for region in regions for cell in _cells_of(region)}
    pairs = sorted(
        name_pairs(list(cells)),
        key=lambda pair: (
            -cells[pair.home].seen_in - cells[pair.away].seen_in,
            pair.stacked,
            pair.home.box.top,
        ),
    )
    places: list[TextBox] = []
    for pair in pairs:
        if len(places) < MAX_ANCHORS and not any(pair.box.overlaps(place) for place in places):
            places.append(pair.box)
            yield pair.home.box, pair.away.box


def _cells_of(region: TextRegion) -> list[Cell]:
    return [cell for line in region.texts[:1] for cell in split_line(region.box, line)]


def _visible(stills: Sequence[Still], anchor: Sequence[TextBox]) -> list[Still]:
    """The stills that show the anchor: they look there like most of the others."""
    looks = np.array([_look(still.image, anchor) for still in stills], np.float64)
    looks -= looks.mean(axis=1, keepdims=True)
    looks /= np.linalg.norm(looks, axis=1, keepdims=True) + 1e-9
    alike = looks @ looks.T
    reference = alike[int(np.median(alike, axis=1).argmax())]
    return [still for still, like in zip(stills, reference, strict=True) if like >= MIN_LIKENESS]


def _look(image: Image, boxes: Sequence[TextBox]) -> Image:
    crops = (image[box.top : box.bottom, box.left : box.right] for box in boxes)
    return np.concatenate([crop.mean(axis=2).ravel() for crop in crops])


def _read_around(
    stills: Sequence[Still],
    anchor: Sequence[TextBox],
    regions: Sequence[TextRegion],
    reader: TextReader,
) -> ScorebugReading:
    """Try the texts as they were detected first, then a closer look at the place."""
    rows, columns = stills[0].image.shape[:2]
    height = sum(box.height for box in anchor) / len(anchor)
    around = surround(anchor)
    band = TextBox(
        max(0, round(around.left - REACH_ACROSS * height)),
        max(0, round(around.top - REACH_DOWN * height)),
        min(columns, round(around.right + REACH_ACROSS * height)),
        min(rows, round(around.bottom + REACH_DOWN * height)),
    )
    average = _average(stills, band)
    part = max(1, round(len(stills) * END_SHARE))
    ends = [_Line(_average(few, band), band) for few in (stills[:part], stills[-part:])]
    best = ScorebugReading(reason="no names with a score")
    for pixels in (0, *DETECT_HEIGHTS):
        if pixels:
            cells = _cells(reader, average, band, pixels / height)
        else:
            cells = [cell for region in regions for cell in _cells_of(region)]
            cells = [cell for cell in cells if band.holds(cell.box)]
        found = _find_score(ends, cells, columns)
        reading = _to_reading(stills, band, cells, found, reader)
        if reading.names:
            return reading
        if len(reading.cells) > len(best.cells):
            best = reading
    return best


def _average(stills: Sequence[Still], band: TextBox) -> Image:
    crops = [still.image[band.top : band.bottom, band.left : band.right] for still in stills]
    return np.asarray(np.median(np.array(crops), axis=0), np.uint8)


def _cells(reader: TextReader, average: Image, band: TextBox, scale: float) -> list[Cell]:
    size = max(32, round(average.shape[1] * scale)), max(32, round(average.shape[0] * scale))
    grown = np.asarray(cv2.resize(average, size, interpolation=cv2.INTER_CUBIC), np.uint8)
    cells = []
    for box in reader.detect(grown):
        margin = round(0.12 * box.height)
        top, left = max(0, box.top - margin), max(0, box.left - margin)
        crop = grown[top : box.bottom + margin, left : box.right + margin]
        (line,) = reader.recognize([np.ascontiguousarray(crop)])
        corners = [round(side / scale) for side in box]
        placed = TextBox(
            corners[0] + band.left,
            corners[1] + band.top,
            corners[2] + band.left,
            corners[3] + band.top,
        )
        if not is_cut_off(placed, band):
            cells += split_line(placed, line)
    return cells


def _find_score(ends: Sequence["_Line"], cells: Sequence[Cell], width: int) -> _Found | None:
    """The pair of names with numbers at one of the known places, at the clip's begin or end; None
    if two pairs or places are as likely."""
    found: list[tuple[float, _Found]] = []
    for pair in name_pairs(cells):
        for layout in ScoreLayout:
            spots = score_spots(pair, layout, width)
            if spots is None:
                continue
            spots = _without_times(spots, pair, cells)
            numbers = [n for end in ends if (n := _numbers(end, spots, layout, pair)) is not None]
            if numbers:
                strength = max(min(one.probability for one in pair_) for pair_ in numbers)
                found.append((strength, _Found(pair, layout, spots)))
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


def _without_times(
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


def _numbers(
    line: _Line, spots: tuple[TextBox, TextBox], layout: ScoreLayout, pair: NamePair
) -> tuple[Digit, Digit] | None:
    """The digits of both sides in one picture of the band, if there are as many as the layout
    needs and they stand on one line or in one column."""
    capitals = CAPITALS * pair.height
    if layout is ScoreLayout.BETWEEN:
        digits = line.digits_in(spots[0], capitals)
        if len(digits) != 2:
            return None
        home, away = digits
    else:
        sides = [line.digits_in(spot, capitals) for spot in spots]
        if layout is ScoreLayout.OUTSIDE:
            nearest = [side[-1:] if number == 0 else side[:1] for number, side in enumerate(sides)]
        elif layout is ScoreLayout.AFTER:
            nearest = [side[:1] for side in sides]
        else:
            nearest = [side[-1:] for side in sides]
        if not all(nearest) or any(len(side) > 2 for side in sides):
            return None
        home, away = nearest[0][0], nearest[1][0]
        if pair.stacked and abs(home.box.left - away.box.left) > 0.6 * pair.height:
            return None
    low, high = sorted((home.box.height, away.box.height))
    return (home, away) if high <= 1.35 * low else None


def _to_reading(
    stills: Sequence[Still],
    band: TextBox,
    cells: Sequence[Cell],
    found: _Found | None,
    reader: TextReader,
) -> ScorebugReading:
    kept = tuple(cells)
    if found is None:
        return ScorebugReading(reason="no names with a score", cells=kept)
    names = _names(stills, found.pair, reader)
    numbers = []
    for still in stills:
        crop = still.image[band.top : band.bottom, band.left : band.right]
        read = _numbers(_Line(crop, band), found.spots, found.layout, found.pair)
        if read is not None:
            numbers.append(ScoreDigits(still.seconds, *read))
    sure = [
        (one.seconds, one.home.value, one.away.value)
        for one in numbers
        if one.is_sure(found.layout)
    ]
    scores = choose_scores(sure)
    if len(numbers) * 2 < len(stills):
        names = ()
    box = surround((found.pair.box, *found.spots))
    reason = (
        f"the score stands {found.layout}, read in {len(sure)} of {len(stills)} stills"
        if scores
        else f"the digits {found.layout} are not certain"
    )
    if not names:
        reason += "; the names are not certain"
    return ScorebugReading(names, scores, box, reason, kept, _minute_mark(cells, found.pair))


def _minute_mark(cells: Sequence[Cell], pair: NamePair) -> int | None:
    """The one minute that stands beside the names."""
    marks = {
        mark
        for cell in cells
        if cell.confidence >= SURE_NAME
        and are_adjacent(cell.box, pair.box)
        and (mark := parse_minute_mark(cell.text)) is not None
    }
    return marks.pop() if len(marks) == 1 else None


def _names(stills: Sequence[Still], pair: NamePair, reader: TextReader) -> tuple[str, ...]:
    """Both names, if most single stills read as the average of all does."""
    names = []
    for cell in (pair.home, pair.away):
        wanted = clean_name(cell.text)
        margin = round(0.2 * cell.box.height)
        box = cell.box
        step = max(1, len(stills) // (NAME_STILLS + 1))
        agree = 0
        for still in stills[step::step][:NAME_STILLS]:
            crop = still.image[
                max(0, box.top - margin // 2) : box.bottom + margin // 2,
                max(0, box.left - margin) : box.right + margin,
            ]
            (line,) = reader.recognize([np.ascontiguousarray(crop)])
            agree += clean_name(line.text).replace(" ", "") == wanted.replace(" ", "")
        if agree < MIN_NAME_STILLS or cell.confidence < SURE_NAME:
            return ()
        names.append(wanted)
    return tuple(names)
