"""How much to trust a provider's answer: HTTP 200 may carry an old one.

The match clock shows it: a running clock moves every minute, and no provider stays a period behind
the others for long.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from footy_assets.matchday.rules.statuses import BEGINS_AT, CLOCK_RUNS, is_before
from footy_assets.providers.rules.lifecycle import DEFAULT_LIFECYCLE, LifecycleLimits
from footy_assets.providers.rules.match import OVER, NormalisedMatch, Report
from footy_assets.providers.rules.records import ProviderRecord

MIN_CONFIDENCE = 0.5
STUCK_CONFIDENCE = 0.4
STUCK_AFTER = timedelta(seconds=120)
BEHIND_MINUTES = 3
INTO_THE_PERIOD = 2
OUTVOTED_BY = 2
# Where a clock may rest: providers show 45 and 90 all through stoppage time, and some matches
# have no clock at all.
RESTS_AT = frozenset({0, 45, 90, 105, 120})

Clock = tuple[str, int, int]


def clock_of(match: NormalisedMatch) -> Clock:
    minute = match.minute
    return match.period, minute.elapsed if minute else 0, (minute.extra or 0) if minute else 0


def with_clock(record: ProviderRecord, match: NormalisedMatch, now: datetime) -> ProviderRecord:
    """Records the provider's match clock, and when it last moved."""
    clock = clock_of(match)
    if clock == record.clock and record.clock_moved_at is not None:
        return record
    return replace(record, clock=clock, clock_moved_at=now)


def is_clock_stuck(record: ProviderRecord, now: datetime) -> bool:
    if record.clock is None or record.clock_moved_at is None:
        return False
    period, elapsed, _ = record.clock
    if period not in CLOCK_RUNS or elapsed in RESTS_AT:
        return False
    return now - record.clock_moved_at >= STUCK_AFTER


def is_behind(
    record: ProviderRecord,
    others: Iterable[ProviderRecord],
    precedence: Mapping[str, int],
    now: datetime,
) -> bool:
    """Its clock has not moved for two minutes, and the providers ahead of it outweigh it: two of
    them, one of higher precedence, or one with a running clock that no other contradicts."""
    if record.clock is None or record.clock_moved_at is None:
        return False
    if now - record.clock_moved_at < STUCK_AFTER:
        return False
    all_others = list(others)
    ahead = [other for other in all_others if _is_ahead(other, record.clock, now)]
    own = precedence.get(record.domain, 0)
    if len(ahead) >= OUTVOTED_BY or any(precedence.get(o.domain, 0) > own for o in ahead):
        return True
    contradicted = any(_answered_recently(other, now) for other in all_others if other not in ahead)
    return not contradicted and any(other.clock and other.clock[0] in CLOCK_RUNS for other in ahead)


def record_answer(
    record: ProviderRecord,
    match: NormalisedMatch,
    others: Iterable[ProviderRecord],
    precedence: Mapping[str, int],
    now: datetime,
    limits: LifecycleLimits = DEFAULT_LIFECYCLE,
) -> ProviderRecord:
    """R1: the record after an answer. An old answer counts as a failure."""
    answered = with_clock(record, match, now)
    if is_clock_stuck(answered, now) or is_behind(answered, others, precedence, now):
        return answered.failed(now, limits)
    return answered.succeeded(match.phase in OVER, now)


def with_confidence(
    report: Report,
    record: ProviderRecord,
    others: Iterable[ProviderRecord],
    precedence: Mapping[str, int],
) -> Report:
    """The report, with less confidence if its answer is old."""
    old = is_clock_stuck(record, report.at) or is_behind(record, others, precedence, report.at)
    confidence = min(report.confidence, STUCK_CONFIDENCE) if old else report.confidence
    return replace(report, confidence=confidence)


def _answered_recently(record: ProviderRecord, now: datetime) -> bool:
    return record.last_success is not None and now - record.last_success < STUCK_AFTER


def is_clock_ahead(clock: Clock, than: Clock) -> bool:
    """Is a running clock minutes ahead of another, in the same period or in a later one?"""
    period, elapsed, extra = clock
    if period not in CLOCK_RUNS:
        return False
    if period == than[0]:
        # In a break, some show the minute it began and some none: no provider is behind. Where the
        # minute rests, stoppage time of another provider does not count.
        added = 0 if than[1] in RESTS_AT else extra
        return than[1] > 0 and elapsed + added >= than[1] + than[2] + BEHIND_MINUTES
    return is_before(than[0], period) and elapsed + extra >= BEGINS_AT[period] + INTO_THE_PERIOD


def _is_ahead(other: ProviderRecord, than: Clock, now: datetime) -> bool:
    if other.clock is None or other.clock_moved_at is None:
        return False
    if other.clock[0] in CLOCK_RUNS:
        return is_clock_ahead(other.clock, than)
    return is_before(than[0], other.clock[0]) and now - other.clock_moved_at >= STUCK_AFTER
