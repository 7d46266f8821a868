"""Figures for Prometheus: what the app does, and what the database holds when it is asked."""

from collections import Counter
from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Histogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import generate_latest
from prometheus_client.registry import Collector
from pymongo.database import Database

from footy_assets.api.live_feed import LiveFeed
from footy_assets.api.source_metrics import SourceFigures
from footy_assets.matchday.goal import EventState
from footy_assets.store.collections import CLIPS, EVENTS, FIXTURES, VIDEOS, Document
from footy_assets.store.documents import goal_from
from footy_assets.store.figures import counts

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class Metrics:
    def __init__(self, database: Database[Document], feed: LiveFeed, *others: Collector) -> None:
        self._registry = CollectorRegistry()
        self._registry.register(_Held(database))
        self._registry.register(_Live(feed))
        self._registry.register(SourceFigures(database))
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


class _Held(Collector):
    """Counted when asked: a scrape costs four short queries."""

    def __init__(self, database: Database[Document]) -> None:
        self._database = database

    def describe(self) -> Iterator[Metric]:
        """Nothing is asked of the database when this is registered."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        fixtures = GaugeMetricFamily("footy_fixtures", "Matches by state", labels=["state"])
        for state, count in counts(self._database, FIXTURES, "state"):
            fixtures.add_metric([state], count)
        yield fixtures
        goals = GaugeMetricFamily("footy_goals", "Goals by state", labels=["state"])
        states = Counter(goal_from(document).state for document in self._database[EVENTS].find())
        for state in EventState:
            goals.add_metric([state], states[state])
        yield goals
        clips = GaugeMetricFamily("footy_clips", "Clips, verified or not", labels=["verified"])
        for verified in (True, False):
            found = self._database[CLIPS].count_documents({"verified": verified})
            clips.add_metric([str(verified).lower()], found)
        yield clips
        videos = GaugeMetricFamily("footy_videos", "Posted videos by state", labels=["state"])
        for state, count in counts(self._database, VIDEOS, "state"):
            videos.add_metric([state], count)
        yield videos


class _Live(Collector):
    def __init__(self, feed: LiveFeed) -> None:
        self._feed = feed

    def collect(self) -> Iterator[Metric]:
        watchers = GaugeMetricFamily("footy_live_watchers", "Pages that follow the live feed")
        watchers.add_metric([], self._feed.watchers)
        yield watchers
        changes = CounterMetricFamily("footy_live_changes", "Changes told to them")
        changes.add_metric([], self._feed.changes)
        yield changes
        up = GaugeMetricFamily("footy_live_up", "1 while MongoDB tells us what changes")
        up.add_metric([], float(self._feed.failure is None))
        yield up
