"""Prometheus metrics of clips, read from MongoDB at each scrape."""

from collections.abc import Iterator

from prometheus_client.core import GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector
from pymongo.database import Database

from footy_assets.clips.rules.coverage import Coverage
from footy_assets.clips.rules.reasons import REASONS
from footy_assets.clips.store.coverage import CoverageStore
from footy_assets.clips.store.figures import latencies
from footy_assets.search.store.videos import VideoStore
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
        yield from self._coverage()
        yield self._without_clip()

    def _without_clip(self) -> Metric:
        videos = GaugeMetricFamily(
            "footy_videos_without_clip", "Refused and failed videos by reason", labels=["reason"]
        )
        for reason, count in VideoStore(self._database).count_without_clip(REASONS):
            videos.add_metric([reason], count)
        return videos

    def _coverage(self) -> Iterator[Metric]:
        """Of the latest matchday with a goal whose search is over; no ratio without goals."""
        store = CoverageStore(self._database)
        day = store.latest_day()
        coverage = store.of_day(day).searched if day else Coverage()
        goals = GaugeMetricFamily(
            "footy_coverage_goals", "Goals of the latest matchday whose search is over"
        )
        goals.add_metric([], coverage.goals)
        yield goals
        ratio = GaugeMetricFamily(
            "footy_coverage_ratio", "Share of them with a clip, or a verified one", labels=["clip"]
        )
        for clip, share in (("any", coverage.share), ("verified", coverage.verified_share)):
            if share is not None:
                ratio.add_metric([clip], share)
        yield ratio
