"""Y5, Y11, Y13: Prometheus metrics of past seasons, read from MongoDB at each scrape."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector
from pymongo.database import Database

from footy_assets.clock import Clock
from footy_assets.history.progress import is_stalled, tier_progress, tier_started_at, waiting_time
from footy_assets.history.rules.documents import NO_TALLY
from footy_assets.history.rules.limits import HistoryRules
from footy_assets.history.rules.saga import Cause
from footy_assets.history.rules.tiers import TIERS, WAITING, SagaState, Tier
from footy_assets.history.store.documents import SeasonRecord
from footy_assets.history.store.seasons import HistoryStore
from footy_assets.store.collections import Document

COUNTED = ("processed", "failed", "total")
# A tier takes minutes; one that waits for the quota of the next day, a day or more.
EDGES = (10.0, 60.0, 300.0, 900.0, 1800.0, 3600.0, 14_400.0, 86_400.0)


class HistoryFigures(Collector):
    def __init__(self, database: Database[Document], clock: Clock, rules: HistoryRules) -> None:
        self._store, self._clock, self._rules = HistoryStore(database), clock, rules

    def describe(self) -> Iterator[Metric]:
        """Empty, so that registering does not query the database."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        records, now = self._store.seasons(), self._clock.now()
        stalled = [one for one in records if is_stalled(one.saga, now, self._rules)]
        yield GaugeMetricFamily(
            "footy_history_stalled_seasons",
            "Past seasons that wait longer for one tier than FOOTY_HISTORY_ALERT_MINUTES",
            value=len(stalled),
        )
        yield from _seasons(records)
        yield _durations(records)
        yield from _times(records)
        waits = GaugeMetricFamily(
            "footy_history_waiting_seconds",
            "How long a past season has waited for a tier",
            labels=["season", "state"],
        )
        documents = GaugeMetricFamily(
            "footy_history_documents",
            "Documents of a past season's tiers",
            labels=["season", "tier", "count"],
        )
        for one in records:
            seconds = waiting_time(one.saga, now).total_seconds()
            waits.add_metric([str(one.key), str(one.saga.state)], seconds)
            for tier in TIERS:
                progress = tier_progress(one, tier)
                for count in COUNTED:
                    documents.add_metric([str(one.key), str(tier), count], progress[count])
        yield waits
        yield documents


def _seasons(records: Sequence[SeasonRecord]) -> Iterator[Metric]:
    """Y13: a season that is refreshed and completed again counts twice. Counts fall when a season
    is forgotten, which Prometheus takes for a restart."""
    entries = [entry for one in records for entry in one.saga.entered]
    yield CounterMetricFamily(
        "footy_history_seasons_started",
        "Past seasons that were started",
        value=sum(entry.because is Cause.STARTED for entry in entries),
    )
    yield CounterMetricFamily(
        "footy_history_seasons_completed",
        "Past seasons that were completed",
        value=sum(entry.state is SagaState.COMPLETED for entry in entries),
    )
    signals = CounterMetricFamily(
        "footy_history_signals",
        "Flagged documents that were processed, and so signalled",
        labels=["tier"],
    )
    for tier in TIERS:
        found = sum(one.tallies.get(tier, NO_TALLY).signals for one in records)
        signals.add_metric([str(tier)], found)
    yield signals


def _durations(records: Iterable[SeasonRecord]) -> Metric:
    """From the start of a tier to the start of the next one, or to the end of the season."""
    seconds = HistogramMetricFamily(
        "footy_history_tier_seconds", "How long a season waited for a tier", labels=["tier"]
    )
    took: dict[Tier, list[float]] = {tier: [] for tier in TIERS}
    of_state = {state: tier for tier, state in WAITING.items()}
    for one in records:
        for entry, following in pairwise(one.saga.entered):
            if (tier := of_state.get(entry.state)) is not None:
                took[tier].append((following.at - entry.at).total_seconds())
    for tier, all_seconds in took.items():
        below = [(str(edge), float(sum(s <= edge for s in all_seconds))) for edge in EDGES]
        buckets = [*below, ("+Inf", float(len(all_seconds)))]
        seconds.add_metric([str(tier)], buckets, sum(all_seconds))
    return seconds


def _times(records: Iterable[SeasonRecord]) -> Iterator[Metric]:
    labels = ["season", "tier"]
    started = GaugeMetricFamily(
        "footy_history_tier_started_timestamp_seconds", "When a tier was started", labels=labels
    )
    completed = GaugeMetricFamily(
        "footy_history_tier_completed_timestamp_seconds",
        "When the last document of a complete tier was processed",
        labels=labels,
    )
    for one in records:
        for tier in TIERS:
            at = tier_started_at(one.saga, tier)
            if at is not None:
                started.add_metric([str(one.key), str(tier)], at.timestamp())
            completed_at = one.tallies.get(tier, NO_TALLY).completed_at
            if completed_at is not None:
                completed.add_metric([str(one.key), str(tier)], completed_at.timestamp())
    yield started
    yield completed
