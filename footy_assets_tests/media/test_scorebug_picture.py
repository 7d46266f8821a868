"""V5: what people see of the place in which clock and scorebug were read."""

from dataclasses import replace

import cv2
import numpy as np

from footy_assets.media.clock import ClockReading
from footy_assets.media.decode import Still
from footy_assets.media.ocr import TextBox
from footy_assets.media.scorebug_picture import draw_scorebug, moments_of, text_box_of
from footy_assets.media.scorebug_reading import ScorebugReading, ShownScore
from footy_assets.media.screen_text import ScreenText
from footy_assets.media.text_tracks import FrameReading

CLOCK = ClockReading(
    (33,),
    True,
    tuple(FrameReading(seconds, "33:05", 1985, 0.9) for seconds in (1.0, 4.0, 8.0)),
    TextBox(10, 20, 60, 34),
    "the clock runs",
)
BUG = ScorebugReading(
    ("BOC", "UCA"),
    (ShownScore(0, 0, 0.5, 3.0, 4), ShownScore(1, 0, 6.0, 9.0, 4)),
    TextBox(70, 18, 160, 36),
)


def stills() -> list[Still]:
    """Each is as bright as its second."""
    return [Still(float(n), np.full((180, 320, 3), n * 20, np.uint8)) for n in range(10)]


def test_v5_the_picture_is_around_all_that_was_read() -> None:
    assert text_box_of(ScreenText(CLOCK, BUG)) == (10, 18, 160, 36)
    assert text_box_of(ScreenText(CLOCK)) == CLOCK.region
    uncertain = replace(CLOCK, minutes=())
    assert text_box_of(ScreenText(uncertain, BUG)) == BUG.box
    assert text_box_of(ScreenText(uncertain)) is None


def test_v5_the_score_before_and_after_is_shown_one_below_the_other() -> None:
    shown = ScreenText(CLOCK, BUG)
    assert moments_of(shown) == (3.0, 9.0)
    drawn = draw_scorebug(stills(), text_box_of(shown), moments_of(shown))
    picture = cv2.imdecode(np.frombuffer(drawn, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    assert picture.shape == (2 * 36, 168, 3)
    before, after = picture[:30].mean(), picture[42:].mean()
    assert abs(before - 60) < 4
    assert abs(after - 180) < 4


def test_v5_a_clock_alone_is_shown_at_its_middle_reading() -> None:
    assert moments_of(ScreenText(CLOCK)) == (4.0,)


def test_v5_the_picture_of_a_mirrored_clip_reads_as_it_was_broadcast() -> None:
    image = np.zeros((180, 320, 3), np.uint8)
    image[20:40, 250:310] = 255
    drawn = draw_scorebug([Still(0.0, image)], TextBox(10, 20, 70, 40), (), is_mirrored=True)
    picture = cv2.imdecode(np.frombuffer(drawn, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    assert picture[14:26, 14:66].mean() > 240


def test_v5_there_is_no_picture_where_nothing_was_read() -> None:
    assert draw_scorebug(stills(), None, ()) == b""
    assert draw_scorebug([], TextBox(0, 0, 9, 9), ()) == b""
