"""Metrics of the work: what Dagster and the broker say, and that they do not answer."""

from typing import Any

import httpx
import pytest
from dagster_graphql.schema import create_schema
from graphql import parse, validate
from kombu import Connection
from prometheus_client.core import Metric
from pydantic import SecretStr

from footy_assets.gallery.dagster_ui import RUN_COUNTS_QUERY, RUN_STATES, DagsterUi
from footy_assets.gallery.work_metrics import WorkMetrics
from footy_assets.queue_names import CLIPS_QUEUE
from resources.broker.queues import QueueState, queues_of, read_queues
from resources.embedded.ports import free_ports


def values(metrics: list[Metric]) -> dict[str, float]:
    return {
        " ".join((sample.name, *sample.labels.values())): sample.value
        for metric in metrics
        for sample in metric.samples
    }


def test_runs_are_counted_by_state(monkeypatch: pytest.MonkeyPatch) -> None:
    data = {state: {"count": n} for n, state in enumerate(RUN_STATES)}

    def post(*_: Any, **__: Any) -> httpx.Response:
        request = httpx.Request("POST", "http://127.0.0.1:3000/graphql")
        return httpx.Response(200, json={"data": data}, request=request)

    monkeypatch.setattr(httpx, "post", post)
    found = values(list(WorkMetrics(DagsterUi("http://127.0.0.1:3000").count_runs, None).collect()))
    assert found["footy_dagster_up"] == 1
    assert (found["footy_runs queued"], found["footy_runs failure"]) == (0, 4)
    assert not any(name.startswith("footy_broker") for name in found)


def test_dagster_understands_the_question() -> None:
    schema: Any = create_schema()
    assert validate(schema.graphql_schema, parse(RUN_COUNTS_QUERY)) == []


def test_a_dagster_and_a_broker_that_do_not_answer_are_down() -> None:
    (port,) = free_ports(1)
    dagster = DagsterUi(f"http://127.0.0.1:{port}")
    queues = queues_of(SecretStr(f"amqp://footy:hunter2@127.0.0.1:{port}//"))
    found = values(list(WorkMetrics(dagster.count_runs, queues).collect()))
    assert found == {"footy_dagster_up": 0, "footy_broker_up": 0}


def test_nothing_is_said_of_what_is_not_configured() -> None:
    assert queues_of(None) is None
    assert list(WorkMetrics(None, None).collect()) == []


def test_the_broker_says_how_many_runs_wait_in_each_queue() -> None:
    """On kombu's broker in memory, which knows no consumers."""
    url = "memory://"
    with Connection(url) as connection, connection.channel() as channel:
        channel.queue_declare(queue=CLIPS_QUEUE)
        try:
            for body in ("a", "b"):
                channel.basic_publish(
                    channel.prepare_message(body), exchange="", routing_key=CLIPS_QUEUE
                )
            found = read_queues(url)
        finally:
            channel.queue_delete(queue=CLIPS_QUEUE)
    assert found == [QueueState(CLIPS_QUEUE, 2, 0), QueueState("footy-browser", 0, 0)]
