"""How far a provider's answer is to be believed: an old answer may come with HTTP 200.

A match's own clock tells: while it runs, it moves every minute, and no provider is a period behind
the others for long.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from footy_assets.sources.match import OVER, NormalisedMatch, Report
from footy_assets.sources.records import SourceRecord

LEAST_CONFIDENCE = 0.5
STANDING_STILL = 0.4
STANDS_AFTER = timedelta(seconds=120)
BEHIND_MINUTES = 3
INTO_THE_PERIOD = 2
OUTVOTED_BY = 2
FIRST_MINUTE = {"1H": 0, "2H": 45, "ET": 90}
# Where a clock may rest: providers show 45 and 90 all through stoppage time, and some matches
# have no clock at all.
RESTS_AT = frozenset({0, 45, 90, 105, 120})
RUNS = frozenset({"1H", "2H", "ET", "LIVE"})
PERIODS = ("TBD", "NS", "PST", "1H", "HT", "2H", "BT", "ET", "P", "FT", "AET", "PEN")

Clock = tuple[str, int, int]


def clock_of(match: NormalisedMatch) -> Clock:
    minute = match.minute
    return match.period, minute.elapsed if minute else 0, (minute.extra or 0) if minute else 0


def with_clock(record: SourceRecord, match: NormalisedMatch, now: datetime) -> SourceRecord:
    """Note where the provider's clock stands; its time moves only when the clock does."""
    clock = clock_of(match)
    if clock == record.clock and record.clock_moved_at is not None:
        return record
    return replace(record, clock=clock, clock_moved_at=now)


def stands_still(record: SourceRecord, now: datetime) -> bool:
    if record.clock is None or record.clock_moved_at is None:
        return False
    period, elapsed, _ = record.clock
    if period not in RUNS or elapsed in RESTS_AT:
        return False
    return now - record.clock_moved_at >= STANDS_AFTER


def is_behind(
    record: SourceRecord,
    others: Iterable[SourceRecord],
    precedence: Mapping[str, int],
    now: datetime,
) -> bool:
    """It has not moved for two minutes, and those that were further on outweigh it: two of them,
    one of higher precedence, or one whose clock runs where no other that is heard denies it."""
    if record.clock is None or record.clock_moved_at is None:
        return False
    if now - record.clock_moved_at < STANDS_AFTER:
        return False
    everyone = list(others)
    ahead = [other for other in everyone if _further(other, record.clock, now)]
    own = precedence.get(record.domain, 0)
    if len(ahead) >= OUTVOTED_BY or any(precedence.get(o.domain, 0) > own for o in ahead):
        return True
    denied = any(_is_heard(other, now) for other in everyone if other not in ahead)
    return not denied and any(other.clock and other.clock[0] in RUNS for other in ahead)


def noted(
    record: SourceRecord,
    match: NormalisedMatch,
    others: Iterable[SourceRecord],
    precedence: Mapping[str, int],
    now: datetime,
) -> SourceRecord:
    """R1 after an answer. An old one is no success, whatever HTTP says: nothing was learned."""
    heard = with_clock(record, match, now)
    if stands_still(heard, now) or is_behind(heard, others, precedence, now):
        return heard.failed(now)
    return heard.succeeded(match.status in OVER, now)


def judged(
    report: Report,
    record: SourceRecord,
    others: Iterable[SourceRecord],
    precedence: Mapping[str, int],
) -> Report:
    """The report with the confidence it deserves."""
    old = stands_still(record, report.at) or is_behind(record, others, precedence, report.at)
    confidence = min(report.confidence, STANDING_STILL) if old else report.confidence
    return replace(report, confidence=confidence)


def _is_heard(record: SourceRecord, now: datetime) -> bool:
    return record.last_success is not None and now - record.last_success < STANDS_AFTER


def _further(other: SourceRecord, than: Clock, now: datetime) -> bool:
    if other.clock is None or other.clock_moved_at is None:
        return False
    period, elapsed, extra = other.clock
    if period == than[0]:
        # In a break some show the minute it began at, and some none: nobody is behind there.
        runs = period in RUNS and than[1] > 0
        # Where the minute rests, another one's stoppage time says nothing.
        added = 0 if than[1] in RESTS_AT else extra
        return runs and elapsed + added >= than[1] + than[2] + BEHIND_MINUTES
    if period not in PERIODS or than[0] not in PERIODS:
        return False
    if PERIODS.index(period) < PERIODS.index(than[0]):
        return False
    if period in FIRST_MINUTE:
        return elapsed + extra >= FIRST_MINUTE[period] + INTO_THE_PERIOD
    return now - other.clock_moved_at >= STANDS_AFTER
