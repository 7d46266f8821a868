"""V6: digits and names that are told only if several readings agree."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from footy_assets.media.decode import Still
from footy_assets.media.digit_model import Digit
from footy_assets.media.ocr import Image, OcrText, TextBox
from footy_assets.media.score_by_ocr import find_score_cells, ocr_numbers
from footy_assets.media.score_search import BandPicture, at_its_digits, find_score, numbers_in
from footy_assets.media.scorebug_digits import ScoreDigits, confirmed_by_ocr
from footy_assets.media.scorebug_layout import Cell, NamePair, ScoreLayout
from footy_assets.media.scorebug_names import certain_names

HOME, AWAY = TextBox(20, 20, 28, 32), TextBox(120, 20, 128, 32)
IMAGE = np.zeros((60, 240, 3), np.uint8)
STILLS = [Still(float(second), IMAGE) for second in range(12)]


class Reader:
    """Reads given texts in turn, the last one for ever."""

    def __init__(self, *texts: str, confidence: float = 0.9) -> None:
        self.texts, self.confidence = list(texts), confidence

    def detect(self, image: Image) -> list[TextBox]:
        return []

    def recognize(self, lines: Sequence[Image]) -> list[OcrText]:
        return [OcrText(self._next(), self.confidence) for _ in lines]

    def _next(self) -> str:
        return self.texts.pop(0) if len(self.texts) > 1 else self.texts[0]


def weak(value: int, box: TextBox) -> Digit:
    """Another digit is likely enough in its place."""
    return Digit(value, 0.92, box, rival=0.2)


def sure(value: int, box: TextBox) -> Digit:
    return Digit(value, 0.95, box, rival=0.01)


def confirmed(home: Digit, away: Digit, *texts: str, confidence: float = 0.9) -> bool:
    stills = [(ScoreDigits(float(second), home, away), IMAGE) for second in range(4)]
    return len(confirmed_by_ocr(stills, Reader(*texts, confidence=confidence))) == 4


@pytest.mark.parametrize(
    ("value", "texts", "told"),
    [
        (6, ("6", "666", "6", "6 6 6"), True),
        (6, ("6", "666", "", "x"), False),
        (6, ("6", "866", "6", "666"), False),
        (6, ("B", "666", "6", "666"), False),
        # The digit model has said 6.
        (6, ("8", "888", "8", "888"), False),
        (1, ("1", "111", "1", "1 1 1"), True),
        (1, ("1", "111", "1", "777"), False),
        (7, ("7", "777", "", "777"), False),
    ],
)
def test_v6_a_small_digit_is_told_if_ocr_reads_it_too(
    value: int, texts: tuple[str, ...], told: bool
) -> None:
    assert confirmed(weak(value, HOME), sure(2, AWAY), *texts) is told


def test_v6_a_small_one_may_be_a_seven_unless_the_digit_model_is_sure_too() -> None:
    texts = ("1", "111", "1", "111")
    assert not confirmed(replace(weak(1, HOME), probability=0.7), sure(2, AWAY), *texts)
    large = TextBox(20, 10, 30, 30)
    assert confirmed(replace(weak(1, large), probability=0.7), sure(2, AWAY), *texts)


def test_v6_what_ocr_is_not_certain_of_confirms_nothing() -> None:
    assert not confirmed(weak(6, HOME), sure(2, AWAY), "6", "666", "6", "666", confidence=0.3)


def test_v6_a_digit_in_two_stills_is_not_confirmed() -> None:
    stills = [(ScoreDigits(float(n), weak(6, HOME), sure(2, AWAY)), IMAGE) for n in range(2)]
    assert confirmed_by_ocr(stills, Reader("6")) == []


def cell(text: str, left: int, right: int, top: int = 20, confidence: float = 0.98) -> Cell:
    return Cell(TextBox(left, top, right, top + 16), text, confidence)


BOC, UCA = cell("BOC", 20, 52), cell("UCA", 110, 142)


def test_v6_ocr_alone_reads_a_score_if_each_view_of_each_still_agrees() -> None:
    found = find_score_cells([BOC, cell("2", 60, 70), cell("3", 90, 100), UCA], 240)
    assert found is not None
    assert found.layout is ScoreLayout.BETWEEN
    home = ["2", "222"] * 2
    away = ["3", "333"] * 2
    numbers = ocr_numbers(STILLS[:4], found, Reader(*[*home, *away] * 4))
    assert [number.values for number in numbers] == [(2, 3)] * 4
    stills = [(number, IMAGE) for number in numbers]
    assert len(confirmed_by_ocr(stills, Reader(*home, *away))) == 4
    # One view of the away side is not certain.
    assert confirmed_by_ocr(stills, Reader(*home, "3", "333", "3", "")) == []
    assert ocr_numbers(STILLS[:4], found, Reader(*[*home, "3", "333", "8", "333"] * 4)) == []


@pytest.mark.parametrize("digits", [["2"], ["2", "1", "0"], ["12", "0"], ["O", "1"]])
def test_v6_ocr_alone_needs_one_digit_for_each_side(digits: list[str]) -> None:
    cells = [cell(text, 60 + 15 * n, 70 + 15 * n) for n, text in enumerate(digits)]
    assert find_score_cells([BOC, *cells, UCA], 240) is None


@pytest.mark.parametrize(
    ("in_stills", "before", "told"),
    [
        (("BOC", "BOC", "BOC", "UCA"), (), ("BOC", "UCA")),
        (("BOC", "B0C", "BOC", "UCA"), (), ("BOC", "UCA")),
        (("BOC", "BDC", "BQC", "UCA"), (), ()),
        # Read otherwise before, in the same place.
        (("BOC", "BOC", "BCC", "UCA"), (cell("BCC", 20, 52), cell("BCC", 21, 52)), ()),
        (("BOC", "BOC", "BOC", "UCA"), (cell("BCC", 20, 52),), ("BOC", "UCA")),
        (("BOC", "BOC", "BCC", "UCA"), (cell("BCC", 60, 92), cell("BCC", 60, 92)), ("BOC", "UCA")),
    ],
)
def test_v6_names_are_told_if_most_readings_of_their_place_agree(
    in_stills: tuple[str, ...], before: tuple[Cell, ...], told: tuple[str, ...]
) -> None:
    pair = NamePair(BOC, UCA, stacked=False)
    assert certain_names(STILLS, pair, before, Reader(*in_stills)) == told
    unsure = replace(pair, away=replace(UCA, confidence=0.85))
    assert certain_names(STILLS, unsure, before, Reader(*in_stills)) == ()


class Shown(BandPicture):
    """A picture with these digits, whatever its pixels."""

    def __init__(self, *digits: Digit) -> None:
        super().__init__(IMAGE, TextBox(0, 0, 240, 60))
        self.shown = digits

    def digits_in(self, spot: TextBox, capitals: float) -> list[Digit]:
        return [one for one in self.shown if spot.left <= one.box.left <= spot.right]


def test_v6_two_digits_side_by_side_are_one_number_and_not_told() -> None:
    one, zero, two = (
        sure(value, TextBox(left, 20, left + 8, 32)) for value, left in ((1, 150), (0, 160), (2, 0))
    )
    ends = [Shown(two, one)] * 2
    found = find_score(ends, [BOC, UCA], 240)
    assert found is not None
    assert found.layout is ScoreLayout.OUTSIDE
    pair = found.pair
    assert numbers_in(ends[0], found.spots, found.layout, pair) == (two, one)
    assert numbers_in(Shown(two, one, zero), found.spots, found.layout, pair) is None


def test_v6_digits_are_read_in_no_more_of_the_picture_than_around_them() -> None:
    two, one = sure(2, TextBox(0, 20, 8, 32)), sure(1, TextBox(150, 20, 158, 32))
    ends = [Shown(two, one)] * 2
    found = find_score(ends, [BOC, UCA], 240)
    assert found is not None
    home, away = at_its_digits(found, ends, 240).spots
    assert home.holds(two.box)
    assert away.holds(one.box)
    assert home.right <= BOC.box.left
    assert away.left >= UCA.box.right
    assert away.width < found.spots[1].width / 2
