"""Prometheus metrics of the work: Dagster's runs, and the broker's queues with their workers."""

from collections.abc import Callable, Iterator, Mapping

from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from resources.broker.queues import ReadQueues

CountRuns = Callable[[], Mapping[str, int] | None]


class WorkMetrics(Collector):
    """Nothing of a server that is not configured; of one that does not answer, that it is down."""

    def __init__(self, count_runs: CountRuns | None, read_queues: ReadQueues | None) -> None:
        self._count_runs, self._read_queues = count_runs, read_queues

    def describe(self) -> Iterator[Metric]:
        """Empty, so that registering sends no request."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        if self._count_runs is not None:
            yield from _runs(self._count_runs())
        if self._read_queues is not None:
            yield from _queues(self._read_queues)


def _runs(counts: Mapping[str, int] | None) -> Iterator[Metric]:
    yield GaugeMetricFamily(
        "footy_dagster_up", "1 if Dagster's webserver answers", value=float(counts is not None)
    )
    runs = GaugeMetricFamily("footy_runs", "Runs in Dagster's storage by state", labels=["state"])
    for state, count in (counts or {}).items():
        runs.add_metric([state], count)
    yield runs


def _queues(read: ReadQueues) -> Iterator[Metric]:
    found = read()
    yield GaugeMetricFamily(
        "footy_broker_up", "1 if the broker answers", value=float(found is not None)
    )
    waiting = GaugeMetricFamily(
        "footy_broker_queue_runs", "Runs that wait for a worker", labels=["queue"]
    )
    workers = GaugeMetricFamily(
        "footy_broker_queue_workers", "Workers that take runs of a queue", labels=["queue"]
    )
    for queue in found or ():
        waiting.add_metric([queue.name], queue.waiting)
        workers.add_metric([queue.name], queue.workers)
    yield from (waiting, workers)
