"""Text regions: which are adjacent, which show the same time, which may lack a digit."""

import numpy as np

from footy_assets.media.decode import Still
from footy_assets.media.ocr import OcrText, TextBox
from footy_assets.media.text_regions import (
    TextRegion,
    are_adjacent,
    clock_regions,
    crop,
    crop_line,
    find_text_regions,
    is_cut_off,
    left_border,
)
from footy_assets_tests.media.screens import Screen, fixed_text, ticking_clock

CLOCK = TextBox(40, 20, 84, 34)


def region(box: TextBox, text: str) -> TextRegion:
    return TextRegion(box, (OcrText(text, 0.99),))


def test_parts_of_one_scorebug_are_adjacent() -> None:
    assert are_adjacent(CLOCK, TextBox(90, 20, 120, 34))
    assert are_adjacent(CLOCK, TextBox(40, 36, 84, 50))
    assert not are_adjacent(CLOCK, TextBox(240, 20, 280, 34))
    assert not are_adjacent(CLOCK, TextBox(40, 120, 84, 134))


def test_of_two_regions_with_the_same_clock_the_smaller_counts() -> None:
    line = region(TextBox(40, 20, 200, 34), "23:41 ARS 1-0 CHE")
    alone = region(CLOCK, "23:43")
    assert clock_regions([line, alone]) == [alone]


def test_regions_with_other_times_all_count_and_clear_ones_come_first() -> None:
    unclear = region(TextBox(200, 150, 240, 164), "2341")
    clock, added = region(CLOCK, "45:00"), region(TextBox(92, 20, 130, 34), "+2:13")
    found = clock_regions([unclear, clock, added, region(TextBox(0, 60, 40, 74), "ARS")])
    assert set(found) == {unclear, clock, added}
    assert found[-1] == unclear


def test_black_borders_are_not_the_edge_of_the_picture() -> None:
    image = np.full((180, 320, 3), 120, np.uint8)
    image[:, :40] = 12
    assert left_border([Still(0.0, image)]) == 40
    assert is_cut_off(TextBox(42, 20, 80, 34), 40)
    assert not is_cut_off(TextBox(60, 20, 100, 34), 40)
    assert left_border([Still(0.0, np.zeros((4, 4, 3), np.uint8))]) == 0


def test_a_crop_stays_inside_the_picture() -> None:
    image = np.zeros((30, 50, 3), np.uint8)
    assert crop(image, TextBox(0, 0, 50, 30)).shape == (30, 50, 3)
    assert crop(image, TextBox(10, 10, 30, 20)).shape[1] > 20


def test_each_region_is_found_once_in_pixels_of_the_still() -> None:
    screen = Screen({CLOCK: ticking_clock(1421), TextBox(92, 20, 130, 34): fixed_text("ARS")})
    found = find_text_regions(screen, screen.stills[:3])
    assert len(found) == 2
    assert any(are_adjacent(region.box, CLOCK) and region.shows_clear_time for region in found)
    assert all(abs(a - b) <= 1 for a, b in zip(found[0].box, CLOCK, strict=True))


def test_a_line_crop_is_wider_than_its_box_and_stays_in_the_picture() -> None:
    picture = np.zeros((100, 200, 3), np.uint8)
    assert crop_line(picture, TextBox(90, 40, 110, 50)).shape[1] > 20 + 2 * 4 * 10
    assert crop_line(picture, TextBox(5, 40, 195, 50)).shape[1] == 200
