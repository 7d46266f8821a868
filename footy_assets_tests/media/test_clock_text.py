"""Which texts are a clock, and which time of the match they show."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footy_assets.media.clock_text import (
    MAX_ADDED,
    MINUTE,
    PERIOD_ENDS,
    Period,
    ShownTime,
    format_clock,
    has_partial_period,
    parse_minute_mark,
    parse_period,
    parse_times,
    to_match_seconds,
)

TIMES = st.builds(lambda m, s: (m, s), st.integers(0, 135), st.integers(0, 59))
NAMES = st.sampled_from(["ARS 2-1 CHE", "BVB 0:3 FCB", "REAL MADRID", "PSG 1 - 1 OM", "LIVE"])


def clock_time(minutes: int, seconds: int, period: Period | None = None) -> tuple[ShownTime, ...]:
    return (ShownTime(minutes * MINUTE + seconds, period=period),)


@pytest.mark.parametrize(
    ("text", "minutes", "seconds"),
    [
        ("23:41", 23, 41),
        ("3:41", 3, 41),
        ("03:41", 3, 41),
        ("105:30", 105, 30),
        ("120:59", 120, 59),
        (" 00:07 ", 0, 7),
        ("23：41", 23, 41),
        ("23 : 41", 23, 41),
        ("ARS 2-1 CHE 67:12", 67, 12),
        ("67:12 ARS 2-1 CHE", 67, 12),
        ("CHE67:12", 67, 12),
        ("67:12 MIN 0-1 LAG", 67, 12),
        ("2-1 67:12", 67, 12),
        ("91:20 +4", 91, 20),
        ("45:00 +3", 45, 0),
    ],
)
def test_a_clock_is_found_with_or_without_names_and_score(
    text: str, minutes: int, seconds: int
) -> None:
    assert parse_times(text) == clock_time(minutes, seconds)


@pytest.mark.parametrize(
    "text",
    [
        "2-1",
        "2:1",
        "10:1",
        "2 : 1",
        "21:43:07",
        "1:21:43",
        "21:43 Uhr",
        "9:15 PM",
        "0:05/0:30",
        "0:05 / 0:30",
        "16.11.2026",
        "2026-11-16",
        "0800 123 456",
        "23:61",
        "167:12",
        "999:10",
        "2-105:30",
        "23:4",
        "23:411",
        "45+2",
        "90+3'",
        "+3",
        "KREDIT 4.9",
        "SINCE 1921",
        "FLY 24:7",
        "14",
        "005:30",
        "",
    ],
)
def test_other_text_is_no_clock(text: str) -> None:
    assert not any(reading.clear for reading in parse_times(text))


@pytest.mark.parametrize(
    ("text", "base", "seconds"),
    [
        ("45:00 +2:13", 45, 133),
        ("45:00+2:13", 45, 133),
        ("45:00 2:13", 45, 133),
        ("90+4:58", 90, 298),
        ("90 +4:58", 90, 298),
        ("90:00 + 11:02", 90, 662),
        ("105+0:09", 105, 9),
        ("452:13", 45, 133),
        ("1051:20", 105, 80),
        ("ARS 1-1 CHE 90+4:58", 90, 298),
    ],
)
def test_v3_added_time_in_one_line_has_its_base(text: str, base: int, seconds: int) -> None:
    assert parse_times(text) == (ShownTime(seconds, base * MINUTE, behind_plus=True),)


def test_added_time_by_itself_is_behind_a_plus() -> None:
    assert parse_times("+2:13") == (ShownTime(133, behind_plus=True),)


def test_announced_minutes_are_no_time() -> None:
    assert parse_times("45:00 +3 1:12") == (ShownTime(45 * MINUTE), ShownTime(72))


@pytest.mark.parametrize("text", ["2341", "23.41", "23;41", "23 41", "I3:41", "Z3.41", "2S:41"])
def test_a_time_without_its_colon_or_with_letters_is_not_clear(text: str) -> None:
    assert all(not reading.clear for reading in parse_times(text))


def test_a_letter_for_a_digit_is_not_dropped() -> None:
    """ "I3:41" must not become 3:41."""
    assert parse_times("I3:41") == (ShownTime(13 * MINUTE + 41, clear=False),)


@pytest.mark.parametrize(
    ("text", "period"),
    [
        ("2H 12:30", Period.SECOND_HALF),
        ("2H12:30", Period.SECOND_HALF),
        ("2nd 12:30", Period.SECOND_HALF),
        ("2T 12:30", Period.SECOND_HALF),
        ("12:30 2H", Period.SECOND_HALF),
        ("1H 12:30", Period.FIRST_HALF),
        ("1st half 12:30", Period.FIRST_HALF),
        ("ET 12:30", Period.EXTRA_TIME),
        ("ET1 12:30", Period.EXTRA_TIME),
    ],
)
def test_v3_the_period_next_to_a_clock_is_read(text: str, period: Period) -> None:
    assert parse_times(text) == clock_time(12, 30, period)


@pytest.mark.parametrize(
    ("text", "period"),
    [
        ("2H", Period.SECOND_HALF),
        ("2nd", Period.SECOND_HALF),
        ("ET", Period.EXTRA_TIME),
        ("1H", Period.FIRST_HALF),
        ("ARS", None),
        ("12", None),
        ("BET", None),
        ("2-1", None),
        ("", None),
    ],
)
def test_a_period_label_by_itself(text: str, period: Period | None) -> None:
    assert parse_period(text) is period


@pytest.mark.parametrize(
    ("clock", "added", "period", "minute"),
    [
        ("23:41", None, None, 23),
        ("45:00", "2:13", None, 47),
        ("90:00", "4:58", None, 94),
        ("12:30", None, Period.SECOND_HALF, 57),
        ("44:59", None, Period.SECOND_HALF, 89),
        ("45:00", None, Period.SECOND_HALF, 45),
        ("67:12", None, Period.SECOND_HALF, 67),
        ("45:00", "2:13", Period.SECOND_HALF, 92),
        ("12:30", None, Period.FIRST_HALF, 12),
        ("12:30", None, Period.EXTRA_TIME, 102),
        ("30:00", None, Period.EXTRA_TIME, 120),
        ("31:00", None, Period.EXTRA_TIME, 31),
        ("105:30", None, Period.EXTRA_TIME, 105),
        ("15:00", "1:05", Period.EXTRA_TIME, 106),
    ],
)
def test_v3_added_time_is_added_and_periods_are_counted_on(
    clock: str, added: str | None, period: Period | None, minute: int
) -> None:
    def seconds(text: str) -> int:
        minutes, _, rest = text.partition(":")
        return int(minutes) * MINUTE + int(rest)

    total = to_match_seconds(seconds(clock), seconds(added) if added else None, period)
    assert total // MINUTE == minute


@settings(deadline=None)
@given(TIMES, st.booleans())
def test_every_clock_is_parsed_to_its_time(time: tuple[int, int], padded: bool) -> None:
    minutes, seconds = time
    text = f"{minutes:02d}:{seconds:02d}" if padded else f"{minutes}:{seconds:02d}"
    assert parse_times(text) == clock_time(minutes, seconds)


@settings(deadline=None)
@given(TIMES, NAMES, st.booleans())
def test_names_and_scores_next_to_it_change_nothing(
    time: tuple[int, int], names: str, first: bool
) -> None:
    clock = f"{time[0]:02d}:{time[1]:02d}"
    text = f"{clock} {names}" if first else f"{names} {clock}"
    assert clock_time(*time)[0] in parse_times(text)


@settings(deadline=None)
@given(st.sampled_from(PERIOD_ENDS), st.integers(0, MAX_ADDED - 1), st.sampled_from(["+", " +"]))
def test_v3_every_added_time_adds_up(end: int, added: int, behind_plus: str) -> None:
    (reading,) = parse_times(f"{end // MINUTE}{behind_plus}{format_clock(added)}")
    assert reading.base is not None
    assert reading.base + reading.seconds == end + added


@settings(deadline=None)
@given(st.text(max_size=30))
def test_no_text_breaks_the_parser(text: str) -> None:
    for reading in parse_times(text):
        assert 0 <= reading.seconds < 136 * MINUTE
    parse_period(text)


@pytest.mark.parametrize("text", ["T 09:41", "E 12:30", "H 3:05", "ND 12:30 LIV", "T09:41"])
def test_v3_a_partial_period_label_is_noticed(text: str) -> None:
    assert has_partial_period(text)


@pytest.mark.parametrize("text", ["ET 09:41", "2H 12:30", "LIV 12:30", "12:30", "HT", "T 9", ""])
def test_v3_whole_labels_and_plain_clocks_are_not_partial(text: str) -> None:
    assert not has_partial_period(text)


def test_a_letter_in_place_of_the_first_digit_is_never_read_as_a_shorter_clock() -> None:
    (guessed,) = parse_times("B2:08 MCI 3-0 CHE")
    assert (guessed.seconds, guessed.clear) == (82 * 60 + 8, False)
    assert parse_times("MCIB2:06") == ()
    assert parse_times("MCI 2:06")[0].seconds == 126


@pytest.mark.parametrize(
    ("text", "minute"),
    [("67'", 67), ("90+3'", 93), ("5 ’", 5), ("67", None), ("24:04", None), ("0'", None)],
)
def test_v3_a_minute_without_seconds(text: str, minute: int | None) -> None:
    assert parse_minute_mark(text) == minute
