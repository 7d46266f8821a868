"""V3: reads the minute of the match from the clock in a clip's scorebug.

Text regions that may show a time are detected once and read in every still. Only a time that runs
on with the video is a clock.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from footy_assets.media.clock_runs import ClockRun, constant_values, find_runs
from footy_assets.media.clock_text import (
    EXTRA_TIME_ENDS,
    MAX_ADDED,
    MINUTE,
    PERIOD_ENDS,
    Period,
    format_clock,
    to_match_seconds,
)
from footy_assets.media.decode import Still
from footy_assets.media.ocr import TextBox, TextReader, reading_failure, text_reader
from footy_assets.media.text_areas import text_areas
from footy_assets.media.text_regions import (
    TextRegion,
    are_adjacent,
    find_text_regions,
    left_border,
)
from footy_assets.media.text_tracks import FrameReading, Track, find_period_labels, track_regions

# Positions of the stills, as parts of the clip.
CLOCK_STILLS: tuple[float, ...] = tuple((number + 0.5) / 14 for number in range(14))
# In how many of them text is detected.
SEARCHED_STILLS = 3
# A second run of the same region at the same time, with at least this share of the best run's
# weight, makes the clock ambiguous.
RIVAL_SHARE = 0.34
# A run of a later shot counts from this many readings.
MIN_READINGS_LATER_SHOT = 4
# A timer that starts within this time of the video is the player's, not the match clock.
FILM_TIMER_SECONDS = 2.0

# A frozen clock needs this many equal readings, and this share of all.
MIN_FROZEN_READINGS, MIN_FROZEN_SHARE = 5, 0.8

Periods = Sequence[tuple[TextBox, Period]]


@dataclass(frozen=True, slots=True)
class ClockReading:
    """The clock of a clip: minutes including added time (45+2:13 is 47), empty if not certain.

    `stands_at` is the minute of a period's end at which the clock stands while its added time
    cannot be read.
    """

    minutes: tuple[int, ...]
    ticks: bool
    frames: tuple[FrameReading, ...]
    region: TextBox | None
    reason: str
    stands_at: int | None = None
    # The minute of a clear time that stands in most stills without running: weak evidence.
    frozen_minutes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A run that may be the match clock; `base` is the period's end that added time counts from."""

    track: Track
    run: ClockRun
    base: int
    period: Period | None

    def match_seconds(self, value: int) -> int:
        if self.base:
            return to_match_seconds(self.base, value, self.period)
        return to_match_seconds(value, None, self.period)


def read_clock(
    stills: Sequence[Still],
    reader: TextReader | None = None,
    regions: Sequence[TextRegion] | None = None,
) -> ClockReading:
    """Find and read the match clock. Never raises: `reason` explains why there is none."""
    if not stills:
        return no_clock("no stills")
    try:
        reader = reader or text_reader()
        searched = _spread(stills, SEARCHED_STILLS)
        if regions is None:
            regions = find_regions(stills, reader)
        tracks = track_regions(reader, regions, stills, left_border(searched))
        periods = find_period_labels(reader, regions, stills) if tracks else []
    except Exception as error:
        return no_clock(reading_failure("the clock", error))
    return choose_clock(tracks, periods)


def find_regions(stills: Sequence[Still], reader: TextReader) -> tuple[TextRegion, ...]:
    """The regions with text in a few stills of the clip."""
    return find_text_regions(reader, _spread(stills, SEARCHED_STILLS), text_areas(stills))


def choose_clock(tracks: Sequence[Track], periods: Periods) -> ClockReading:
    """Choose the match clock among all regions that show a time."""
    if not any(track.times for track in tracks):
        return no_clock("no clock found")
    stands_at = _standing_minute(tracks)
    candidates: list[_Candidate] = []
    objections: list[str] = []
    for track in tracks:
        runs = _without_bare_added_time(find_runs(track.times))
        if not runs:
            continue
        best = runs[0]
        rival = _rival(runs)
        if rival is not None:
            objections.append(f"it reads as {_span(best)} and as {_span(rival)} about as often")
            continue
        for run in (best, *_later_shots(runs)):
            candidate = _candidate(track, run, tracks, periods)
            if isinstance(candidate, str):
                objections.append(candidate)
            else:
                candidates.append(candidate)
    return _result(candidates, objections, tracks, stands_at)


def _candidate(
    track: Track, run: ClockRun, tracks: Sequence[Track], periods: Periods
) -> _Candidate | str:
    """The run as a candidate for the match clock, or why it is none."""
    if track.cut_off:
        return f"{_span(run)} is at the left edge: its first digit may be cut off"
    period = track.period or _adjacent_period(track, periods)
    behind_plus = sum(reading in track.behind_plus for reading in run.readings) * 3 >= len(
        run.readings
    )
    short = max(reading.value for reading in run.readings) < MAX_ADDED
    ends = PERIOD_ENDS + (EXTRA_TIME_ENDS if period is Period.EXTRA_TIME else ())
    if short:
        adjacent = [end for end in ends if _stands_adjacent(end, track, run, tracks)]
        if len(adjacent) == 1:
            return _Candidate(track, run, adjacent[0], period)
        if adjacent:
            return f"{_span(run)} runs next to {' and '.join(map(format_clock, adjacent))}"
        if behind_plus:
            return f"added time runs ({_span(run)}) but what it is added to cannot be read"
    if period is None and track.period_unclear and run.readings[0].value < PERIOD_ENDS[0]:
        return f"{_span(run)} has a period label that cannot be read"
    if period is None and abs(run.start) <= FILM_TIMER_SECONDS:
        return f"{_span(run)} counts the seconds of the video"
    return _Candidate(track, run, 0, period)


def _stands_adjacent(end: int, track: Track, run: ClockRun, tracks: Sequence[Track]) -> bool:
    """Whether a clock next to this run stands at a period's end in at least two frames."""
    for other in tracks:
        if other is not track and not are_adjacent(other.box, track.box):
            continue
        rest = [reading for reading in other.times if reading not in run.readings]
        if constant_values(rest).get(end, 0) >= 2:
            return True
    return False


def _adjacent_period(track: Track, periods: Periods) -> Period | None:
    named = {period for box, period in periods if are_adjacent(box, track.box)}
    return named.pop() if len(named) == 1 else None


def _result(
    candidates: Sequence[_Candidate],
    objections: Sequence[str],
    tracks: Sequence[Track],
    stands_at: int | None,
) -> ClockReading:
    main = _main_track(candidates)
    if main is None or (objections and not candidates):
        region = max(tracks, key=lambda track: len(track.times))
        return ClockReading(
            (),
            False,
            region.frames,
            region.box,
            _explain(candidates, objections, tracks),
            stands_at,
            () if candidates or objections else _frozen_minutes(tracks),
        )
    match_times = {
        reading.seconds: candidate.match_seconds(reading.value)
        for candidate in candidates
        if candidate.track is main
        for reading in candidate.run.readings
    }
    frames = tuple(
        FrameReading(read.seconds, read.text, match_times.get(read.seconds), read.confidence)
        for read in main.frames
    )
    minutes = tuple(sorted({value // MINUTE for value in match_times.values()}))
    values = sorted(match_times.values())
    reason = (
        f"the clock runs from {format_clock(values[0])} to {format_clock(values[-1])} "
        f"in {len(match_times)} of {len(frames)} stills"
    )
    return ClockReading(minutes, True, frames, main.box, reason, stands_at)


def _main_track(candidates: Sequence[_Candidate]) -> Track | None:
    """The track of the match clock. Two that disagree give none, unless one is a short timer next
    to the clock (added time, a VAR check)."""
    if not candidates:
        return None
    latest = max(
        candidates, key=lambda candidate: candidate.match_seconds(candidate.run.readings[0].value)
    )
    for candidate in candidates:
        if candidate.track is latest.track:
            continue
        here = candidate.match_seconds(round(candidate.run.at(latest.run.first)))
        there = latest.match_seconds(round(latest.run.at(latest.run.first)))
        if abs(here - there) > 3 and here >= MAX_ADDED:
            return None
    return latest.track


def _without_bare_added_time(runs: Sequence[ClockRun]) -> list[ClockRun]:
    """Drops runs of added time whose base was read only in other stills: 90+4:58 may be read as
    4:58."""
    return [
        run
        for run in runs
        if not any(
            other.overlaps(run) and abs(other.at(run.first) - run.at(run.first) - end) <= 3
            for other in runs
            for end in PERIOD_ENDS
        )
    ]


def _rival(runs: Sequence[ClockRun]) -> ClockRun | None:
    """A run of the same region at the same time with about as much support as the best."""
    best = runs[0]
    for run in runs[1:]:
        if run.overlaps(best) and run.weight >= RIVAL_SHARE * best.weight:
            return run
    return None


def _later_shots(runs: Sequence[ClockRun]) -> list[ClockRun]:
    best = runs[0]
    return [
        run
        for run in runs[1:]
        if not run.overlaps(best) and len(run.readings) >= MIN_READINGS_LATER_SHOT
    ]


def _standing_minute(tracks: Sequence[Track]) -> int | None:
    """The latest period's end, in minutes, at which a clock stands."""
    ends = [
        value
        for track in tracks
        for value, times in constant_values(track.times).items()
        if value in PERIOD_ENDS and times >= 3
    ]
    return max(ends) // MINUTE if ends else None


def _frozen_minutes(tracks: Sequence[Track]) -> tuple[int, ...]:
    """The minute at which a clock stands in most readings of its region; none at a period's end."""
    for track in tracks:
        for value, times in constant_values(track.times).items():
            often = times >= max(MIN_FROZEN_READINGS, MIN_FROZEN_SHARE * len(track.times))
            if often and value not in PERIOD_ENDS:
                return (value // MINUTE,)
    return ()


def _explain(
    candidates: Sequence[_Candidate], objections: Sequence[str], tracks: Sequence[Track]
) -> str:
    if candidates:
        spans = " and ".join(_span(candidate.run) for candidate in candidates)
        return f"two clocks tick, {spans}: it is unclear which is the match clock"
    if objections:
        return "; ".join(dict.fromkeys(objections))
    shown = Counter(format_clock(reading.value) for track in tracks for reading in track.times)
    most_common = ", ".join(f"{text} ({times} times)" for text, times in shown.most_common(3))
    return f"no time runs on with the video; read: {most_common}"


def _span(run: ClockRun) -> str:
    return f"{format_clock(run.readings[0].value)}–{format_clock(run.readings[-1].value)}"


def _spread(stills: Sequence[Still], count: int) -> list[Still]:
    """A few stills spread over the clip, without its ends."""
    if len(stills) <= count:
        return list(stills)
    return [stills[round((number + 0.5) * len(stills) / count - 0.5)] for number in range(count)]


def no_clock(reason: str) -> ClockReading:
    return ClockReading((), False, (), None, reason)
