"""V6: reads both sides and the score from the scorebug of a clip.

The texts that stay in the picture are known from the search for the clock. Around them the stills
are averaged, which sharpens what stays, and the names are read there; the digits of the score are
read in every still, so that a change is seen. What is not certain is left out.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from footy_assets.media.clock_text import parse_minute_mark
from footy_assets.media.decode import Still
from footy_assets.media.median_image import median_image
from footy_assets.media.ocr import (
    Image,
    TextBox,
    TextReader,
    reading_failure,
    surround,
    text_reader,
)
from footy_assets.media.score_by_ocr import find_score_cells, ocr_numbers
from footy_assets.media.score_search import (
    BandPicture,
    FoundScore,
    at_its_digits,
    find_score,
    numbers_in,
)
from footy_assets.media.scorebug_digits import ScoreDigits, confirmed_by_ocr
from footy_assets.media.scorebug_layout import (
    Cell,
    NamePair,
    clean_name,
    is_cut_off,
    name_pairs,
    split_line,
)
from footy_assets.media.scorebug_names import SURE_NAME, certain_names
from footy_assets.media.scorebug_reading import ScorebugReading, ShownScore, choose_scores
from footy_assets.media.stills_with import stills_with
from footy_assets.media.text_regions import TextRegion, are_adjacent

# Text is detected around the anchor at these heights of its boxes, in pixels.
DETECT_HEIGHTS = (32, 48)
# How far a scorebug may reach from its clock or its names, in heights of the text.
REACH_ACROSS, REACH_DOWN = 17.0, 2.3
# The part of the stills at each end of the clip whose average shows where the score stands.
END_SHARE = 0.3
MIN_VISIBLE, MIN_VISIBLE_SHARE = 3, 0.3
MAX_ANCHORS = 2
NAMES_UNCERTAIN = "; the names are not certain"


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a scorebug is, and how it looks at the begin and the end of the clip."""

    band: TextBox
    ends: Sequence[BandPicture]


def read_scorebug(
    stills: Sequence[Still],
    regions: Sequence[TextRegion],
    clock: TextBox | None,
    reader: TextReader | None = None,
    clock_read_at: Collection[float] = (),
) -> ScorebugReading:
    """Read the names and the score. `clock_read_at` are seconds at which the clock surely shows.
    Never raises: `reason` explains what is missing."""
    try:
        return _read(stills, regions, clock, reader or text_reader(), clock_read_at)
    except Exception as error:
        return ScorebugReading(reason=reading_failure("the scorebug", error))


def _read(
    stills: Sequence[Still],
    regions: Sequence[TextRegion],
    clock: TextBox | None,
    reader: TextReader,
    clock_read_at: Collection[float],
) -> ScorebugReading:
    best = ScorebugReading(reason="no scorebug found")
    for anchor in _anchors(regions, clock):
        visible = stills_with(stills, anchor, clock_read_at)
        if len(visible) < max(MIN_VISIBLE, MIN_VISIBLE_SHARE * len(stills)):
            continue
        reading = _read_around(visible, anchor, regions, reader)
        if reading.names:
            return reading
        if _tells_more(reading, best):
            best = reading
    return best


def _tells_more(reading: ScorebugReading, other: ScorebugReading) -> bool:
    told, others = ((bool(one.names), bool(one.scores)) for one in (reading, other))
    return (told, len(reading.cells)) > (others, len(other.cells))


def _shows_names(reading: ScorebugReading, other: ScorebugReading) -> bool:
    """Whether the names that another look at the place is certain of were read in this one, too."""
    if not other.names or reading.box is None or other.box is None:
        return False
    texts = {clean_name(cell.text) for cell in reading.cells}
    return reading.box.overlaps(other.box) and texts.issuperset(other.names)


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
    ends = [BandPicture(_average(few, band), band) for few in (stills[:part], stills[-part:])]
    place = _Place(band, ends)
    best = ScorebugReading(reason="no names with a score")
    looks: list[list[Cell]] = []
    for pixels in (0, *DETECT_HEIGHTS):
        if pixels:
            cells = _cells(reader, average, band, pixels / height)
        else:
            cells = [cell for region in regions for cell in _cells_of(region)]
            cells = [cell for cell in cells if band.holds(cell.box)]
        before = [cell for look in looks for cell in look]
        reading = _to_reading(stills, place, cells, before, reader, best.names)
        if reading.scores and not reading.names and _shows_names(reading, best):
            reason = reading.reason.removesuffix(NAMES_UNCERTAIN)
            reading = replace(reading, names=best.names, reason=reason)
        if reading.names and reading.scores:
            return reading
        looks.append(cells)
        if _tells_more(reading, best):
            best = reading
    if best.box is not None:
        return best
    return _by_ocr_alone(stills, looks, reader) or best


def _average(stills: Sequence[Still], band: TextBox) -> Image:
    return median_image([_part(still.image, band) for still in stills])


def _part(image: Image, band: TextBox) -> Image:
    return image[band.top : band.bottom, band.left : band.right]


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


def _to_reading(
    stills: Sequence[Still],
    place: _Place,
    cells: Sequence[Cell],
    before: Sequence[Cell],
    reader: TextReader,
    known: tuple[str, ...],
) -> ScorebugReading:
    columns = stills[0].image.shape[1]
    found = find_score(place.ends, cells, columns)
    if found is None:
        return ScorebugReading(reason="no names with a score", cells=tuple(cells))
    found = at_its_digits(found, place.ends, columns)
    numbers: list[ScoreDigits] = []
    for still in stills:
        picture = BandPicture(_part(still.image, place.band), place.band)
        digits = numbers_in(picture, found.spots, found.layout, found.pair)
        if digits is not None:
            numbers.append(ScoreDigits(still.seconds, *digits))
    often = len(numbers) * 2 >= len(stills)
    names = known
    if (clean_name(found.pair.home.text), clean_name(found.pair.away.text)) != known:
        names = certain_names(stills, found.pair, before, reader) if often else ()
    sure = [one for one in numbers if one.is_sure(found.layout)]
    if not _scores(sure):
        sure = _confirmed(stills, numbers, reader)
    return _described(found, names, _scores(sure), cells, f"{len(sure)} of {len(stills)}")


def _by_ocr_alone(
    stills: Sequence[Still], looks: Sequence[Sequence[Cell]], reader: TextReader
) -> ScorebugReading | None:
    """The score of the first look at the place in which OCR sees the digits."""
    for number, cells in enumerate(looks):
        found = find_score_cells(cells, stills[0].image.shape[1])
        if found is None:
            continue
        sure = _confirmed(stills, ocr_numbers(stills, found, reader), reader)
        if not (scores := _scores(sure)):
            continue
        others = [cell for other in looks[:number] for cell in other]
        if names := certain_names(stills, found.pair, others, reader):
            return _described(found, names, scores, cells, f"{len(sure)} of {len(stills)}")
    return None


def _scores(sure: Sequence[ScoreDigits]) -> tuple[ShownScore, ...]:
    return choose_scores((one.seconds, *one.values) for one in sure)


def _confirmed(
    stills: Sequence[Still], numbers: Sequence[ScoreDigits], reader: TextReader
) -> list[ScoreDigits]:
    images = {still.seconds: still.image for still in stills}
    return confirmed_by_ocr([(one, images[one.seconds]) for one in numbers], reader)


def _described(
    found: FoundScore,
    names: tuple[str, ...],
    scores: tuple[ShownScore, ...],
    cells: Sequence[Cell],
    read_in: str,
) -> ScorebugReading:
    reason = (
        f"the score stands {found.layout}, read in {read_in} stills"
        if scores
        else f"the digits {found.layout} are not certain"
    )
    if not names:
        reason += NAMES_UNCERTAIN
    box = surround((found.pair.box, *found.spots))
    return ScorebugReading(
        names, scores, box, reason, tuple(cells), _minute_mark(cells, found.pair)
    )


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
