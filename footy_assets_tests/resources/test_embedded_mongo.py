import os
import signal
import threading
from pathlib import Path

import psutil
import pytest
from pymongo import MongoClient

from footy_assets.errors import BinaryMissing, MongoUnavailable
from resources.embedded import binary, mongod
from resources.embedded.mongod import embedded_mongo
from resources.embedded.ports import free_ports
from resources.embedded.shared import ServerRecord

pytestmark = pytest.mark.slow


def write(uri: str, value: int) -> None:
    with MongoClient(uri) as client:
        client.trial.goals.insert_one({"value": value})


def values(uri: str) -> list[int]:
    with MongoClient(uri) as client:
        return sorted(goal["value"] for goal in client.trial.goals.find())


def test_transactions_work(mongo_uri: str) -> None:
    with MongoClient(mongo_uri) as client:
        goals = client.transactions.goals
        goals.insert_one({"_id": 0})
        with client.start_session() as session:
            with session.start_transaction():
                goals.insert_one({"_id": 1}, session=session)
                session.abort_transaction()
            with session.start_transaction():
                goals.insert_one({"_id": 2}, session=session)
        assert sorted(goal["_id"] for goal in goals.find()) == [0, 2]


def test_change_streams_work(mongo_uri: str) -> None:
    with MongoClient(mongo_uri) as client:
        client.streams.goals.insert_one({"before": True})
        with client.streams.goals.watch(max_await_time_ms=5000) as stream:
            client.streams.goals.insert_one({"after": True})
            change = next(stream)
    assert change["fullDocument"]["after"] is True


def test_it_listens_on_loopback_only(mongo_uri: str) -> None:
    with MongoClient(mongo_uri) as client:
        pid = client.admin.command("serverStatus")["pid"]
    listening = [c for c in psutil.Process(pid).net_connections() if c.status == "LISTEN"]
    assert {connection.laddr.ip for connection in listening} == {"127.0.0.1"}


def test_data_and_port_survive_a_restart_and_nothing_is_left_running(tmp_path: Path) -> None:
    with embedded_mongo(tmp_path, die_with_parent=True) as first:
        write(first.uri, 1)
    assert not psutil.pid_exists(first.pid)
    with embedded_mongo(tmp_path, die_with_parent=True) as second:
        assert second.port == first.port
        assert second.pid != first.pid
        assert values(second.uri) == [1]
        write(second.uri, 2)
        assert values(second.uri) == [1, 2]
    assert not psutil.pid_exists(second.pid)


def test_data_survives_kill_9_of_the_server(tmp_path: Path) -> None:
    with embedded_mongo(tmp_path, die_with_parent=True) as first:
        for value in range(100):
            write(first.uri, value)
        os.kill(first.pid, signal.SIGKILL)
    with embedded_mongo(tmp_path, die_with_parent=True) as second:
        assert values(second.uri) == list(range(100))


def test_data_is_served_on_another_port_when_the_old_one_is_taken(tmp_path: Path) -> None:
    with embedded_mongo(tmp_path, die_with_parent=True) as first:
        write(first.uri, 1)
    record = ServerRecord.read(tmp_path / "mongo" / "server.json")
    assert record is not None
    [other] = free_ports(1)
    ServerRecord(record.process, {"mongo": other}, record.folder).write(
        tmp_path / "mongo/server.json"
    )
    with embedded_mongo(tmp_path, die_with_parent=True) as second:
        assert second.port == other
        write(second.uri, 2)
        assert values(second.uri) == [1, 2]


def test_it_can_be_started_from_a_thread(tmp_path: Path) -> None:
    found: list[list[int]] = []

    def use() -> None:
        with embedded_mongo(tmp_path) as server:
            write(server.uri, 7)
            found.append(values(server.uri))

    thread = threading.Thread(target=use)
    thread.start()
    thread.join()
    assert found == [[7]]


def test_a_missing_mongod_is_one_clear_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mongod.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(binary.shutil, "which", lambda name: None)
    with pytest.raises(BinaryMissing) as caught:
        embedded_mongo(tmp_path).acquire()
    assert caught.value.sentence() == (
        "mongod is not installed on this machine. "
        "Set FOOTY_MONGO_URI to a MongoDB replica set, or install mongod 6.0 or newer."
    )


def test_a_mongod_that_cannot_start_is_quoted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "mongod"
    broken.write_text("#!/bin/sh\necho the disk is full\nexit 7\n")
    broken.chmod(0o755)
    monkeypatch.setattr(mongod, "find_mongod", lambda: broken)
    with pytest.raises(MongoUnavailable, match=r"ended at once with code 7.*the disk is full"):
        embedded_mongo(tmp_path).acquire()
