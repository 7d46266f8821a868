"""Prometheus metrics of the providers, read from MongoDB at each scrape."""

from collections.abc import Iterator, Mapping
from typing import Any

from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector
from pymongo.database import Database

from footy_assets.providers.rules.health import Grade
from footy_assets.providers.rules.priority import Priority
from footy_assets.providers.store.provider_state import (
    FRESHNESS_EDGES,
    SCRAPE_EDGES,
    ProviderState,
    queue_gauge,
)
from footy_assets.store.collections import Document

GAUGES = {
    "processes": ("footy_browser_processes", "Processes of the providers' browser"),
    "contexts": ("footy_browser_contexts", "Browser contexts that are open"),
    "pages": ("footy_browser_pages", "Pages that are open"),
    "megabytes": ("footy_browser_resident_megabytes", "Memory of the browser"),
    "browser_uptime": ("footy_browser_uptime_seconds", "How long the browser has been up"),
    "quota_day_left": ("footy_provider_quota_left", "Requests the main provider leaves us today"),
}
QUANTILES = {"0.5": "median", "0.95": "p95", "0.99": "p99", "1": "max"}
COUNTERS = {
    "scrapes": ("footy_source_scrapes", "Matches requested", ("domain", "status")),
    "navigation_failures": (
        "footy_source_navigation_failures",
        "Requests or pages that gave nothing",
        ("domain",),
    ),
    "recycles": ("footy_source_recycles", "Recoveries", ("reason",)),
    "polls": ("footy_polls", "Polls of the main provider", ()),
}


class ProviderMetrics(Collector):
    def __init__(self, database: Database[Document]) -> None:
        self._state = ProviderState(database)

    def describe(self) -> Iterator[Metric]:
        """Registering it reads nothing from the database."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        figures = self._state.figures()
        yield from _gauges(figures.get("gauges", {}))
        yield from _counters(figures.get("counters", {}))
        yield from _histograms(figures)
        yield _running(figures.get("running", {}).get("providers", {}))
        yield from self._grades()

    def _grades(self) -> Iterator[Metric]:
        grades = GaugeMetricFamily(
            "footy_source_grade", "1 for the grade it has", labels=["source", "grade"]
        )
        ages = Metric(
            "footy_staleness_seconds",
            "Age of live matches: quantiles of the last evaluation, sum and count of all",
            "summary",
        )
        for subject in self._state.graded_subjects():
            health, seen = self._state.grade(subject)
            for grade in Grade:
                grades.add_metric([subject, grade], float(health.grade is grade))
            fresh = seen.get("freshness", {})
            for quantile, name in QUANTILES.items():
                labels = {"source": subject, "quantile": quantile}
                ages.add_sample(ages.name, labels, fresh.get(name, 0.0))
            observed = seen.get("observed", {})
            for name in ("sum", "count"):
                total = float(observed.get(name, 0))
                ages.add_sample(f"{ages.name}_{name}", {"source": subject}, total)
        yield grades
        yield ages


def _gauges(values: Mapping[str, Any]) -> Iterator[Metric]:
    for name, (metric, meaning) in GAUGES.items():
        if name in values:
            yield GaugeMetricFamily(metric, meaning, value=values[name])
    depth = GaugeMetricFamily("footy_source_queue_depth", "Matches that wait", labels=["priority"])
    for priority in Priority:
        depth.add_metric([priority.label], values.get(queue_gauge(priority), 0.0))
    yield depth


def _running(providers: Mapping[str, Mapping[str, int]]) -> Metric:
    family = GaugeMetricFamily(
        "footy_source_requests_running", "Requests under way", labels=["domain"]
    )
    for domain, running in sorted(providers.items()):
        family.add_metric([domain], running["requests"])
    return family


def _counters(values: Mapping[str, Any]) -> Iterator[Metric]:
    for kind, (metric, meaning, labels) in COUNTERS.items():
        family = CounterMetricFamily(metric, meaning, labels=labels)
        for name, value in sorted(values.items()):
            first, *rest = name.split(":")
            # A name with a dot, which was once allowed, holds a document instead of a number.
            if first == kind and len(rest) == len(labels) and not isinstance(value, Mapping):
                family.add_metric(rest, value)
        yield family


def _histograms(figures: Mapping[str, Mapping[str, Any]]) -> Iterator[Metric]:
    fresh = HistogramMetricFamily("footy_freshness_seconds", "Age of live matches, each evaluation")
    if stored := figures.get("histogram:freshness"):
        fresh.add_metric([], _buckets(stored, FRESHNESS_EDGES), stored["sum"])
    yield fresh
    scrapes = HistogramMetricFamily(
        "footy_source_scrape_seconds", "How long a provider took", labels=["domain"]
    )
    for name, stored in sorted(figures.items()):
        if name.startswith("histogram:scrape:"):
            domain = name.removeprefix("histogram:scrape:")
            scrapes.add_metric([domain], _buckets(stored, SCRAPE_EDGES), stored["sum"])
    yield scrapes


def _buckets(stored: Mapping[str, Any], edges: tuple[float, ...]) -> list[tuple[str, float]]:
    below = stored.get("le", {})
    under = [(str(edge), float(below.get(str(n), 0))) for n, edge in enumerate(edges)]
    return [*under, ("+Inf", float(stored["count"]))]
