"""Prometheus metrics of searches, read from MongoDB at each scrape."""

from collections.abc import Iterator

from prometheus_client.core import CounterMetricFamily, Metric
from prometheus_client.registry import Collector
from pymongo.database import Database

from footy_assets.store.collections import ATTEMPTS, Document
from footy_assets.store.counts import count_by_value


class SearchMetrics(Collector):
    def __init__(self, database: Database[Document]) -> None:
        self._database = database

    def describe(self) -> Iterator[Metric]:
        """Empty, so that registering does not query the database."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        attempts = CounterMetricFamily(
            "footy_search_attempts", "Searches that were counted, by outcome", labels=["outcome"]
        )
        for outcome, count in count_by_value(self._database, ATTEMPTS, "outcome"):
            attempts.add_metric([outcome], count)
        yield attempts
