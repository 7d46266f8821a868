"""V3: what minute of the match a clip shows, by its scorebug's clock.

The places where a time may stand are found once, read in every still, and put to a vote over time:
only a time that ticks as the film runs is a clock.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from footy_assets.errors import FootyError
from footy_assets.media.clock_text import (
    EXTRA_TIME_ENDS,
    LONGEST_ADDED,
    MINUTE,
    PERIOD_ENDS,
    Period,
    as_clock,
    match_seconds,
)
from footy_assets.media.decode import Still
from footy_assets.media.ocr import Spot, TextReader, text_reader
from footy_assets.media.scorebug import find_places, near, picture_left
from footy_assets.media.ticking import Run, runs_of, standing
from footy_assets.media.tracks import FrameRead, Track, follow, named_periods

# Parts of the clip at which stills are worth taking.
CLOCK_STILLS: tuple[float, ...] = tuple((number + 0.5) / 14 for number in range(14))
# In how many of them text is looked for.
SEARCHED = 3
# A second run of the same place at the same time with this share of the first's weight: who knows.
RIVAL = 0.34
# A later shot's run adds its minutes if it has this many readings.
ENOUGH_FOR_ANOTHER_SHOT = 4
# A timer that began with the film is the player's, not the match's.
FILM_TIMER = 2.0

Periods = Sequence[tuple[Spot, Period]]


@dataclass(frozen=True, slots=True)
class ClockReading:
    """The clock of a clip: minutes with added time on top (45+2:13 is 47), empty if none is sure.

    `stands_at` is a period's end that the clock stood at while its added time could not be read.
    """

    minutes: tuple[int, ...]
    ticks: bool
    frames: tuple[FrameRead, ...]
    region: Spot | None
    reason: str
    stands_at: int | None = None


@dataclass(frozen=True, slots=True)
class _Clock:
    """A run that may be the match clock, and what to add to it."""

    track: Track
    run: Run
    base: int
    period: Period | None

    def match_seconds(self, value: int) -> int:
        if self.base:
            return match_seconds(self.base, value, self.period)
        return match_seconds(value, None, self.period)


def read_clock(stills: Sequence[Still], reader: TextReader | None = None) -> ClockReading:
    """Find the clock, read it in every still, believe what ticks. Never fails: it says why."""
    if not stills:
        return _unread("no picture to look at")
    try:
        reader = reader or text_reader()
        searched = _spread(stills, SEARCHED)
        places = find_places(reader, searched)
        tracks = follow(reader, places, stills, picture_left(searched))
        periods = named_periods(reader, places, stills) if tracks else []
    except FootyError as error:
        return _unread(error.sentence())
    except Exception as error:  # a picture that OpenCV or OCR cannot take is no reason to crash
        return _unread(f"the clock could not be read ({type(error).__name__}: {error})")
    return voted(tracks, periods)


def voted(tracks: Sequence[Track], periods: Periods) -> ClockReading:
    """The match clock among all places that showed a time."""
    if not any(track.points for track in tracks):
        return _unread("no clock in sight")
    stood = _stood(tracks)
    clocks: list[_Clock] = []
    doubts: list[str] = []
    for track in tracks:
        runs = _with_their_base(runs_of(track.points))
        if not runs:
            continue
        best = runs[0]
        rival = _rival(runs)
        if rival is not None:
            doubts.append(f"it reads as {_told(best)} and as {_told(rival)} about as often")
            continue
        for run in (best, *_later_shots(runs)):
            clock = _clock_of(track, run, tracks, periods)
            if isinstance(clock, str):
                doubts.append(clock)
            else:
                clocks.append(clock)
    return _chosen(clocks, doubts, tracks, stood)


def _clock_of(track: Track, run: Run, tracks: Sequence[Track], periods: Periods) -> _Clock | str:
    """The run as a match clock, or why it is none."""
    if track.cut:
        return f"{_told(run)} stands at the very edge: its first digit may be cut off"
    period = track.period or _period_beside(track, periods)
    behind_plus = sum(point in track.plus for point in run.points) * 3 >= len(run.points)
    short = max(point.value for point in run.points) < LONGEST_ADDED
    ends = PERIOD_ENDS + (EXTRA_TIME_ENDS if period is Period.EXTRA_TIME else ())
    if short:
        beside = [end for end in ends if _stands_beside(end, track, run, tracks)]
        if len(beside) == 1:
            return _Clock(track, run, beside[0], period)
        if beside:
            return f"{_told(run)} runs beside {' and '.join(map(as_clock, beside))}"
        if behind_plus:
            return f"added time runs ({_told(run)}) but what it is added to cannot be read"
    if period is None and track.half_named and run.points[0].value < PERIOD_ENDS[0]:
        return f"{_told(run)} of a part of the match whose name cannot be read"
    if period is None and abs(run.start) <= FILM_TIMER:
        return f"{_told(run)} counts the film's own seconds"
    return _Clock(track, run, 0, period)


def _stands_beside(end: int, track: Track, run: Run, tracks: Sequence[Track]) -> bool:
    """Does a clock stand at a period's end next to this run, in two frames at least?"""
    for other in tracks:
        if other is not track and not near(other.spot, track.spot):
            continue
        rest = [point for point in other.points if point not in run.points]
        if standing(rest).get(end, 0) >= 2:
            return True
    return False


def _period_beside(track: Track, periods: Periods) -> Period | None:
    named = {period for spot, period in periods if near(spot, track.spot)}
    return named.pop() if len(named) == 1 else None


def _chosen(
    clocks: Sequence[_Clock],
    doubts: Sequence[str],
    tracks: Sequence[Track],
    stood: int | None,
) -> ClockReading:
    main = _main_track(clocks)
    if main is None or (doubts and not clocks):
        region = max(tracks, key=lambda track: len(track.points))
        return ClockReading(
            (), False, region.texts, region.spot, _why_none(clocks, doubts, tracks), stood
        )
    believed = {
        point.seconds: clock.match_seconds(point.value)
        for clock in clocks
        if clock.track is main
        for point in clock.run.points
    }
    frames = tuple(
        FrameRead(read.seconds, read.text, believed.get(read.seconds), read.confidence)
        for read in main.texts
    )
    minutes = tuple(sorted({value // MINUTE for value in believed.values()}))
    values = sorted(believed.values())
    reason = (
        f"the clock runs from {as_clock(values[0])} to {as_clock(values[-1])} "
        f"in {len(believed)} of {len(frames)} stills"
    )
    return ClockReading(minutes, True, frames, main.spot, reason, stood)


def _main_track(clocks: Sequence[_Clock]) -> Track | None:
    """The place of the match clock. Two that tick differently are no clock, unless one is a short
    timer beside it (added time, a check by video)."""
    if not clocks:
        return None
    latest = max(clocks, key=lambda clock: clock.match_seconds(clock.run.points[0].value))
    for clock in clocks:
        if clock.track is latest.track:
            continue
        here = clock.match_seconds(round(clock.run.at(latest.run.first)))
        there = latest.match_seconds(round(latest.run.at(latest.run.first)))
        if abs(here - there) > 3 and here >= LONGEST_ADDED:
            return None
    same = [clock for clock in clocks if clock.track is latest.track]
    return same[0].track


def _with_their_base(runs: Sequence[Run]) -> list[Run]:
    """Without runs of added time that are another one's with what it is added to left out: 90+4:58
    may be read as 4:58 in some stills."""
    return [
        run
        for run in runs
        if not any(
            other.overlaps(run) and abs(other.at(run.first) - run.at(run.first) - end) <= 3
            for other in runs
            for end in PERIOD_ENDS
        )
    ]


def _rival(runs: Sequence[Run]) -> Run | None:
    """A run of the same place at the same time that is about as well supported."""
    best = runs[0]
    for run in runs[1:]:
        if run.overlaps(best) and run.weight >= RIVAL * best.weight:
            return run
    return None


def _later_shots(runs: Sequence[Run]) -> list[Run]:
    best = runs[0]
    return [
        run
        for run in runs[1:]
        if not run.overlaps(best) and len(run.points) >= ENOUGH_FOR_ANOTHER_SHOT
    ]


def _stood(tracks: Sequence[Track]) -> int | None:
    """The latest end of a period at which some clock stood."""
    ends = [
        value
        for track in tracks
        for value, times in standing(track.points).items()
        if value in PERIOD_ENDS and times >= 3
    ]
    return max(ends) // MINUTE if ends else None


def _why_none(clocks: Sequence[_Clock], doubts: Sequence[str], tracks: Sequence[Track]) -> str:
    if clocks:
        told = " and ".join(_told(clock.run) for clock in clocks)
        return f"two clocks tick, {told}: no telling which is the match's"
    if doubts:
        return "; ".join(dict.fromkeys(doubts))
    shown = Counter(as_clock(point.value) for track in tracks for point in track.points)
    often = ", ".join(f"{text} ({times} times)" for text, times in shown.most_common(3))
    return f"nothing that ticks with the film; seen: {often}"


def _told(run: Run) -> str:
    return f"{as_clock(run.points[0].value)}–{as_clock(run.points[-1].value)}"


def _spread(stills: Sequence[Still], count: int) -> list[Still]:
    """A few stills from all over the clip, not its very ends."""
    if len(stills) <= count:
        return list(stills)
    return [stills[round((number + 0.5) * len(stills) / count - 0.5)] for number in range(count)]


def _unread(reason: str) -> ClockReading:
    return ClockReading((), False, (), None, reason)
