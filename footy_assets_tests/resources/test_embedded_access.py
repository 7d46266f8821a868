"""Other users of the machine cannot use the embedded servers, though they can reach their ports."""

import json
import os
import stat
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import httpx
import psutil
import pytest
from pymongo import MongoClient
from pymongo.errors import OperationFailure

from resources.embedded.mongo_access import MongoAccess
from resources.embedded.mongod import MongodRecipe, MongoServer, embedded_mongo, find_mongod
from resources.embedded.ports import GRPC_OFFSET, LOOPBACK, free_ports
from resources.embedded.shared import ServerRecord
from resources.embedded.weed import PARTS, S3Server, _client, embedded_s3
from resources.s3.client import S3Address, connect

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Servers:
    home: Path
    mongo: MongoServer
    s3: S3Server
    s3_ports: dict[str, int]


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    home = tmp_path_factory.mktemp("access")
    with (
        embedded_mongo(home, die_with_parent=True) as mongo,
        embedded_s3(home, die_with_parent=True) as s3,
    ):
        record = ServerRecord.read(home / "s3" / "server.json")
        assert record is not None
        client = _client(s3)
        client.create_bucket(Bucket="clips")
        client.put_object(Bucket="clips", Key="clip.mp4", Body=os.urandom(100_000))
        yield Servers(home, mongo, s3, record.ports)
        client.close()


# -- MongoDB ----------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["listDatabases", "usersInfo", "getLog"])
def test_mongodb_answers_nobody_without_the_password(servers: Servers, command: str) -> None:
    with MongoClient(LOOPBACK, servers.mongo.port, directConnection=True) as stranger:
        with pytest.raises(OperationFailure, match="requires authentication"):
            stranger.admin.command(command, 1)
        with pytest.raises(OperationFailure, match="requires authentication"):
            stranger.footy.goals.insert_one({})


def test_a_stranger_cannot_make_a_user(servers: Servers) -> None:
    with (
        MongoClient(LOOPBACK, servers.mongo.port, directConnection=True) as stranger,
        pytest.raises(OperationFailure, match="requires authentication"),
    ):
        stranger.admin.command("createUser", "me", pwd="me", roles=["root"])


def test_no_process_shows_the_password_and_only_the_owner_can_read_it(servers: Servers) -> None:
    access = MongoAccess.of(servers.home / "mongo")
    for process in (psutil.Process(servers.mongo.pid), psutil.Process(servers.s3.pid)):
        shown = " ".join(process.cmdline())
        for secret in (access.password, access.key, servers.s3.secret_access_key):
            assert secret not in shown
    assert access.password not in repr(servers)
    assert servers.s3.secret_access_key not in repr(servers)
    for path in servers.home.rglob("*"):
        if path.suffix == ".vif":
            continue  # SeaweedFS sets the mode of its volumes' notes itself; their folder is ours
        assert not stat.S_IMODE(path.stat().st_mode) & 0o077, path
    log = (servers.home / "mongo" / "server.log").read_text()
    assert access.password not in log


def test_a_home_without_a_password_gets_one_and_keeps_its_data(tmp_path: Path) -> None:
    """As an earlier version left it: a replica set whose server let everybody in."""
    [port] = free_ports(1)
    data = tmp_path / "mongo" / "data"
    data.mkdir(parents=True)
    command = [str(find_mongod()), "--dbpath", str(data), "--replSet", "rs0", "--nounixsocket"]
    command += ["--bind_ip", LOOPBACK, "--port", str(port), "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as before:
        try:
            with MongoClient(LOOPBACK, port, directConnection=True) as client:
                members = [{"_id": 0, "host": f"{LOOPBACK}:{port}"}]
                client.admin.command("replSetInitiate", {"_id": "rs0", "members": members})
            uri = f"mongodb://{LOOPBACK}:{port}/?replicaSet=rs0"
            with MongoClient[dict[str, Any]](uri) as client:
                client.footy.goals.insert_one({"_id": "before"})
        finally:
            before.terminate()
    with embedded_mongo(tmp_path, die_with_parent=True) as after:
        with MongoClient[dict[str, Any]](after.uri) as client:
            assert client.footy.goals.find_one() == {"_id": "before"}
        with (
            MongoClient(LOOPBACK, after.port, directConnection=True) as stranger,
            pytest.raises(OperationFailure, match="requires authentication"),
        ):
            stranger.footy.goals.find_one()


def test_a_lost_password_is_made_anew_at_the_next_start(tmp_path: Path) -> None:
    with embedded_mongo(tmp_path, die_with_parent=True) as first:
        pass
    (tmp_path / "mongo" / "user.json").write_text(json.dumps({"password": "another"}))
    with embedded_mongo(tmp_path, die_with_parent=True) as second:
        assert second.uri != first.uri
        with MongoClient(second.uri) as client:
            client.admin.command("ping")


def test_a_server_that_lets_us_in_with_another_password_does_not_count(servers: Servers) -> None:
    recipe, folder = MongodRecipe(), servers.home / "mongo"
    assert recipe.answers(folder, {"mongo": servers.mongo.port})
    other = servers.home / "other"
    other.mkdir(mode=0o700)
    assert not recipe.answers(other, {"mongo": servers.mongo.port})


# -- SeaweedFS --------------------------------------------------------------------------------

HARMLESS = {
    # The version, and which master leads; whether it lives; numbers of its own process.
    ("master", "/"), ("master", "/ui/index.html"), ("master", "/cluster/status"),
    ("volume", "/status"), ("s3", "/status"), ("admin", "/metrics"),
}  # fmt: skip
PATHS = (
    *("/", "/buckets/clips/", "/buckets/clips/clip.mp4", "/clips", "/clips/clip.mp4"),
    *("/dir/assign", "/dir/status", "/dir/lookup?volumeId=1", "/vol/grow?count=1", "/vol/status"),
    *("/col/delete?collection=clips", "/cluster/status", "/status", "/ui/index.html", "/metrics"),
    *("/1,0123456789", "/admin", "/api/users", "/stats/disk"),
)


@pytest.mark.parametrize("part", PARTS)
def test_no_part_of_seaweedfs_serves_a_stranger_over_http(servers: Servers, part: str) -> None:
    address = f"http://{LOOPBACK}:{servers.s3_ports[part]}"
    with httpx.Client(base_url=address) as stranger:
        for path in PATHS:
            if (part, path) in HARMLESS:
                continue
            for method in ("GET", "POST", "PUT", "DELETE"):
                answer = stranger.request(method, path, content=b"evil" * (method != "GET"))
                assert answer.status_code >= 400, f"{method} {path}: {answer.text[:200]}"
    client = _client(servers.s3)
    assert len(client.get_object(Bucket="clips", Key="clip.mp4")["Body"].read()) == 100_000
    client.close()


@pytest.mark.parametrize("part", PARTS)
def test_no_part_of_seaweedfs_serves_a_stranger_over_grpc(servers: Servers, part: str) -> None:
    """Without a certificate no connection comes about, encrypted or not."""
    address = f"{LOOPBACK}:{servers.s3_ports[part] + GRPC_OFFSET}"
    authority = (servers.home / "s3" / "authority.pem").read_bytes()
    for channel in (
        grpc.insecure_channel(address),
        grpc.secure_channel(address, grpc.ssl_channel_credentials(authority)),
    ):
        with channel, pytest.raises(grpc.RpcError) as refused:
            channel.unary_unary("/master_pb.Seaweed/CollectionList")(b"", timeout=5)
        assert refused.value.code() is grpc.StatusCode.UNAVAILABLE


def test_s3_refuses_requests_without_a_signature(servers: Servers) -> None:
    client = connect(S3Address(servers.s3.endpoint_url, "us-east-1"), attempts=1, unsigned=True)
    for request in (
        client.list_buckets,
        lambda: client.list_objects_v2(Bucket="clips"),
        lambda: client.get_object(Bucket="clips", Key="clip.mp4"),
        lambda: client.put_object(Bucket="clips", Key="evil", Body=b"evil"),
    ):
        with pytest.raises(Exception, match="AccessDenied"):
            request()
    client.close()
