"""Prometheus metrics of the web app and of the stored matches, goals, clips and videos."""

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Histogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import generate_latest
from prometheus_client.registry import Collector
from pymongo.database import Database

from footy_assets.clips.metrics import ClipMetrics
from footy_assets.gallery.live_feed import LiveFeed
from footy_assets.gallery.store import GalleryStore
from footy_assets.matchday.rules.goal import EventState
from footy_assets.matchday.rules.statuses import FixtureState
from footy_assets.providers.metrics import ProviderMetrics
from footy_assets.search.metrics import SearchMetrics
from footy_assets.search.rules.video import VideoState
from footy_assets.store.collections import FIXTURES, VIDEOS, Document
from footy_assets.store.counts import count_by_value

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class Metrics:
    def __init__(self, database: Database[Document], feed: LiveFeed, *others: Collector) -> None:
        self._registry = CollectorRegistry()
        self._registry.register(_StoredCounts(database))
        self._registry.register(_Live(feed))
        for room in (ProviderMetrics, SearchMetrics, ClipMetrics):
            self._registry.register(room(database))
        self.seconds = Histogram(
            "footy_http_request_seconds",
            "How long an answer took, by route",
            ["method", "route", "status"],
            buckets=BUCKETS,
            registry=self._registry,
        )
        for other in others:
            self._registry.register(other)

    def page(self) -> bytes:
        return generate_latest(self._registry)


class _StoredCounts(Collector):
    """Counted at each scrape, by four short queries."""

    def __init__(self, database: Database[Document]) -> None:
        self._database, self._gallery_store = database, GalleryStore(database)

    def describe(self) -> Iterator[Metric]:
        """Empty, so that registering does not query the database."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        fixtures = GaugeMetricFamily("footy_fixtures", "Matches by state", labels=["state"])
        for state, count in count_by_value(self._database, FIXTURES, "state", list(FixtureState)):
            fixtures.add_metric([state], count)
        yield fixtures
        goals = GaugeMetricFamily("footy_goals", "Goals by state", labels=["state"])
        states = self._gallery_store.goals_by_state()
        for state in EventState:
            goals.add_metric([state], states[state])
        yield goals
        clips = GaugeMetricFamily("footy_clips", "Clips, verified or not", labels=["verified"])
        for verified in (True, False):
            clips.add_metric([str(verified).lower()], self._gallery_store.clips_verified(verified))
        yield clips
        videos = GaugeMetricFamily("footy_videos", "Posted videos by state", labels=["state"])
        for state, count in count_by_value(self._database, VIDEOS, "state", list(VideoState)):
            videos.add_metric([state], count)
        yield videos


class _Live(Collector):
    def __init__(self, feed: LiveFeed) -> None:
        self._feed = feed

    def collect(self) -> Iterator[Metric]:
        watchers = GaugeMetricFamily("footy_live_watchers", "Pages that follow the live feed")
        watchers.add_metric([], self._feed.watchers)
        yield watchers
        changes = CounterMetricFamily("footy_live_changes", "Changes sent to them")
        changes.add_metric([], self._feed.changes)
        yield changes
        up = GaugeMetricFamily("footy_live_up", "1 while the change stream of MongoDB is open")
        up.add_metric([], float(self._feed.failure is None))
        yield up
