"""The minute of a match, and the distance between two minutes."""

import re
from dataclasses import dataclass

from footy_assets.matchday.rules.statuses import MatchStatus

PERIOD_ENDS = (45, 90, 105)
STATUS_OF_PERIOD = (
    MatchStatus.FIRST_HALF,
    MatchStatus.SECOND_HALF,
    MatchStatus.EXTRA_TIME,
    MatchStatus.EXTRA_TIME,
)


@dataclass(frozen=True, slots=True)
class MatchMinute:
    elapsed: int
    extra: int | None = None

    @property
    def period(self) -> int:
        return sum(self.elapsed > end for end in PERIOD_ENDS)

    @property
    def status(self) -> MatchStatus:
        """The status of a match while this minute is played."""
        return STATUS_OF_PERIOD[self.period]

    @property
    def sort_key(self) -> tuple[int, int]:
        return (self.elapsed, self.extra or 0)

    def __str__(self) -> str:
        return f"{self.elapsed}+{self.extra}'" if self.extra else f"{self.elapsed}'"


def parse_minute(text: str) -> MatchMinute | None:
    """ "67'" or "45+2'"; None for any other text."""
    found = re.fullmatch(r"(\d{1,3})(?:\+(\d{1,2}))?'?", text.strip())
    return MatchMinute(int(found[1]), int(found[2]) if found[2] else None) if found else None


def minutes_apart(one: MatchMinute, other: MatchMinute) -> int:
    """Minutes of play between two minutes; 45+2 and 47 are in different halves."""
    if one.period == other.period:
        return abs((one.elapsed + (one.extra or 0)) - (other.elapsed + (other.extra or 0)))
    return abs(one.elapsed - other.elapsed) + (one.extra or 0) + (other.extra or 0)


def is_stoppage_added(one: MatchMinute, other: MatchMinute) -> bool:
    """90 becomes 90+5: providers often add the stoppage minute later."""
    return one.elapsed == other.elapsed and (one.extra is None) != (other.extra is None)
