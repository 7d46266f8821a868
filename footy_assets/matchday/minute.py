"""The minute of a match, and how far apart two of them are."""

from dataclasses import dataclass

PERIOD_ENDS = (45, 90, 105)


@dataclass(frozen=True, slots=True)
class MatchMinute:
    elapsed: int
    extra: int | None = None

    @property
    def period(self) -> int:
        return sum(self.elapsed > end for end in PERIOD_ENDS)

    @property
    def sort_key(self) -> tuple[int, int]:
        return (self.elapsed, self.extra or 0)

    def __str__(self) -> str:
        return f"{self.elapsed}+{self.extra}'" if self.extra else f"{self.elapsed}'"


def minutes_apart(one: MatchMinute, other: MatchMinute) -> int:
    """Playing minutes between two moments; 45+2 and 47 lie on two sides of the break."""
    if one.period == other.period:
        return abs((one.elapsed + (one.extra or 0)) - (other.elapsed + (other.extra or 0)))
    return abs(one.elapsed - other.elapsed) + (one.extra or 0) + (other.extra or 0)


def stoppage_filled_in(one: MatchMinute, other: MatchMinute) -> bool:
    """90 that becomes 90+5: providers often learn the stoppage minute later."""
    return one.elapsed == other.elapsed and (one.extra is None) != (other.extra is None)
