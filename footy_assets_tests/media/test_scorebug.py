"""Places on the screen: which belong together, and which may have lost a digit."""

import numpy as np

from footy_assets.media.decode import Still
from footy_assets.media.ocr import Said, Spot
from footy_assets.media.scorebug import (
    Place,
    crop,
    cut_off,
    distinct,
    find_places,
    line_of,
    near,
    picture_left,
)
from footy_assets_tests.media.screens import Screen, standing, ticking

CLOCK = Spot(40, 20, 84, 34)


def place(spot: Spot, text: str) -> Place:
    return Place(spot, (Said(text, 0.99),))


def test_parts_of_one_scorebug_are_near() -> None:
    assert near(CLOCK, Spot(90, 20, 120, 34))
    assert near(CLOCK, Spot(40, 36, 84, 50))
    assert not near(CLOCK, Spot(240, 20, 280, 34))
    assert not near(CLOCK, Spot(40, 120, 84, 134))


def test_of_two_places_with_the_same_clock_the_smaller_is_followed() -> None:
    line = place(Spot(40, 20, 200, 34), "23:41 ARS 1-0 CHE")
    alone = place(CLOCK, "23:43")
    assert distinct([line, alone]) == [alone]


def test_places_with_other_times_are_all_followed_the_clear_ones_first() -> None:
    unclear = place(Spot(200, 150, 240, 164), "2341")
    clock, added = place(CLOCK, "45:00"), place(Spot(92, 20, 130, 34), "+2:13")
    found = distinct([unclear, clock, added, place(Spot(0, 60, 40, 74), "ARS")])
    assert set(found) == {unclear, clock, added}
    assert found[-1] == unclear


def test_black_borders_are_not_the_edge_of_the_picture() -> None:
    image = np.full((180, 320, 3), 120, np.uint8)
    image[:, :40] = 12
    assert picture_left([Still(0.0, image)]) == 40
    assert cut_off(Spot(42, 20, 80, 34), 40)
    assert not cut_off(Spot(60, 20, 100, 34), 40)
    assert picture_left([Still(0.0, np.zeros((4, 4, 3), np.uint8))]) == 0


def test_a_crop_stays_inside_the_picture() -> None:
    image = np.zeros((30, 50, 3), np.uint8)
    assert crop(image, Spot(0, 0, 50, 30)).shape == (30, 50, 3)
    assert crop(image, Spot(10, 10, 30, 20)).shape[1] > 20


def test_each_place_is_found_once_in_the_pixels_of_the_still() -> None:
    screen = Screen({CLOCK: ticking(1421), Spot(92, 20, 130, 34): standing("ARS")})
    found = find_places(screen, screen.stills[:3])
    assert len(found) == 2
    assert any(near(place.spot, CLOCK) and place.tells_clearly for place in found)
    assert all(abs(a - b) <= 1 for a, b in zip(found[0].spot, CLOCK, strict=True))


def test_the_line_of_a_place_reaches_beside_it_and_stays_in_the_picture() -> None:
    picture = np.zeros((100, 200, 3), np.uint8)
    assert line_of(picture, Spot(90, 40, 110, 50)).shape[1] > 20 + 2 * 4 * 10
    assert line_of(picture, Spot(5, 40, 195, 50)).shape[1] == 200
