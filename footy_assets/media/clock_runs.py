"""Finds the clock among times read from a video: the times that run on as the video does.

A misread digit, the time of day, a score or an advert may look like a clock in one frame. None of
them gains a second for every second of video.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

# Match seconds in a second of video. Copies play up to a quarter faster, slow motion half as fast.
SLOWEST, FASTEST = 0.4, 1.6
ABOUT_NORMAL = (0.85, 1.3)
# In seconds: a clock shows whole seconds, and frames are a little early or late.
TOLERANCE = 1.0
# What a run needs: readings, clear readings, different values, seconds from first to last.
MIN_READINGS = 3
MIN_CLEAR = 2
MIN_VALUES = 3
MIN_SPAN = 2
# A pace other than the video's own needs more readings.
MIN_READINGS_ODD_PACE = 5
# Two readings closer together than this say nothing about the pace.
MIN_GAP = 1.5


@dataclass(frozen=True, slots=True)
class TimeReading:
    """One time as read: the moment in the video, the time shown in seconds, and the confidence."""

    seconds: float
    value: int
    clear: bool = True
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class ClockRun:
    """Readings that tick together: value = start + pace * seconds."""

    start: float
    pace: float
    readings: tuple[TimeReading, ...]

    @property
    def weight(self) -> float:
        return sum(
            reading.confidence * (1.0 if reading.clear else 0.5) for reading in self.readings
        )

    @property
    def first(self) -> float:
        return self.readings[0].seconds

    @property
    def last(self) -> float:
        return self.readings[-1].seconds

    def at(self, seconds: float) -> float:
        return self.start + self.pace * seconds

    def overlaps(self, other: "ClockRun") -> bool:
        return self.first <= other.last and other.first <= self.last


def find_runs(readings: Iterable[TimeReading]) -> tuple[ClockRun, ...]:
    """All runs among the readings of one region, the best supported first."""
    remaining = sorted(readings, key=lambda reading: reading.seconds)
    found: list[ClockRun] = []
    while (run := _best_run(remaining)) is not None:
        found.append(run)
        taken = set(map(id, run.readings))
        remaining = [reading for reading in remaining if id(reading) not in taken]
    return tuple(found)


def constant_values(readings: Iterable[TimeReading]) -> dict[int, int]:
    """Values that stay on screen unchanged, and how often each is read."""
    counts: dict[int, int] = {}
    for reading in readings:
        if reading.clear:
            counts[reading.value] = counts.get(reading.value, 0) + 1
    return {value: count for value, count in counts.items() if count >= 2}


def _best_run(readings: Sequence[TimeReading]) -> ClockRun | None:
    best: tuple[float, ClockRun] | None = None
    for first, second in combinations(readings, 2):
        gap = second.seconds - first.seconds
        if gap < MIN_GAP or not (first.clear or second.clear):
            continue
        pace = (second.value - first.value) / gap
        if not (SLOWEST <= pace <= FASTEST or abs(second.value - first.value - gap) <= TOLERANCE):
            continue
        # Readings a second off give a poor estimate of the pace: try that of the video first.
        near_normal = abs(second.value - first.value - gap) <= TOLERANCE
        for candidate_pace in (1.0, pace) if near_normal else (pace,):
            run = _run(readings, first, candidate_pace)
            if run is not None:
                rank = run.weight - abs(math.log(candidate_pace))
                if best is None or rank > best[0]:
                    best = rank, run
    return best[1] if best else None


def _run(readings: Sequence[TimeReading], through: TimeReading, pace: float) -> ClockRun | None:
    start = through.value - pace * through.seconds
    fits = tuple(
        reading
        for reading in readings
        if abs(reading.value - start - pace * reading.seconds) <= TOLERANCE
    )
    normal = ABOUT_NORMAL[0] <= pace <= ABOUT_NORMAL[1]
    values = {reading.value for reading in fits}
    moments = {reading.seconds for reading in fits}
    enough = (
        len(moments) >= (MIN_READINGS if normal else MIN_READINGS_ODD_PACE)
        and sum(reading.clear for reading in fits) >= MIN_CLEAR
        and len(values) >= MIN_VALUES
        and max(values) - min(values) >= MIN_SPAN
    )
    return ClockRun(start, pace, fits) if enough else None
