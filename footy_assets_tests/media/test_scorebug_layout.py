"""V6: names, numbers and their places, from texts as OCR gives them."""

import pytest

from footy_assets.media.ocr import OcrText, TextBox
from footy_assets.media.scorebug_layout import (
    Cell,
    ScoreLayout,
    clean_name,
    is_cut_off,
    is_name,
    name_pairs,
    score_spots,
    split_line,
)


def cell(text: str, left: int, right: int, top: int = 10, bottom: int = 30) -> Cell:
    return Cell(TextBox(left, top, right, bottom), text, 0.95)


def line(text: str, width: int, places: list[int]) -> list[Cell]:
    """The words of a line, with the middle of each character in pixels."""
    box = TextBox(0, 0, width, 20)
    return split_line(box, OcrText(text, 0.9, tuple(place / width for place in places)))


@pytest.mark.parametrize("text", ["BOC", "U. CATÓLICA", "LA CARRÉ", "Man City", "St. Pauli"])
def test_v6_names_and_abbreviations_are_names(text: str) -> None:
    assert is_name(cell(text, 0, 60))


@pytest.mark.parametrize("text", ["VS", "LIVE", "2H", "24:04", "0", "A", "0800 555", "1-0"])
def test_v6_other_texts_of_a_scorebug_are_no_names(text: str) -> None:
    assert not is_name(cell(text, 0, 60))


def test_v6_a_text_that_reaches_the_end_of_the_place_may_go_on() -> None:
    place = TextBox(100, 0, 400, 60)
    assert is_cut_off(TextBox(300, 10, 400, 30), place)
    assert is_cut_off(TextBox(100, 10, 180, 30), place)
    assert not is_cut_off(TextBox(104, 10, 396, 30), place)


def test_v6_a_text_of_low_confidence_is_no_name() -> None:
    assert not is_name(Cell(TextBox(0, 0, 40, 20), "BOC", 0.5))


def test_v6_names_are_compared_without_marks() -> None:
    assert clean_name(" |la  carré. ") == "LA CARRÉ"


def test_v6_a_line_is_split_into_names_and_numbers() -> None:
    places = [10, 20, 30, 50, 60, 70, 90, 100, 110]
    assert [one.text for one in line("BOC 0-0 UCA", 120, places)] == ["BOC", "0-0", "UCA"]


def test_v6_the_words_of_one_name_stay_together() -> None:
    places = [10, 20, 40, 50, 60, 90]
    assert [one.text for one in line("LA MAR 2", 120, places)] == ["LA MAR", "2"]


def test_v6_two_names_with_room_between_them_are_two() -> None:
    places = [10, 20, 30, 80, 90, 100]
    assert [one.text for one in line("RMA SHE", 120, places)] == ["RMA", "SHE"]


def test_v6_vs_is_no_part_of_a_name() -> None:
    places = [10, 20, 30, 50, 60, 80, 90, 100]
    assert [one.text for one in line("IRL VS UCA", 120, places)] == ["IRL", "VS", "UCA"]


def test_v6_a_line_without_places_stays_one_text() -> None:
    box = TextBox(0, 0, 100, 20)
    assert split_line(box, OcrText("BOC 0-0 UCA", 0.9)) == [Cell(box, "BOC 0-0 UCA", 0.9)]


def test_v6_names_in_one_row_are_a_pair_from_left_to_right() -> None:
    home, away = cell("BOC", 0, 40), cell("UCA", 90, 130)
    (pair,) = name_pairs([away, home])
    assert (pair.home, pair.away, pair.stacked) == (home, away, False)


def test_v6_names_below_each_other_are_a_pair_from_top_to_bottom() -> None:
    home, away = cell("BOC", 0, 40), cell("UCA", 0, 40, 32, 52)
    (pair,) = name_pairs([away, home])
    assert (pair.home, pair.away, pair.stacked) == (home, away, True)


@pytest.mark.parametrize(
    "away", [cell("UCA", 900, 940), cell("UCA", 90, 130, 300, 320), cell("UCA", 90, 130, 10, 60)]
)
def test_v6_texts_far_apart_or_of_other_size_are_no_pair(away: Cell) -> None:
    assert list(name_pairs([cell("BOC", 0, 40), away])) == []


def test_v6_the_score_is_looked_for_between_beside_and_outside() -> None:
    (pair,) = name_pairs([cell("BOC", 200, 240), cell("UCA", 300, 340)])
    places = {
        layout: [(spot.left, spot.right) for spot in score_spots(pair, layout, 640) or ()]
        for layout in ScoreLayout
    }
    assert places[ScoreLayout.BETWEEN] == [(240, 300), (240, 300)]
    assert places[ScoreLayout.OUTSIDE] == [(80, 200), (340, 460)]
    assert places[ScoreLayout.AFTER] == [(240, 300), (340, 460)]
    assert places[ScoreLayout.BEFORE] == [(80, 200), (240, 300)]
