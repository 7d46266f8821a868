"""The match clock is the time that runs on with the video, and nothing else."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footy_assets.media.clock import ClockReading, read_clock
from footy_assets.media.decode import Still
from footy_assets.media.ocr import Image, OcrFailed, OcrText, TextBox
from footy_assets.media.scorebug_reading import NO_SCOREBUG
from footy_assets.media.screen_text import read_screen_text
from footy_assets_tests.media.screens import Screen, TextAtSecond, fixed_text, ticking_clock

pytestmark = pytest.mark.slow

CLOCK = TextBox(40, 20, 84, 34)
RIGHT = TextBox(92, 20, 130, 34)
BELOW = TextBox(40, 36, 84, 50)
FAR = TextBox(240, 150, 290, 164)


def read(regions: dict[TextBox, TextAtSecond], **options: float) -> ClockReading:
    screen = Screen(regions, **options)  # type: ignore[arg-type]
    return read_clock(screen.stills, screen)


def test_v3_a_ticking_clock_gives_its_minutes() -> None:
    found = read({CLOCK: ticking_clock(23 * 60 + 41)})
    assert found.minutes == (23, 24)
    assert found.ticks
    assert found.region is not None
    assert "23:4" in found.reason
    assert [frame.match_seconds for frame in found.frames if frame.match_seconds is not None]


@pytest.mark.parametrize("rate", [0.5, 0.9, 1.0, 1.1, 1.25])
def test_a_copy_that_plays_slower_or_faster_is_read(rate: float) -> None:
    assert read({CLOCK: ticking_clock(67 * 60 + 5, rate)}).minutes == (67,)


@pytest.mark.parametrize("seconds", [3.1, 5.0, 12.0, 60.0])
def test_short_and_long_clips_are_read(seconds: float) -> None:
    assert 31 in read({CLOCK: ticking_clock(31 * 60 + 2)}, seconds=seconds).minutes


def test_v3_added_time_next_to_a_standing_clock_is_added() -> None:
    found = read({CLOCK: fixed_text("45:00"), RIGHT: ticking_clock(133, form="+{m}:{s:02d}")})
    assert found.minutes == (47,)


def test_v3_added_time_below_without_a_plus_is_added() -> None:
    found = read({CLOCK: fixed_text("90:00"), BELOW: ticking_clock(298, form="{m}:{s:02d}")})
    assert found.minutes == (94, 95)


def test_v3_added_time_in_the_same_line_is_added() -> None:
    assert read({CLOCK: ticking_clock(298, form="90+{m}:{s:02d}")}).minutes == (94, 95)
    assert read({CLOCK: ticking_clock(133, form="45:00 +{m}:{s:02d}")}).minutes == (47,)


def test_v3_added_time_is_added_even_if_its_base_is_mostly_misread() -> None:
    whole, rest = ticking_clock(298, form="90+{m}:{s:02d}"), ticking_clock(298, form="{m}:{s:02d}")
    found = read({CLOCK: lambda at: whole(at) if int(at) % 3 == 0 else rest(at)})
    assert set(found.minutes) <= {94, 95}
    assert found.minutes


def test_v3_added_time_of_a_second_half_that_counts_from_zero() -> None:
    assert read({CLOCK: ticking_clock(133, form="2H 45+{m}:{s:02d}")}).minutes == (92,)


def test_announced_minutes_are_not_added() -> None:
    announced = read(
        {
            CLOCK: fixed_text("45:00"),
            RIGHT: fixed_text("+3"),
            BELOW: ticking_clock(65, form="{m}:{s:02d}"),
        }
    )
    assert announced.minutes == (46,)
    assert read({CLOCK: ticking_clock(91 * 60 + 2), RIGHT: fixed_text("+4")}).minutes == (91,)


def test_added_time_without_its_base_gives_no_minute() -> None:
    found = read({RIGHT: ticking_clock(133, form="+{m}:{s:02d}")})
    assert found.minutes == ()
    assert "added" in found.reason


def test_a_clock_that_stands_at_45_gives_no_minute() -> None:
    found = read({CLOCK: fixed_text("45:00"), RIGHT: fixed_text("+3")})
    assert found.minutes == ()
    assert found.stands_at == 45


def test_a_standing_90_elsewhere_on_the_screen_is_not_added_to() -> None:
    assert read({CLOCK: ticking_clock(12 * 60 + 3), FAR: fixed_text("90:00")}).minutes == (12,)


def test_v3_second_half_and_extra_time_are_counted_on() -> None:
    assert read({CLOCK: fixed_text("2H"), RIGHT: ticking_clock(12 * 60 + 3)}).minutes == (57,)
    assert read({CLOCK: ticking_clock(12 * 60 + 3, form="2H {m}:{s:02d}")}).minutes == (57,)
    assert read({CLOCK: fixed_text("ET"), RIGHT: ticking_clock(12 * 60 + 3)}).minutes == (102,)
    assert read({CLOCK: fixed_text("2H"), RIGHT: ticking_clock(67 * 60 + 3)}).minutes == (67,)
    assert read({CLOCK: fixed_text("1H"), RIGHT: ticking_clock(12 * 60 + 3)}).minutes == (12,)


@pytest.mark.parametrize(
    "text_at",
    [
        fixed_text("21:43"),
        fixed_text("90:00 MIN"),
        fixed_text("12:34"),
        fixed_text("16.11.2026"),
        fixed_text("0800 123456"),
        fixed_text("2:1"),
        ticking_clock(14 * 60, -1.0),
        ticking_clock(24, -1.0, "{s}"),
        ticking_clock(0, form="{m}:{s:02d}"),
        ticking_clock(0, form="{m}:{s:02d} / 0:30"),
        lambda at: "21:43" if at < 14 else "21:44",
        lambda at: f"21:43:{int(at):02d}",
        lambda at: "",
    ],
    ids=[
        "time of day",
        "advert",
        "any standing time",
        "date",
        "phone",
        "score",
        "countdown",
        "shot clock",
        "video timer",
        "player timer",
        "time of day that turns",
        "time of day with seconds",
        "nothing",
    ],
)
def test_a_time_that_does_not_run_on_with_the_video_is_no_match_clock(
    text_at: TextAtSecond,
) -> None:
    found = read({CLOCK: text_at})
    assert found.minutes == ()
    assert not found.ticks
    assert found.reason


def test_a_few_misread_digits_are_outvoted() -> None:
    right = ticking_clock(38 * 60 + 10)

    def text_at(at: float) -> str:
        return right(at).replace("38", "36") if 6 < at < 9 else right(at)

    assert read({CLOCK: text_at}).minutes == (38,)


def test_two_readings_of_a_minute_with_equal_support_give_none() -> None:
    right = ticking_clock(38 * 60 + 10)

    def text_at(at: float) -> str:
        return right(at) if int(at) % 4 < 2 else right(at).replace("38", "36")

    found = read({CLOCK: text_at})
    assert found.minutes == ()
    assert "as often" in found.reason


def test_a_single_reading_does_not_count() -> None:
    assert read({CLOCK: lambda at: "23:41" if 10 < at < 12 else ""}).minutes == ()


def test_a_replay_without_the_scorebug_does_not_hide_the_clock() -> None:
    right = ticking_clock(23 * 60 + 10)
    assert read({CLOCK: lambda at: right(at) if at < 13 else ""}).minutes == (23,)


def test_a_later_shot_adds_its_minutes() -> None:
    early, late = ticking_clock(23 * 60 + 10), ticking_clock(25 * 60)
    found = read({CLOCK: lambda at: early(at) if at < 14 else late(at)})
    assert found.minutes == (23, 25)


def test_a_timer_next_to_the_clock_is_not_the_clock() -> None:
    """A VAR check counts its own seconds."""
    found = read({CLOCK: ticking_clock(67 * 60 + 2), FAR: ticking_clock(70)})
    assert found.minutes == (67,)


def test_two_clocks_that_disagree_give_no_minute() -> None:
    found = read({CLOCK: ticking_clock(67 * 60 + 2), FAR: ticking_clock(31 * 60)})
    assert found.minutes == ()
    assert "two clocks" in found.reason


def test_a_clock_at_the_left_edge_may_miss_a_digit() -> None:
    found = read({TextBox(0, 20, 30, 34): ticking_clock(7, form="0:{s:02d}")})
    assert found.minutes == ()
    cut = read({TextBox(1, 20, 40, 34): ticking_clock(5 * 60)})
    assert cut.minutes == ()
    assert "edge" in cut.reason


def test_readings_of_low_confidence_do_not_count() -> None:
    assert read({CLOCK: ticking_clock(23 * 60)}, confidence=0.3).minutes == ()


def test_a_clear_clock_is_not_read_in_every_still() -> None:
    screen = Screen({CLOCK: ticking_clock(23 * 60)})
    read_clock(screen.stills, screen)
    assert screen.recognized < len(screen.stills)


class Broken:
    def __init__(self, error: Exception) -> None:
        self._error = error

    def detect(self, image: Image) -> list[TextBox]:
        raise self._error

    def recognize(self, lines: Sequence[Image]) -> list[OcrText]:
        raise self._error


@pytest.mark.parametrize("error", [OcrFailed("no models"), RuntimeError("onnx"), ValueError()])
def test_a_broken_ocr_engine_gives_a_reason_and_does_not_raise(error: Exception) -> None:
    screen = Screen({CLOCK: ticking_clock(23 * 60)})
    shown = read_screen_text(screen.stills, Broken(error))
    for found in (read_clock(screen.stills, Broken(error)), shown.clock):
        assert found.minutes == ()
        assert found.reason
    assert shown.scorebug == NO_SCOREBUG


def test_no_stills_give_a_reason_and_do_not_raise() -> None:
    assert read_clock([]).reason
    assert read_screen_text([]).clock.reason


@pytest.mark.parametrize("shape", [(1, 1, 3), (2, 640, 3), (40, 2, 3)])
def test_tiny_images_do_not_raise(shape: tuple[int, int, int]) -> None:
    assert read_clock([Still(0.0, np.zeros(shape, np.uint8))] * 3).minutes == ()


@settings(max_examples=40, deadline=None)
@given(
    start=st.integers(10, 125 * 60),
    rate=st.floats(0.9, 1.25),
    seconds=st.floats(4, 60),
    stills=st.integers(8, 16),
)
def test_v3_every_running_clock_is_read_correctly(
    start: int, rate: float, seconds: float, stills: int
) -> None:
    found = read({CLOCK: ticking_clock(start, rate)}, seconds=seconds, still_count=stills)
    expected = {int(start + rate * at / 10) // 60 for at in range(int(seconds * 10) + 1)}
    assert set(found.minutes) <= expected
    assert found.minutes


@settings(max_examples=40, deadline=None)
@given(
    value=st.integers(0, 130 * 60),
    pace=st.sampled_from([0.0, -1.0, -0.5, 5.0, 60.0]),
    seconds=st.floats(6, 60),
)
def test_a_time_that_stands_falls_or_races_is_never_read(
    value: int, pace: float, seconds: float
) -> None:
    def text_at(at: float) -> str:
        now = max(0, int(value + pace * at))
        return f"{now // 60:02d}:{now % 60:02d}"

    assert read({CLOCK: text_at}, seconds=seconds).minutes == ()


def test_v3_a_clock_with_a_cut_off_period_label_is_not_read() -> None:
    found = read({CLOCK: ticking_clock(9 * 60 + 41, form="T {m:02d}:{s:02d}")})
    assert found.minutes == ()
    assert "label that cannot be read" in found.reason
    late = read({CLOCK: ticking_clock(61 * 60, form="T {m:02d}:{s:02d}")})
    assert late.minutes == (61,), "past 45 the label changes nothing"
