"""Prometheus metrics of searches, read from MongoDB at each scrape."""

from collections.abc import Iterator

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from pymongo.database import Database

from footy_assets.store.collections import ATTEMPTS, Document
from footy_assets.store.counts import count_by_value
from footy_assets.store.site_browsers import SiteBrowsers

BROWSER = {
    "uptime": ("footy_site_browser_uptime_seconds", "Uptime of a site's browser"),
    "tasks": ("footy_site_browser_searches", "Searches in this browser"),
    "processes": ("footy_site_browser_processes", "Processes of a site's browser"),
    "megabytes": ("footy_site_browser_resident_megabytes", "Memory of a site's browser"),
}


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
        yield from self._browsers()

    def _browsers(self) -> Iterator[Metric]:
        """L6: as of each site's last search in a browser."""
        found = sorted(SiteBrowsers(self._database).all().items())
        for name, (metric, meaning) in BROWSER.items():
            family = GaugeMetricFamily(metric, meaning, labels=["site"])
            for site, figures in found:
                family.add_metric([site], figures[name])
            yield family
