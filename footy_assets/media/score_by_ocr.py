"""V6: the score where only OCR sees its digits: thin strokes and serifs, which the digit model was
not fitted on.

With one model less to agree, every view of a digit must read the same, in single stills and in
their average.
"""

from collections.abc import Sequence

from footy_assets.media.decode import Still
from footy_assets.media.digit_model import Digit
from footy_assets.media.ocr import TextBox, TextReader
from footy_assets.media.score_search import FoundScore, without_other_texts
from footy_assets.media.scorebug_digits import ScoreDigits, read_by_ocr
from footy_assets.media.scorebug_layout import CAPITALS, Cell, ScoreLayout, name_pairs, score_spots

MIN_CONFIDENCE = 0.8
# The score is read in this many stills.
READ_STILLS = 8


def find_score_cells(cells: Sequence[Cell], width: int) -> FoundScore | None:
    """The one pair of names with a single digit of each side in a known place, which becomes its
    spot. None if there are several."""
    digits = [cell for cell in cells if _is_digit(cell)]
    found = []
    for pair in name_pairs(cells):
        for layout in ScoreLayout:
            spots = score_spots(pair, layout, width)
            if spots is None:
                continue
            spots = without_other_texts(spots, pair, cells)
            sides = [[one for one in digits if _is_in(one.box, spot)] for spot in spots]
            if layout is ScoreLayout.BETWEEN:
                inside = sorted(sides[0], key=lambda cell: cell.box.left)
                sides = [inside[:1], inside[1:]]
            if [len(side) for side in sides] == [1, 1]:
                found.append(FoundScore(pair, layout, (sides[0][0].box, sides[1][0].box)))
    between = [one for one in found if one.layout is ScoreLayout.BETWEEN]
    found = between or found
    return found[0] if found and all(one.is_like(found[0]) for one in found) else None


def ocr_numbers(
    stills: Sequence[Still], found: FoundScore, reader: TextReader
) -> list[ScoreDigits]:
    """The digits in some stills; their probability is 0: each is to be confirmed."""
    numbers = []
    step = max(1, len(stills) // READ_STILLS)
    for still in stills[::step]:
        values = [read_by_ocr([still.image], _inner(spot), reader) for spot in found.spots]
        if values[0] is not None and values[1] is not None:
            home, away = (
                Digit(value, 0.0, _inner(spot))
                for value, spot in zip(values, found.spots, strict=True)
                if value is not None
            )
            numbers.append(ScoreDigits(still.seconds, home, away))
    return numbers


def _is_digit(cell: Cell) -> bool:
    text = cell.text.strip()
    return len(text) == 1 and text in "0123456789" and cell.confidence >= MIN_CONFIDENCE


def _is_in(box: TextBox, spot: TextBox) -> bool:
    x, y = (box.left + box.right) // 2, (box.top + box.bottom) // 2
    return spot.left <= x <= spot.right and spot.top <= y <= spot.bottom


def _inner(box: TextBox) -> TextBox:
    """About where the digit itself is in the box of its text: as wide as half of its height."""
    x, y = (box.left + box.right) / 2, (box.top + box.bottom) / 2
    up = CAPITALS * box.height / 2
    return TextBox(round(x - up / 2), round(y - up), round(x + up / 2), round(y + up))
