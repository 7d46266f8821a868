"""The parts of `footy up` as processes of their own: what they prepare and need."""

import os
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
import yaml
from pydantic import SecretStr
from pymongo import MongoClient

from footy_assets.errors import BadInput
from footy_assets.runtime import parts
from footy_assets.runtime.alive import failure_of, heartbeat_failure, http_failure
from footy_assets.runtime.home import Home
from footy_assets.settings import settings_of
from footy_assets.store.collections import Document, has_indexes
from resources.embedded.ports import free_ports
from resources.embedded.weed import S3Server


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[str], dict[str, str]]]:
    """What takes the place of the process, which goes on here."""
    calls: list[tuple[list[str], dict[str, str]]] = []

    def become(program: str, command: list[str], env: dict[str, str]) -> None:
        assert program == sys.executable
        calls.append((command[2:], env))

    monkeypatch.setattr(os, "execve", become)
    return calls


@contextmanager
def answering(status: int) -> Iterator[int]:
    """A server that has this answer for those who have the token, and 401 for others."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            known = self.headers.get("Authorization") == "Bearer s3cret"
            self.send_response(status if known else 401)
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Answer) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.slow
def test_the_code_server_prepares_what_the_other_parts_need(
    mongo_uri: str,
    mongo_client: MongoClient[Document],
    s3: S3Server,
    tmp_path: Path,
    started: list[tuple[list[str], dict[str, str]]],
) -> None:
    settings = settings_of(
        home=tmp_path,
        mongo_uri=mongo_uri,
        mongo_database="parts",
        s3_endpoint_url=s3.endpoint_url,
        s3_access_key_id=s3.access_key_id,
        s3_secret_access_key=s3.secret_access_key,
        s3_bucket="parts",
    )
    home = Home(tmp_path)
    with pytest.raises(BadInput, match=r"dagster\.yaml") as raised:
        parts.run_daemon(settings, 0.0)
    assert "footy code-server" in raised.value.fix
    try:
        parts.serve_code(settings, lambda _: None)
        assert has_indexes(mongo_client["parts"])
    finally:
        mongo_client.drop_database("parts")
    parts.run_daemon(settings, 0.0)
    parts.show_dagster_ui(settings)
    assert [command[0] for command, _ in started] == [
        "footy_assets.runtime.code_server",
        "dagster._daemon",
        "footy_assets.runtime.webserver",
    ]
    (server,) = yaml.safe_load(home.workspace.read_text())["load_from"]
    path = server["grpc_server"]["socket"]
    assert path in started[0][0]
    assert str(home.workspace) in started[1][0]
    for _, env in started:
        assert env["DAGSTER_HOME"] == str(home.dagster)
        assert env["FOOTY_MONGO_URI"] == mongo_uri


def test_parts_need_servers_that_all_of_them_reach(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="FOOTY_MONGO_URI and FOOTY_S3_ENDPOINT_URL"):
        parts.prepare_parts(settings_of(home=tmp_path), lambda _: None)


def test_a_web_server_is_alive_if_it_answers_the_token(tmp_path: Path) -> None:
    token = SecretStr("s3cret")
    with answering(200) as port:
        assert http_failure("0.0.0.0", port, "/", token) is None
        assert "401" in str(http_failure("127.0.0.1", port, "/", None))
        for part in ("web", "dagster-ui"):
            settings = settings_of(api_token="s3cret", api_port=port, dagster_port=port)
            assert failure_of(part, settings) is None
    with answering(503) as port:
        assert "503" in str(http_failure("127.0.0.1", port, "/", token))
    assert str(port) in str(http_failure("127.0.0.1", port, "/", token))


def test_a_code_server_is_alive_if_its_socket_answers(tmp_path: Path) -> None:
    settings, home = settings_of(home=tmp_path), Home(tmp_path)
    home.dagster.mkdir()
    assert failure_of("code-server", settings) is not None
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(home.code_server_socket))
        assert failure_of("code-server", settings) is not None, "nobody listens"
        listening.listen()
        assert failure_of("code-server", settings) is None


def test_a_worker_is_alive_while_its_heartbeats_reach_the_broker(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.prepare_worker("{}")
    assert heartbeat_failure(home, 1000.0) == "has not reached the broker yet"
    home.heartbeat.touch()
    os.utime(home.heartbeat, (1000.0, 1000.0))
    assert heartbeat_failure(home, 1060.0) is None
    assert heartbeat_failure(home, 1061.0) == "last heartbeat 61 s ago"


def test_each_heartbeat_of_celery_is_noted(tmp_path: Path) -> None:
    from celery.signals import heartbeat_sent

    from footy_assets.runtime.alive import note_heartbeats

    home = Home(tmp_path)
    home.prepare_worker("{}")
    before = list(heartbeat_sent.receivers)
    note_heartbeats(home)
    try:
        heartbeat_sent.send(sender=None)
        assert home.heartbeat.exists()
    finally:
        heartbeat_sent.receivers = before


def test_alive_exits_with_one_and_says_why(footy: Callable[..., object], tmp_path: Path) -> None:
    (port,) = free_ports(1)
    done = footy("alive", "web", FOOTY_HOME=str(tmp_path), FOOTY_API_PORT=str(port))
    assert done.returncode == 1  # type: ignore[attr-defined]
    assert str(port) in done.stderr  # type: ignore[attr-defined]
