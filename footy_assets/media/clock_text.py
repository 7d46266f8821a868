"""V3: parses OCR text of a scorebug into a time of the match.

A line of a scorebug may hold names, a score and the clock. A clock is one to three digits, a colon
and two digits below 60, with nothing around them that makes it something else.
"""

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum

MINUTE = 60
# Times at which a clock stands still while added time runs next to it.
PERIOD_ENDS = tuple(minute * MINUTE for minute in (45, 90, 105, 120))
EXTRA_TIME_ENDS = tuple(minute * MINUTE for minute in (15, 30))
# The end of extra time with its added time.
LAST_MINUTE = 135
MAX_ADDED = 20 * MINUTE
# Digits without a colon count as a time only in a text that holds little else.
MAX_UNCLEAR_LENGTH = 9


class Period(StrEnum):
    """The period of the match that a scorebug names next to its clock."""

    FIRST_HALF = "1H"
    SECOND_HALF = "2H"
    EXTRA_TIME = "ET"


@dataclass(frozen=True, slots=True)
class ShownTime:
    """One time on the screen.

    `base` is the period's end before a plus in the same line (90 in "90+4:58"), in seconds;
    `behind_plus` means that the time follows a plus sign. A time without a colon is not `clear`:
    it can support a clear one, but does not count by itself.
    """

    seconds: int
    base: int | None = None
    behind_plus: bool = False
    clear: bool = True
    period: Period | None = None


_PERIOD_PATTERNS: dict[Period, str] = {
    Period.SECOND_HALF: r"2\s?H|H\s?2|2\s?ND(?:\s?HALF)?|2\s?T|2\s?HZ|2\.\s?HZ|2°\s?T|ZH|2\s?º\s?T",
    Period.FIRST_HALF: r"1\s?H|H\s?1|1\s?ST(?:\s?HALF)?|1\s?T|1\s?HZ|1\.\s?HZ|1°\s?T|IH|1\s?º\s?T",
    Period.EXTRA_TIME: r"E\.?T\.?\s?[12]?|[12]\s?ET|AET|EXTRA\s?TIME|PROL|OT",
}
_PERIOD = "|".join(f"(?P<{name.name}>{pattern})" for name, pattern in _PERIOD_PATTERNS.items())
_PERIOD_ALONE = re.compile(rf"\W*(?:{_PERIOD})\W*")
_PERIOD_BEFORE = re.compile(rf"(?:^|[^A-Z\d])(?:{_PERIOD})[\s|.:\-]*$")
_PERIOD_AFTER = re.compile(rf"^[\s|.\-]*(?:{_PERIOD})(?:[^A-Z\d]|$)")

# The rest of a period label when the text region begins in the middle of it.
_PARTIAL_PERIOD = re.compile(r"\W*(?:[TEH]|ND|ST|HZ)\W*\d{1,3}\s?:\s?[0-5]\d(?!\d).*")

_ENDS = "|".join(str(end // MINUTE) for end in PERIOD_ENDS)
_CLOCK = re.compile(
    rf"(?:(?<!\d)(?P<base>{_ENDS})(?::?00)?\s?)?(?P<plus>\+\s?)?"
    r"(?P<minutes>\d{1,3})\s?:\s?(?P<seconds>[0-5]\d)(?!\d)"
)
# A colon that is missing or read as another mark.
_CLOCK_UNCLEAR = re.compile(
    rf"(?:(?<!\d)(?P<base>{_ENDS})(?=\s?\+)\s?)?(?P<plus>\+\s?)?"
    r"(?P<minutes>\d{1,3})(?:\s?[.;,·'\-*]\s?|\s)?(?P<seconds>[0-5]\d)(?!\d)"
)
# Marks right before a time that make it part of a date, a span or another time, or a letter that
# may be the clock's first digit.
_NOT_AFTER = re.compile(r"[\d:/.\-,OQDIL|SBZG]$|[:/]\s$|[#№$€£]\s?$")
# Marks right after it: seconds or hundredths, a time of day, the length of a video.
_NOT_BEFORE = re.compile(r"^(?:\s?[:/%]|[.,\-]\s?\d|\s?(?:AM|PM|UHR|GMT|UTC)\b)")
# Letters that OCR gives for digits.
_LOOKALIKE = str.maketrans("OQDIL|SBZG", "0001115826")
_LOOKALIKE_RUN = re.compile(r"(?<![A-Z])[\dOQDIL|SBZG]{1,3}:[\dOQDIL|SBZG]{2}(?![A-Z\d])")


_MINUTE_MARK = re.compile(r"(?P<minute>\d{1,3})\s?(?:\+\s?(?P<added>\d{1,2})\s?)?['’′´`]")


def parse_times(text: str) -> tuple[ShownTime, ...]:
    """Every time in a line that a match clock can show, left to right."""
    line = _normalize(text)
    digits = _LOOKALIKE_RUN.sub(lambda run: run[0].translate(_LOOKALIKE), line)
    if digits != line:
        return _times(digits, _CLOCK, clear=False)
    if clear := _times(line, _CLOCK, clear=True):
        return clear
    return _times(line, _CLOCK_UNCLEAR, clear=False) if len(line) <= MAX_UNCLEAR_LENGTH else ()


def parse_period(text: str) -> Period | None:
    """The period, if the text names a period and nothing else."""
    return _period_of(_PERIOD_ALONE.fullmatch(_normalize(text)))


def has_partial_period(text: str) -> bool:
    """Whether the line begins with a part of a period label, as T of ET 09:41."""
    return _PARTIAL_PERIOD.fullmatch(_normalize(text)) is not None


def to_match_seconds(shown: int, added: int | None = None, period: Period | None = None) -> int:
    """V3: stoppage clocks are added; "2H" under 45 → +45; ET up to 30 → +90."""
    minute = shown // MINUTE
    total = shown + (added or 0)
    stands_at_45 = added is not None and shown == PERIOD_ENDS[0]
    if period is Period.SECOND_HALF and (minute < 45 or stands_at_45):
        total += 45 * MINUTE
    elif period is Period.EXTRA_TIME and minute <= 30:
        total += 90 * MINUTE
    return total


def parse_minute_mark(text: str) -> int | None:
    """The minute of a clock without seconds, counted from 1 as people do: 67', 90+3'."""
    match = _MINUTE_MARK.fullmatch(_normalize(text))
    if match is None:
        return None
    minute = int(match["minute"]) + int(match["added"] or 0)
    return minute if 1 <= minute <= LAST_MINUTE else None


def format_clock(seconds: int) -> str:
    return f"{seconds // MINUTE}:{seconds % MINUTE:02d}"


def _normalize(text: str) -> str:
    """Plain marks for full-width ones, single spaces, capitals."""
    normalized = unicodedata.normalize("NFKC", text).upper()
    return re.sub(r"\s+", " ", normalized.replace("＋", "+").replace("∶", ":")).strip()


def _times(line: str, pattern: re.Pattern[str], clear: bool) -> tuple[ShownTime, ...]:
    found = []
    for match in pattern.finditer(line):
        before, after = line[: match.start()], line[match.end() :]
        period = _period_of(_PERIOD_BEFORE.search(before)) or _period_of(
            _PERIOD_AFTER.search(after)
        )
        excluded = period is None and _NOT_AFTER.search(before)
        if excluded or _NOT_BEFORE.search(after):
            continue
        shown = _to_shown_time(match, clear, period)
        if shown is not None:
            found.append(shown)
    return tuple(found)


def _to_shown_time(match: re.Match[str], clear: bool, period: Period | None) -> ShownTime | None:
    minutes, seconds = int(match["minutes"]), int(match["seconds"])
    at = minutes * MINUTE + seconds
    if len(match["minutes"]) == 3 and minutes < 100:
        return None
    base = int(match["base"]) * MINUTE if match["base"] else None
    if base is not None or match["plus"]:
        return ShownTime(at, base, True, clear, period) if at < MAX_ADDED else None
    return ShownTime(at, None, False, clear, period) if minutes <= LAST_MINUTE else None


def _period_of(match: re.Match[str] | None) -> Period | None:
    if match is None:
        return None
    return next((name for name in Period if match[name.name]), None)
