"""Y5, Y11: Prometheus metrics of past seasons, read from MongoDB at each scrape."""

from collections.abc import Iterator

from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from pymongo.database import Database

from footy_assets.clock import Clock
from footy_assets.history.progress import is_stalled, tier_progress, waiting_time
from footy_assets.history.rules.limits import HistoryRules
from footy_assets.history.rules.tiers import TIERS
from footy_assets.history.store.seasons import HistoryStore
from footy_assets.store.collections import Document

COUNTED = ("processed", "failed", "total")


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
