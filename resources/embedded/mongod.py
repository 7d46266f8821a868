"""The embedded MongoDB: `mongod` as a replica set of one, on loopback, with one user."""

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pymongo import MongoClient
from pymongo.errors import OperationFailure, PyMongoError
from pymongo.read_preferences import ReadPreference

from footy_assets.errors import MongoUnavailable
from resources.embedded import ports
from resources.embedded.binary import find_binary
from resources.embedded.mongo_access import MongoAccess
from resources.embedded.ports import LOOPBACK
from resources.embedded.process import OwnedProcess, ProcessIdentity
from resources.embedded.shared import Ports, SharedServer

REPLICA_SET = "rs0"
READY_SECONDS = 60.0
STOP_GRACE_SECONDS = 20.0
NOT_YET_INITIALIZED, INVALID_REPLICA_SET_CONFIG = 94, 93

OPTIONS = (
    *("--bind_ip", LOOPBACK, "--nounixsocket", "--quiet"),
    *("--replSet", REPLICA_SET, "--oplogSize", "128", "--wiredTigerCacheSizeGB", "0.25"),
    # A fresh data folder takes 33 MB this way, 300 MB otherwise.
    *("--wiredTigerEngineConfigString", "log=(prealloc=false,file_max=32MB)"),
    *("--setParameter", "diagnosticDataCollectionEnabled=false"),
    # A transaction that a killed client left open must not block the next poll for a minute.
    *("--setParameter", "transactionLifetimeLimitSeconds=10"),
)


@dataclass(frozen=True)
class MongoServer:
    # It has the password.
    uri: str = field(repr=False)
    port: int
    pid: int


def embedded_mongo(home: Path, *, die_with_parent: bool = False) -> SharedServer[MongoServer]:
    """The embedded MongoDB of this home; started if it is not running."""
    return SharedServer(MongodRecipe(), home / "mongo", die_with_parent=die_with_parent)


def find_mongod() -> Path:
    wheel = importlib.util.find_spec("fiftyone")
    places = wheel.submodule_search_locations if wheel else None
    return find_binary(
        "mongod",
        [Path(place) / "db" / "bin" / "mongod" for place in places or ()],
        "Set FOOTY_MONGO_URI to a MongoDB replica set, or install mongod 6.0 or newer",
    )


class MongodRecipe:
    name = "mongod"

    def choose_ports(self, last: Ports) -> Ports:
        port = last.get("mongo")
        return {"mongo": port if port and ports.is_free(port) else ports.free_ports(1)[0]}

    def launch(self, folder: Path, ports: Ports, *, die_with_parent: bool) -> OwnedProcess:
        place = folder / "data"
        place.mkdir(exist_ok=True, mode=0o700)
        command: list[str | Path] = [find_mongod(), "--dbpath", place, *OPTIONS]
        command += [*MongoAccess.of(folder).options, "--port", str(ports["mongo"])]
        return OwnedProcess.start(
            self.name, command, log=folder / "server.log", die_with_parent=die_with_parent
        )

    def make_ready(self, process: OwnedProcess, folder: Path, ports_: Ports) -> None:
        port, access = ports_["mongo"], MongoAccess.of(folder)
        process.wait_until_ready(lambda: ports.is_open(port), READY_SECONDS, MongoUnavailable)
        process.wait_until_ready(lambda: _prepare(port, access), READY_SECONDS, MongoUnavailable)

    def answers(self, folder: Path, ports: Ports) -> bool:
        return _is_primary(ports["mongo"], MongoAccess.of(folder))

    def describe(self, folder: Path, ports: Ports, pid: int) -> MongoServer:
        port = ports["mongo"]
        uri = MongoAccess.of(folder).uri(LOOPBACK, port, REPLICA_SET)
        return MongoServer(uri=uri, port=port, pid=pid)

    def stop(self, process: ProcessIdentity, ports: Ports) -> None:
        process.end(STOP_GRACE_SECONDS)


def _is_primary(port: int, access: MongoAccess) -> bool:
    """Does it accept our writes?"""
    try:
        with _direct_client(port, access.as_user()) as client:
            return bool(client["admin"].command("hello").get("isWritablePrimary"))
    except PyMongoError:
        return False


def _prepare(port: int, access: MongoAccess) -> bool:
    """Initiates the replica set, or updates its port, if needed; then makes our user. True when it
    accepts our writes."""
    try:
        with _direct_client(port, access.as_member()) as client:
            admin = client.get_database("admin", read_preference=ReadPreference.NEAREST)
            if admin.command("hello").get("isWritablePrimary"):
                access.ensure_user(client)
                return True
            try:
                admin.command("replSetGetStatus")
            except OperationFailure as error:
                if error.code == NOT_YET_INITIALIZED:
                    admin.command("replSetInitiate", _config(port))
                elif error.code == INVALID_REPLICA_SET_CONFIG:
                    _update_port(client, port)
    except PyMongoError:
        pass
    return False


def _config(port: int) -> dict[str, Any]:
    return {"_id": REPLICA_SET, "members": [{"_id": 0, "host": f"{LOOPBACK}:{port}"}]}


def _update_port(client: MongoClient[dict[str, Any]], port: int) -> None:
    """Put the new port into the stored config: the data was last served on another one."""
    local = client.get_database("local", read_preference=ReadPreference.NEAREST)
    stored = local["system.replset"].find_one()
    if stored is None:
        return
    moved = stored | {"version": stored["version"] + 1, "members": _config(port)["members"]}
    admin = client.get_database("admin", read_preference=ReadPreference.NEAREST)
    admin.command("replSetReconfig", moved, force=True)


@contextmanager
def _direct_client(port: int, login: dict[str, Any]) -> Iterator[MongoClient[dict[str, Any]]]:
    client: MongoClient[dict[str, Any]] = MongoClient(
        LOOPBACK,
        port,
        directConnection=True,
        serverSelectionTimeoutMS=2000,
        connectTimeoutMS=2000,
        socketTimeoutMS=5000,
        **login,
    )
    try:
        yield client
    finally:
        client.close()
