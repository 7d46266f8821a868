"""Reads the same text regions in many stills of a clip: the text, the time and the confidence."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from footy_assets.media.clock_runs import TimeReading, find_runs
from footy_assets.media.clock_text import (
    PERIOD_ENDS,
    Period,
    has_partial_period,
    parse_period,
    parse_times,
    to_match_seconds,
)
from footy_assets.media.decode import Still
from footy_assets.media.ocr import TextBox, TextReader
from footy_assets.media.text_regions import TextRegion, clock_regions, crop, crop_line, is_cut_off

# A region read in this many stills, of which this many agree, needs no more readings.
ENOUGH_FRAMES, ENOUGH_AGREEING = 7, 6
# In how many stills a period label is read again, and the least confidence of each reading.
PERIOD_FRAMES, MIN_PERIOD_CONFIDENCE = 5, 0.8
# In how many stills the line around a clock is searched for a period label.
LINE_FRAMES = 3
MAX_TRACKS = 6
# Below this the recognizer guesses.
MIN_CONFIDENCE = 0.6


@dataclass(frozen=True, slots=True)
class FrameReading:
    """The text in the clock's region of one still; `match_seconds` if it is part of the clock."""

    seconds: float
    text: str
    match_seconds: int | None
    confidence: float


@dataclass(frozen=True, slots=True)
class Track:
    """One text region over the whole clip. `behind_plus` are the times that follow a plus sign."""

    box: TextBox
    frames: tuple[FrameReading, ...]
    times: tuple[TimeReading, ...]
    behind_plus: frozenset[TimeReading]
    period: Period | None
    cut_off: bool
    # There is a period label, but it cannot be read.
    period_unclear: bool = False


def track_regions(
    reader: TextReader, regions: Sequence[TextRegion], stills: Sequence[Still], left: int
) -> list[Track]:
    """Track each region that shows a time; one without a colon only if no other track ticks."""
    order = _spread_order(stills)
    tracks: list[Track] = []
    for region in clock_regions(regions)[:MAX_TRACKS]:
        if region.shows_clear_time or not any(find_runs(track.times) for track in tracks):
            tracks.append(_track(reader, region, order, is_cut_off(region.box, left)))
    return tracks


def find_period_labels(
    reader: TextReader, regions: Sequence[TextRegion], stills: Sequence[Still]
) -> list[tuple[TextBox, Period]]:
    """Regions that name a period, each read several times: a wrong label of two letters moves the
    clock by 45 minutes or more."""
    order = _spread_order(stills)[:PERIOD_FRAMES]
    found = []
    for region in regions:
        if region.shows_period:
            texts = reader.recognize([crop(still.image, region.box) for still in order])
            sure = (line.text for line in texts if line.confidence >= MIN_PERIOD_CONFIDENCE)
            labels = Counter(label for text in sure if (label := parse_period(text)) is not None)
            if len(labels) == 1 and labels.total() >= 2:
                found.append((region.box, next(iter(labels))))
    return found


def _track(reader: TextReader, region: TextRegion, stills: Sequence[Still], cut_off: bool) -> Track:
    """Read one region until the result is clear: stop once a clock ticks in all stills read so far,
    or once the region shows no time."""
    frames: list[FrameReading] = []
    times: list[TimeReading] = []
    behind_plus: set[TimeReading] = set()
    periods: Counter[Period] = Counter()
    partial_periods = 0
    for still in stills:
        (line,) = reader.recognize([crop(still.image, region.box)])
        frames.append(FrameReading(still.seconds, line.text, None, round(line.confidence, 3)))
        if line.confidence < MIN_CONFIDENCE:
            continue
        partial_periods += has_partial_period(line.text)
        for shown in parse_times(line.text):
            value = shown.seconds
            if shown.base is not None:
                value = to_match_seconds(shown.base, shown.seconds, shown.period)
            time = TimeReading(still.seconds, value, clear=shown.clear, confidence=line.confidence)
            times.append(time)
            if shown.behind_plus and shown.base is None:
                behind_plus.add(time)
            if shown.period is not None:
                periods[shown.period] += 1
        if len(frames) >= ENOUGH_FRAMES and _settled(times):
            break
    most_common = periods.most_common(1)
    period = most_common[0][0] if most_common and most_common[0][1] >= 2 else None
    if period is None and any(time.value < PERIOD_ENDS[0] for time in times):
        in_line = _periods_in_line(reader, region, stills[:LINE_FRAMES])
        partial_periods += sum(in_line.values())
        if len(in_line) == 1 and in_line.total() >= 2:
            period = next(iter(in_line))
    frames.sort(key=lambda frame: frame.seconds)
    unclear = period is None and partial_periods + periods.total() >= 2
    return Track(
        region.box, tuple(frames), tuple(times), frozenset(behind_plus), period, cut_off, unclear
    )


def _periods_in_line(
    reader: TextReader, region: TextRegion, stills: Sequence[Still]
) -> Counter[Period]:
    """The period label right beside a clock. The detector may have joined it with other words, as
    in 2-1 BVB 2H 27:18. Without one in the first two of three stills the third cannot decide."""
    found: Counter[Period] = Counter()
    for number, still in enumerate(stills):
        if number == LINE_FRAMES - 1 and not found:
            break
        (line,) = reader.recognize([crop_line(still.image, region.box)])
        if line.confidence >= MIN_PERIOD_CONFIDENCE:
            found.update({shown.period for shown in parse_times(line.text) if shown.period})
    return found


def _settled(times: Sequence[TimeReading]) -> bool:
    if not times:
        return True
    runs = find_runs(times)
    return bool(runs) and len(runs[0].readings) == len(times) >= ENOUGH_AGREEING


def _spread_order(stills: Sequence[Still]) -> list[Still]:
    """All stills, in an order in which the first few are spread over the whole clip."""
    count = len(stills)
    stride = next(n for n in range(round(0.38 * count) or 1, count + 1) if math.gcd(n, count) == 1)
    return [stills[number * stride % count] for number in range(count)]
