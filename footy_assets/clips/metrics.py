"""Prometheus metrics of clips, read from MongoDB at each scrape."""

from collections.abc import Iterator

from prometheus_client.core import HistogramMetricFamily, Metric
from prometheus_client.registry import Collector
from pymongo.database import Database

from footy_assets.clips.store.figures import latencies
from footy_assets.store.collections import Document

EDGES = (60.0, 120.0, 180.0, 300.0, 600.0, 900.0, 1800.0)


class ClipMetrics(Collector):
    def __init__(self, database: Database[Document]) -> None:
        self._database = database

    def describe(self) -> Iterator[Metric]:
        """Empty, so that registering does not query the database."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        waits = [one.took.total_seconds() for one in latencies(self._database)]
        seconds = HistogramMetricFamily(
            "footy_goal_to_first_clip_seconds", "From a goal first seen to its first clip"
        )
        edges = [(str(edge), float(sum(w <= edge for w in waits))) for edge in EDGES]
        seconds.add_metric([], [*edges, ("+Inf", float(len(waits)))], sum(waits))
        yield seconds
