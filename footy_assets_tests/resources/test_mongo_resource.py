import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest
from dagster import Definitions, asset, materialize
from pymongo.database import Database

from footy_assets.errors import BadInput, MongoUnavailable
from footy_assets.settings import load_settings
from footy_assets.store.collections import has_indexes
from resources.embedded.mongod import find_mongod
from resources.embedded.ports import free_ports, is_open
from resources.embedded.process import OwnedProcess
from resources.mongo import connection
from resources.mongo.connection import Document, connect, health, open_mongo
from resources.mongo.resource import MongoResource

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _only_given_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("FOOTY_MONGO_URI", raising=False)
    monkeypatch.chdir(tmp_path)


def closed_uri(credentials: str = "") -> str:
    [port] = free_ports(1)
    return f"mongodb://{credentials}127.0.0.1:{port}/?replicaSet=rs0"


def test_times_are_read_back_with_their_zone(database: Database[Document]) -> None:
    kickoff = datetime(2025, 5, 10, 14, 0, tzinfo=UTC)
    database.fixtures.insert_one({"kickoff": kickoff})
    found = database.fixtures.find_one()
    assert found is not None
    assert found["kickoff"] == kickoff


def test_health_names_version_and_role(database: Database[Document]) -> None:
    found = health(database)
    assert found.ok
    version = database.client.server_info()["version"]
    assert found.detail == f"MongoDB {version}, replica set, database {database.name}"


def test_without_a_uri_the_private_server_is_used_and_keeps_its_data(tmp_path: Path) -> None:
    settings = load_settings(home=tmp_path / "home", mongo_database="trial")
    with open_mongo(settings) as database:
        assert database.name == "trial"
        database.goals.insert_one({"_id": 1})
    with open_mongo(settings) as database:
        assert database.goals.count_documents({}) == 1


def test_an_empty_database_gets_its_indexes_from_the_first_process_that_opens_it(
    mongo_uri: str,
) -> None:
    settings = load_settings(mongo_uri=mongo_uri, mongo_database=f"fresh_{uuid4().hex}")
    with open_mongo(settings) as database:
        assert has_indexes(database)


def test_a_process_creates_no_indexes_where_they_exist(
    database: Database[Document], mongo_uri: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a run worker and a command beside `footy up`, each a process that opens it first."""
    made: list[str] = []
    monkeypatch.setattr(connection, "_checked", set())
    monkeypatch.setattr(connection, "ensure_indexes", lambda database: made.append(database.name))
    for name in (database.name, f"empty_{database.name}"):
        resource = MongoResource(uri=mongo_uri, database_name=name)
        with resource.process_config_and_initialize_cm():
            pass
    assert made == [f"empty_{database.name}"]


def test_a_server_that_is_not_there_is_named_within_the_timeout_without_its_password(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(connection.TIMEOUTS_MS, "serverSelectionTimeoutMS", 200)
    settings = load_settings(mongo_uri=closed_uri("messi:hunter2@"))
    started = time.monotonic()
    with pytest.raises(MongoUnavailable) as caught, open_mongo(settings):
        pass
    assert time.monotonic() - started < 25, "pymongo's own timeout is 30 s"
    sentence = caught.value.sentence()
    assert "127.0.0.1" in sentence
    assert "FOOTY_MONGO_URI" in sentence
    assert "hunter2" not in sentence
    assert "Topology" not in sentence


@pytest.mark.parametrize(
    "uri",
    ["http://user:hunter2@host", "mongodb://user:hunter2@host:port:x/", "mongodb://u:hun@ter2@h/"],
)
def test_a_malformed_uri_is_bad_input_and_shows_no_password(uri: str) -> None:
    with pytest.raises(BadInput) as caught, connect(uri, "footy"):
        pass
    assert "hunter2" not in caught.value.sentence()
    assert "ter2" not in caught.value.sentence()


def test_a_database_name_that_mongo_refuses_is_bad_input(mongo_uri: str) -> None:
    with pytest.raises(BadInput, match="FOOTY_MONGO_DATABASE"), connect(mongo_uri, "a b"):
        pass


def test_wrong_credentials_are_refused_without_showing_them(mongo_uri: str) -> None:
    uri = f"mongodb://messi:hunter2@{mongo_uri.rpartition('@')[2]}"
    with pytest.raises(MongoUnavailable, match="refuses us") as caught, connect(uri, "footy"):
        pass
    assert "hunter2" not in caught.value.sentence()


def test_a_connection_lost_while_in_use_is_mongo_unavailable(tmp_path: Path) -> None:
    settings = load_settings(home=tmp_path / "home")

    def use() -> None:
        with open_mongo(settings) as database:
            os.kill(database.client.admin.command("serverStatus")["pid"], signal.SIGKILL)
            database.goals.count_documents({})

    with pytest.raises(MongoUnavailable, match="does not answer"):
        use()


def test_a_single_server_is_refused_because_it_has_no_transactions(tmp_path: Path) -> None:
    [port] = free_ports(1)
    (tmp_path / "data").mkdir()
    command = [find_mongod(), "--dbpath", tmp_path / "data", "--port", str(port), "--nounixsocket"]
    alone = OwnedProcess.start("mongod", command, log=tmp_path / "log", die_with_parent=True)
    try:
        alone.wait_until_ready(lambda: is_open(port), 30)
        with (
            pytest.raises(MongoUnavailable, match="not a replica set") as caught,
            connect(f"mongodb://127.0.0.1:{port}", "footy"),
        ):
            pass
        assert "--replSet" in caught.value.sentence()
    finally:
        alone.stop(grace_seconds=0)


def test_an_asset_writes_through_the_resource(mongo_uri: str, database: Database[Document]) -> None:
    @asset
    def goals(mongo: MongoResource) -> None:
        assert mongo.health().ok
        mongo.database.goals.insert_one({"_id": 1})

    resource = MongoResource(uri=mongo_uri, database_name=database.name)
    Definitions(assets=[goals], resources={"mongo": resource})
    assert materialize([goals], resources={"mongo": resource}).success
    assert database.goals.count_documents({}) == 1
    with pytest.raises(RuntimeError, match="only while Dagster executes"):
        _ = resource.database


def test_each_initialisation_has_a_connection_of_its_own(mongo_uri: str) -> None:
    resource = MongoResource(uri=mongo_uri, database_name="own")
    with resource.process_config_and_initialize_cm() as one:
        with resource.process_config_and_initialize_cm() as two:
            assert one is not two
            assert two.database.client is not one.database.client
        assert one.health().ok


def test_connecting_does_not_import_dagster() -> None:
    code = (
        "import sys, resources.mongo.connection, resources.s3.connection;"
        "sys.exit('dagster' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
