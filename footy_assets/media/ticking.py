"""Which of many times read off a film are a clock: those that run on as the film does.

A misread digit, the time of day, a score or an advert may look like a clock in one frame. None of
them gains a second for every second of film.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

# Match seconds in a second of film. Copies play up to a quarter faster; a slowed one half as fast.
SLOWEST, FASTEST = 0.4, 1.6
ABOUT_NORMAL = (0.85, 1.3)
# A shown second stands for a whole one, and frames are a little early or late.
TOLERANCE = 1.0
# What makes a run: readings in all, clear ones, different values, seconds from end to end.
MIN_READINGS = 3
MIN_CLEAR = 2
MIN_VALUES = 3
MIN_SPAN = 2
# Another pace than the film's own is claimed by more.
MIN_READINGS_ODD_PACE = 5
# A pair this close together says nothing about the pace.
MIN_APART = 1.5


@dataclass(frozen=True, slots=True)
class Point:
    """One time as read: when in the film, what it said, and how sure it is."""

    seconds: float
    value: int
    clear: bool = True
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class Run:
    """Readings that tick together: value = start + pace * seconds."""

    start: float
    pace: float
    points: tuple[Point, ...]

    @property
    def weight(self) -> float:
        return sum(point.confidence * (1.0 if point.clear else 0.5) for point in self.points)

    @property
    def first(self) -> float:
        return self.points[0].seconds

    @property
    def last(self) -> float:
        return self.points[-1].seconds

    def at(self, seconds: float) -> float:
        return self.start + self.pace * seconds

    def overlaps(self, other: "Run") -> bool:
        return self.first <= other.last and other.first <= self.last


def runs_of(points: Iterable[Point]) -> tuple[Run, ...]:
    """All runs among the readings of one place, the best supported first."""
    left = sorted(points, key=lambda point: point.seconds)
    found: list[Run] = []
    while (run := _best_run(left)) is not None:
        found.append(run)
        taken = set(map(id, run.points))
        left = [point for point in left if id(point) not in taken]
    return tuple(found)


def standing(points: Iterable[Point]) -> dict[int, int]:
    """Values that stay on screen unchanged, and how often each was read."""
    counts: dict[int, int] = {}
    for point in points:
        if point.clear:
            counts[point.value] = counts.get(point.value, 0) + 1
    return {value: count for value, count in counts.items() if count >= 2}


def _best_run(points: Sequence[Point]) -> Run | None:
    best: tuple[float, Run] | None = None
    for one, other in combinations(points, 2):
        apart = other.seconds - one.seconds
        if apart < MIN_APART or not (one.clear or other.clear):
            continue
        pace = (other.value - one.value) / apart
        if not (SLOWEST <= pace <= FASTEST or abs(other.value - one.value - apart) <= TOLERANCE):
            continue
        # Two readings a second off tell a pace badly; the film's own is the first to try.
        near = abs(other.value - one.value - apart) <= TOLERANCE
        for tried in (1.0, pace) if near else (pace,):
            run = _run(points, one, tried)
            if run is not None:
                rank = run.weight - abs(math.log(tried))
                if best is None or rank > best[0]:
                    best = rank, run
    return best[1] if best else None


def _run(points: Sequence[Point], through: Point, pace: float) -> Run | None:
    start = through.value - pace * through.seconds
    fits = tuple(
        point for point in points if abs(point.value - start - pace * point.seconds) <= TOLERANCE
    )
    normal = ABOUT_NORMAL[0] <= pace <= ABOUT_NORMAL[1]
    values = {point.value for point in fits}
    moments = {point.seconds for point in fits}
    enough = (
        len(moments) >= (MIN_READINGS if normal else MIN_READINGS_ODD_PACE)
        and sum(point.clear for point in fits) >= MIN_CLEAR
        and len(values) >= MIN_VALUES
        and max(values) - min(values) >= MIN_SPAN
    )
    return Run(start, pace, fits) if enough else None
