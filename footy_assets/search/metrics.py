"""Prometheus metrics of searches, read from MongoDB at each scrape."""

from collections.abc import Iterator

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from pymongo.database import Database

from footy_assets.search.rules.attempts import AttemptOutcome
from footy_assets.search.store.figures import SITE_NAMES, failed_search_counts
from footy_assets.search.store.heard_posts import RECONNECTS, HeardPosts
from footy_assets.search.store.site_health import SiteHealth
from footy_assets.site_name import SiteName
from footy_assets.store.collections import ATTEMPTS, Document
from footy_assets.store.counts import count_by_value, known_or_other
from footy_assets.store.site_browsers import SiteBrowsers
from footy_assets.store.site_feeds import SiteFeeds

BROWSER = {
    "uptime": ("footy_site_browser_uptime_seconds", "Uptime of a site's browser"),
    "tasks": ("footy_site_browser_searches", "Searches in this browser"),
    "processes": ("footy_site_browser_processes", "Processes of a site's browser"),
    "megabytes": ("footy_site_browser_resident_megabytes", "Memory of a site's browser"),
}
# What becomes of a message of a stream; any other reason is counted as `other`.
OUTCOMES = (
    *("kept", "removed", "removed_authors", "passed"),
    *("unknown_form", "unknown_record", "too_large"),
)


class SearchMetrics(Collector):
    def __init__(self, database: Database[Document]) -> None:
        self._database = database

    def describe(self) -> Iterator[Metric]:
        """Empty, so that registering does not query the database."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        attempts = CounterMetricFamily(
            "footy_search_attempts", "Searches that ended, by outcome", labels=["outcome"]
        )
        known = list(AttemptOutcome)
        for outcome, count in count_by_value(self._database, ATTEMPTS, "outcome", known):
            attempts.add_metric([outcome], count)
        yield attempts
        failures = CounterMetricFamily(
            "footy_site_search_failures",
            "Searches of a site that failed, by kind",
            labels=["site", "kind"],
        )
        for labels, count in sorted(failed_search_counts(self._database).items()):
            failures.add_metric(labels, count)
        yield failures
        yield from self._browsers()
        yield from self._listener()
        yield self._feeds()
        canary = GaugeMetricFamily(
            "footy_site_canary_ok",
            "1 if the last canary of a site, a search that always has results, had some",
            labels=["site"],
        )
        for site, record in sorted(SiteHealth(self._database).canaries().items()):
            canary.add_metric([known_or_other(site, SITE_NAMES)], float(record.problem is None))
        yield canary

    def _browsers(self) -> Iterator[Metric]:
        """L6: as of each site's last search in a browser."""
        found = sorted(SiteBrowsers(self._database).all().items())
        for name, (metric, meaning) in BROWSER.items():
            family = GaugeMetricFamily(metric, meaning, labels=["site"])
            for site, figures in found:
                family.add_metric([site], figures[name])
            yield family

    def _listener(self) -> Iterator[Metric]:
        """Nothing before the first message. The lag is that of the last write: how far behind the
        stream it was."""
        site = SiteName.BLUESKY.value
        messages = CounterMetricFamily(
            "footy_listener_messages",
            "Messages of a stream, by outcome",
            labels=["site", "outcome"],
        )
        reconnects = CounterMetricFamily(
            "footy_listener_reconnects", "Connections to a stream that broke off", labels=["site"]
        )
        last = GaugeMetricFamily(
            "footy_listener_last_message_timestamp_seconds",
            "When messages of a stream were last written",
            labels=["site"],
        )
        lag = GaugeMetricFamily(
            "footy_listener_lag_seconds", "Age of the last message when written", labels=["site"]
        )
        state = HeardPosts(self._database, site).state()
        if state is not None:
            counts = dict(state.counts)
            reconnects.add_metric([site], counts.pop(RECONNECTS, 0))
            for outcome in OUTCOMES:
                messages.add_metric([site, outcome], counts.pop(outcome, 0))
            messages.add_metric([site, "other"], sum(counts.values()))
            last.add_metric([site], state.written_at.timestamp())
            lag.add_metric([site], max(0.0, (state.written_at - state.until).total_seconds()))
        yield from (messages, reconnects, last, lag)

    def _feeds(self) -> Metric:
        """One for each feed, of which the settings allow few."""
        family = GaugeMetricFamily(
            "footy_feed_last_read_timestamp_seconds", "When a feed was last read", labels=["feed"]
        )
        for name, at in SiteFeeds(self._database).last_read().items():
            family.add_metric([name], at.timestamp())
        return family
