"""V3: from what OCR said to a moment of the match. Pure text, no pictures.

A line of a scorebug may hold names, a score and the clock. What counts as a clock is narrow: one
or two or three digits, a colon, two digits below 60, and nothing around them that says otherwise.
"""

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum

MINUTE = 60
# Where a clock stands still while the added time runs beside it.
PERIOD_ENDS = tuple(minute * MINUTE for minute in (45, 90, 105, 120))
EXTRA_TIME_ENDS = tuple(minute * MINUTE for minute in (15, 30))
# Extra time with its own added time; beyond it no match clock goes.
LAST_MINUTE = 135
# No added time is longer.
LONGEST_ADDED = 20 * MINUTE
# Digits without a colon are only believed where there is no room for anything else.
LONGEST_UNCLEAR = 9


class Period(StrEnum):
    """The part of the match that a scorebug names beside its clock."""

    FIRST_HALF = "1H"
    SECOND_HALF = "2H"
    EXTRA_TIME = "ET"


@dataclass(frozen=True, slots=True)
class Shown:
    """One time on the screen.

    `base` is the period's end before a plus in the same line (90 in "90+4:58"), in seconds;
    `plus` says that the time stands behind a plus. Only a `clear` time, with its colon, is
    believed by itself; others support what a clear one said.
    """

    seconds: int
    base: int | None = None
    plus: bool = False
    clear: bool = True
    period: Period | None = None


_PERIODS: dict[Period, str] = {
    Period.SECOND_HALF: r"2\s?H|H\s?2|2\s?ND(?:\s?HALF)?|2\s?T|2\s?HZ|2\.\s?HZ|2°\s?T|ZH|2\s?º\s?T",
    Period.FIRST_HALF: r"1\s?H|H\s?1|1\s?ST(?:\s?HALF)?|1\s?T|1\s?HZ|1\.\s?HZ|1°\s?T|IH|1\s?º\s?T",
    Period.EXTRA_TIME: r"E\.?T\.?\s?[12]?|[12]\s?ET|AET|EXTRA\s?TIME|PROL|OT",
}
_PERIOD = "|".join(f"(?P<{name.name}>{pattern})" for name, pattern in _PERIODS.items())
_ALONE = re.compile(rf"\W*(?:{_PERIOD})\W*")
_BEFORE = re.compile(rf"(?:^|[^A-Z\d])(?:{_PERIOD})[\s|.:\-]*$")
_AFTER = re.compile(rf"^[\s|.\-]*(?:{_PERIOD})(?:[^A-Z\d]|$)")

# What is left of a period's name when the place begins in the middle of it.
_HALF_NAMED = re.compile(r"\W*(?:[TEH]|ND|ST|HZ)\W*\d{1,3}\s?:\s?[0-5]\d(?!\d).*")

_ENDS = "|".join(str(end // MINUTE) for end in PERIOD_ENDS)
_CLOCK = re.compile(
    rf"(?:(?<!\d)(?P<base>{_ENDS})(?::?00)?\s?)?(?P<plus>\+\s?)?"
    r"(?P<minutes>\d{1,3})\s?:\s?(?P<seconds>[0-5]\d)(?!\d)"
)
# A colon that got lost or was taken for another mark.
_CLOCK_UNCLEAR = re.compile(
    rf"(?:(?<!\d)(?P<base>{_ENDS})(?=\s?\+)\s?)?(?P<plus>\+\s?)?"
    r"(?P<minutes>\d{1,3})(?:\s?[.;,·'\-*]\s?|\s)?(?P<seconds>[0-5]\d)(?!\d)"
)
# Marks right before a time that make it part of something else: a date, a span, another time.
# Or a letter that may itself be the clock's first digit.
_NOT_AFTER = re.compile(r"[\d:/.\-,OQDIL|SBZG]$|[:/]\s$|[#№$€£]\s?$")
# And right behind it: seconds or hundredths, a time of day, the length of a video.
_NOT_BEFORE = re.compile(r"^(?:\s?[:/%]|[.,\-]\s?\d|\s?(?:AM|PM|UHR|GMT|UTC)\b)")
# Letters that stand for digits when digits are around them.
_LOOKALIKE = str.maketrans("OQDIL|SBZG", "0001115826")
_LOOKALIKE_RUN = re.compile(r"(?<![A-Z])[\dOQDIL|SBZG]{1,3}:[\dOQDIL|SBZG]{2}(?![A-Z\d])")


def times_in(text: str) -> tuple[Shown, ...]:
    """Every time in a line that a match clock could show, left to right."""
    line = _plain(text)
    guessed = _LOOKALIKE_RUN.sub(lambda run: run[0].translate(_LOOKALIKE), line)
    if guessed != line:
        return _times(guessed, _CLOCK, clear=False)
    if clear := _times(line, _CLOCK, clear=True):
        return clear
    return _times(line, _CLOCK_UNCLEAR, clear=False) if len(line) <= LONGEST_UNCLEAR else ()


def period_in(text: str) -> Period | None:
    """The part of the match, if the text names that and nothing else."""
    return _named(_ALONE.fullmatch(_plain(text)))


def half_named(text: str) -> bool:
    """Does the line begin with a piece of a period's name, as T of ET 09:41?"""
    return _HALF_NAMED.fullmatch(_plain(text)) is not None


def looks_like_clock(text: str) -> bool:
    return any(shown.clear for shown in times_in(text))


def match_seconds(shown: int, added: int | None = None, period: Period | None = None) -> int:
    """V3: stoppage clocks are added; "2H" under 45 → +45; ET up to 30 → +90."""
    minute = shown // MINUTE
    total = shown + (added or 0)
    stands_at_45 = added is not None and shown == PERIOD_ENDS[0]
    if period is Period.SECOND_HALF and (minute < 45 or stands_at_45):
        total += 45 * MINUTE
    elif period is Period.EXTRA_TIME and minute <= 30:
        total += 90 * MINUTE
    return total


def as_clock(seconds: int) -> str:
    return f"{seconds // MINUTE}:{seconds % MINUTE:02d}"


def _plain(text: str) -> str:
    """Full-width marks as plain ones, one kind of space, capitals."""
    plain = unicodedata.normalize("NFKC", text).upper()
    return re.sub(r"\s+", " ", plain.replace("＋", "+").replace("∶", ":")).strip()


def _times(line: str, pattern: re.Pattern[str], clear: bool) -> tuple[Shown, ...]:
    found = []
    for match in pattern.finditer(line):
        before, after = line[: match.start()], line[match.end() :]
        period = _named(_BEFORE.search(before)) or _named(_AFTER.search(after))
        refused = period is None and _NOT_AFTER.search(before)
        if refused or _NOT_BEFORE.search(after):
            continue
        shown = _shown(match, clear, period)
        if shown is not None:
            found.append(shown)
    return tuple(found)


def _shown(match: re.Match[str], clear: bool, period: Period | None) -> Shown | None:
    minutes, seconds = int(match["minutes"]), int(match["seconds"])
    at = minutes * MINUTE + seconds
    if len(match["minutes"]) == 3 and minutes < 100:
        return None
    base = int(match["base"]) * MINUTE if match["base"] else None
    if base is not None or match["plus"]:
        return Shown(at, base, True, clear, period) if at < LONGEST_ADDED else None
    return Shown(at, None, False, clear, period) if minutes <= LAST_MINUTE else None


def _named(match: re.Match[str] | None) -> Period | None:
    if match is None:
        return None
    return next((name for name in Period if match[name.name]), None)
