"""Where text stays in a clip, and that it is looked for there."""

from collections.abc import Sequence

import cv2
import numpy as np
import pytest

from footy_assets.media.decode import Still
from footy_assets.media.ocr import Image, OcrText, TextBox
from footy_assets.media.text_areas import text_areas
from footy_assets.media.text_regions import find_text_regions

WIDTH, HEIGHT = 640, 360
BUG = TextBox(60, 20, 200, 36)


def moving_ground(number: int) -> Image:
    rng = np.random.default_rng(number)
    noise = rng.integers(60, 190, (HEIGHT // 6, WIDTH // 6, 3)).astype(np.uint8)
    return np.asarray(cv2.resize(noise, (WIDTH, HEIGHT)), np.uint8)


def with_bug(image: Image) -> Image:
    cv2.rectangle(image, (50, 14), (210, 42), (60, 30, 20), -1)
    cv2.putText(image, "BOC 1-0 UCA", (60, 36), cv2.FONT_HERSHEY_SIMPLEX, 0.6, (250,) * 3, 2)
    return image


def stills(count: int = 15, shown_in: int = 15) -> list[Still]:
    images = [moving_ground(number) for number in range(count)]
    return [
        Still(float(number), with_bug(image) if number < shown_in else image)
        for number, image in enumerate(images)
    ]


@pytest.mark.parametrize("shown_in", [15, 9])
def test_v6_text_that_stays_is_in_a_small_area(shown_in: int) -> None:
    (area,) = text_areas(stills(shown_in=shown_in))
    assert area.holds(BUG)
    assert area.width * area.height < 0.15 * WIDTH * HEIGHT


def test_v6_a_scorebug_of_less_than_half_of_the_clip_is_found_at_its_ends() -> None:
    early = stills(shown_in=7)
    assert len(text_areas(early)) == 1
    late = [Still(14.0 - still.seconds, still.image) for still in reversed(early)]
    assert len(text_areas(late)) == 1
    assert text_areas(stills(shown_in=4)) == ()


def test_v6_where_nothing_stays_there_are_no_areas_and_where_all_does_it_is_the_whole() -> None:
    assert text_areas(stills(shown_in=0)) == ()
    board = np.full((HEIGHT, WIDTH, 3), 20, np.uint8)
    for line in range(1, 18):
        cv2.putText(board, "ABCDEFGHIKLMNOP " * 3, (0, line * 20), 0, 0.6, (250,) * 3, 2)
    whole = TextBox(0, 0, WIDTH, HEIGHT)
    assert text_areas([Still(float(second), board) for second in range(9)]) == (whole,)


def test_v6_few_or_tiny_stills_have_no_areas() -> None:
    assert text_areas(stills()[:2]) == ()
    assert text_areas([]) == ()
    tiny = np.zeros((2, 640, 3), np.uint8)
    assert text_areas([Still(float(second), tiny) for second in range(9)]) == ()


class Reader:
    """Finds one text where the picture is white, and notes what it was shown."""

    def __init__(self, text: str) -> None:
        self.text, self.shapes = text, list[tuple[int, ...]]()

    def detect(self, image: Image) -> list[TextBox]:
        self.shapes.append(image.shape[:2])
        white = np.argwhere(image.min(axis=2) > 200)
        if not len(white):
            return []
        (top, left), (bottom, right) = white.min(axis=0), white.max(axis=0)
        return [TextBox(int(left), int(top), int(right) + 1, int(bottom) + 1)]

    def recognize(self, lines: Sequence[Image]) -> list[OcrText]:
        return [OcrText(self.text, 0.99) for _ in lines]


def picture(box: TextBox) -> Still:
    image = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    image[box.top : box.bottom, box.left : box.right] = 255
    return Still(0.0, image)


def test_v6_only_the_areas_are_searched_if_they_show_a_time() -> None:
    reader = Reader("23:41")
    (found,) = find_text_regions(reader, [picture(BUG)] * 3, [TextBox(40, 8, 240, 50)])
    assert all(abs(mine - true) <= 2 for mine, true in zip(found.box, BUG, strict=True))
    assert found.seen_in == 3
    assert all(height * width < 0.1 * 704 * 396 for height, width in reader.shapes)


def test_v6_without_a_time_the_whole_picture_and_then_larger_areas_are_searched() -> None:
    reader = Reader("BOC")
    find_text_regions(reader, [picture(BUG)] * 3, [TextBox(40, 8, 240, 50)])
    areas, whole, close = reader.shapes[0], reader.shapes[3], reader.shapes[4]
    assert whole == (396, 704)
    assert areas[1] < close[1] < whole[1]


def test_v6_a_text_that_goes_on_beyond_its_area_is_not_cut_off() -> None:
    (found, *_) = find_text_regions(Reader("23:41"), [picture(BUG)], [TextBox(100, 8, 180, 50)])
    assert all(abs(mine - true) <= 2 for mine, true in zip(found.box, BUG, strict=True))
