"""The same places read again and again over a clip: what each said, when, and how sure it is."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from footy_assets.media.clock_text import (
    PERIOD_ENDS,
    Period,
    half_named,
    match_seconds,
    period_in,
    times_in,
)
from footy_assets.media.decode import Still
from footy_assets.media.ocr import Spot, TextReader
from footy_assets.media.scorebug import Place, crop, cut_off, distinct, line_of
from footy_assets.media.ticking import Point, runs_of

# A place's reads, and those of them that agree, after which more would tell nothing new.
ENOUGH_READS, ENOUGH_AGREEING = 7, 6
# In how many stills a period's name is looked at again, and how sure each of them must be.
PERIOD_READS, SURE_OF_PERIOD = 5, 0.8
# In how many stills the line around a clock is read for one.
LINE_READS = 3
# How many places are followed at most.
MOST_TRACKS = 6
# Below this the recogniser guesses.
LEAST_CONFIDENCE = 0.6


@dataclass(frozen=True, slots=True)
class FrameRead:
    """What one still said at the clock's place; `match_seconds` if the vote believes it."""

    seconds: float
    text: str
    match_seconds: int | None
    confidence: float


@dataclass(frozen=True, slots=True)
class Track:
    """One place over the whole clip."""

    spot: Spot
    texts: tuple[FrameRead, ...]
    points: tuple[Point, ...]
    plus: frozenset[Point]
    period: Period | None
    cut: bool
    # A part of the match is named, but not so that it can be told which.
    half_named: bool = False


def follow(
    reader: TextReader, places: Sequence[Place], stills: Sequence[Still], left: int
) -> list[Track]:
    """Every place that tells a time, over the clip; one without a colon only if no other ticks."""
    order = _far_apart(stills)
    tracks: list[Track] = []
    for place in distinct(places)[:MOST_TRACKS]:
        if place.tells_clearly or not any(runs_of(track.points) for track in tracks):
            tracks.append(_track(reader, place, order, cut_off(place.spot, left)))
    return tracks


def named_periods(
    reader: TextReader, places: Sequence[Place], stills: Sequence[Still]
) -> list[tuple[Spot, Period]]:
    """Where a period is named, and which: a mark of two letters needs a second look, because with
    it a clock is 45 minutes or more away from what it shows."""
    order = _far_apart(stills)[:PERIOD_READS]
    found = []
    for place in places:
        if place.names_period:
            said = reader.read([crop(still.image, place.spot) for still in order])
            sure = (line.text for line in said if line.confidence >= SURE_OF_PERIOD)
            named = Counter(period for text in sure if (period := period_in(text)) is not None)
            if len(named) == 1 and named.total() >= 2:
                found.append((place.spot, next(iter(named))))
    return found


def _track(reader: TextReader, place: Place, stills: Sequence[Still], cut: bool) -> Track:
    """Read one place until there is no doubt left: a clock that ticks in all stills read so far is
    read no further, nor is a place that tells no time."""
    reads: list[FrameRead] = []
    points: list[Point] = []
    plus: set[Point] = set()
    periods: Counter[Period] = Counter()
    pieces = 0
    for still in stills:
        (line,) = reader.read([crop(still.image, place.spot)])
        reads.append(FrameRead(still.seconds, line.text, None, round(line.confidence, 3)))
        if line.confidence < LEAST_CONFIDENCE:
            continue
        pieces += half_named(line.text)
        for shown in times_in(line.text):
            value = shown.seconds
            if shown.base is not None:
                value = match_seconds(shown.base, shown.seconds, shown.period)
            point = Point(still.seconds, value, clear=shown.clear, confidence=line.confidence)
            points.append(point)
            if shown.plus and shown.base is None:
                plus.add(point)
            if shown.period is not None:
                periods[shown.period] += 1
        if len(reads) >= ENOUGH_READS and _settled(points):
            break
    often = periods.most_common(1)
    named = often[0][0] if often and often[0][1] >= 2 else None
    if named is None and any(point.value < PERIOD_ENDS[0] for point in points):
        beside = _named_in_line(reader, place, stills[:LINE_READS])
        pieces += sum(beside.values())
        if len(beside) == 1 and beside.total() >= 2:
            named = next(iter(beside))
    reads.sort(key=lambda read: read.seconds)
    unclear = named is None and pieces + periods.total() >= 2
    return Track(place.spot, tuple(reads), tuple(points), frozenset(plus), named, cut, unclear)


def _named_in_line(reader: TextReader, place: Place, stills: Sequence[Still]) -> Counter[Period]:
    """The period named right beside a clock: its mark may have been found as part of other words,
    as in 2-1 BVB 2H 27:18."""
    found: Counter[Period] = Counter()
    for line in reader.read([line_of(still.image, place.spot) for still in stills]):
        if line.confidence >= SURE_OF_PERIOD:
            found.update({shown.period for shown in times_in(line.text) if shown.period})
    return found


def _settled(points: Sequence[Point]) -> bool:
    if not points:
        return True
    runs = runs_of(points)
    return bool(runs) and len(runs[0].points) == len(points) >= ENOUGH_AGREEING


def _far_apart(stills: Sequence[Still]) -> list[Still]:
    """All stills, each far from those before it: the first few are spread over the whole clip."""
    count = len(stills)
    stride = next(n for n in range(round(0.38 * count) or 1, count + 1) if math.gcd(n, count) == 1)
    return [stills[number * stride % count] for number in range(count)]
