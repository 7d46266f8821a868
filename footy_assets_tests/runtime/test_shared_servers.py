"""What is said of a Postgres and of a broker that do not answer, and how `footy worker` begins."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from uuid import uuid4

import pytest
from kombu import Connection
from pydantic import SecretStr

from footy_assets.errors import BadInput, Unavailable
from footy_assets.queue_names import BROWSER_QUEUE, CLIPS_QUEUE, presence_queue
from footy_assets.runtime.instance_config import instance_environment
from footy_assets.runtime.shared_server_checks import examine_shared_servers
from footy_assets.runtime.shared_servers import (
    broker_health,
    postgres_health,
    require_shared_answers,
)
from footy_assets.runtime.worker import QUEUES, make_worker_app, prepare_worker
from footy_assets.settings import Settings, settings_of
from resources.embedded.ports import free_ports


@contextmanager
def nobody_listens() -> Iterator[int]:
    yield free_ports(1)[0]


def shared(port: int, **more: object) -> Settings:
    return settings_of(
        dagster_postgres_url=f"postgresql://footy:hunter2@127.0.0.1:{port}/runs",
        broker_url=f"amqp://footy:hunter2@127.0.0.1:{port}/",
        **more,
    )


def test_servers_that_do_not_answer_are_named_without_their_passwords() -> None:
    with nobody_listens() as port:
        configured = shared(port)
        checks = list(examine_shared_servers(configured))
        with pytest.raises(Unavailable, match=f"127.0.0.1:{port}") as raised:
            require_shared_answers(configured)
    assert [(one.name, one.ok) for one in checks] == [("PostgreSQL", False), ("broker", False)]
    assert "FOOTY_DAGSTER_POSTGRES_URL" in raised.value.fix
    for check in checks:
        assert str(port) in check.detail
        assert "hunter2" not in check.detail


def test_doctor_says_nothing_of_servers_that_are_not_configured() -> None:
    assert list(examine_shared_servers(settings_of())) == []


def test_doctor_names_a_broker_without_postgres() -> None:
    (check,) = examine_shared_servers(settings_of(broker_url="amqp://mq.example"))
    assert not check.ok
    assert "FOOTY_DAGSTER_POSTGRES_URL" in check.fix


def test_a_worker_without_a_broker_says_what_to_set(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="FOOTY_BROKER_URL") as raised:
        prepare_worker(settings_of(home=tmp_path))
    assert "FOOTY_DAGSTER_POSTGRES_URL" in raised.value.fix


def test_a_worker_needs_servers_that_it_can_reach(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="FOOTY_MONGO_URI"):
        prepare_worker(shared(1, home=tmp_path))


def test_searches_never_wait_in_the_queue_of_clips() -> None:
    assert set(QUEUES["clips"]) == {CLIPS_QUEUE}
    assert set(QUEUES["browser"]) == {BROWSER_QUEUE}
    assert set(QUEUES["all"]) == {CLIPS_QUEUE, BROWSER_QUEUE}


def test_a_worker_gives_a_run_back_that_it_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in instance_environment(shared(1)).items():
        monkeypatch.setenv(name, value)
    app = make_worker_app("browser")
    task = app.tasks["execute_job"]
    assert task.acks_late
    assert task.reject_on_worker_lost
    assert app.conf.broker_heartbeat == 10
    assert app.conf.worker_cancel_long_running_tasks_on_connection_loss
    assert app.conf.worker_prefetch_multiplier == 1
    assert app.conf.result_backend.startswith("db+postgresql+psycopg2://")
    assert "footy_assets.definitions" in app.conf.include


def test_a_worker_shows_the_broker_that_it_is_connected(monkeypatch: pytest.MonkeyPatch) -> None:
    """On kombu's broker in memory."""
    for name, value in instance_environment(shared(1)).items():
        monkeypatch.setenv(name, value)
    (presence,) = make_worker_app("browser").steps["consumer"]
    worker = f"clips-7@{uuid4().hex}"
    with Connection("memory://") as connection:
        step = presence(SimpleNamespace())
        step.start(SimpleNamespace(hostname=worker, connection=connection))
        with connection.channel() as channel:
            found = channel.queue_declare(queue=presence_queue(worker), passive=True)
    assert found.queue == presence_queue(worker)


def test_a_closed_port_is_no_error_of_ours() -> None:
    with nobody_listens() as port:
        assert not postgres_health(SecretStr(f"postgresql://a@127.0.0.1:{port}/b")).ok
        assert not broker_health(SecretStr(f"amqp://a:b@127.0.0.1:{port}/")).ok
