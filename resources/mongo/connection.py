"""Opens the MongoDB database: the configured one, else the embedded server of this home."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pymongo import MongoClient
from pymongo.database import Database
from pymongo.errors import (
    ConfigurationError,
    ConnectionFailure,
    InvalidName,
    InvalidURI,
    OperationFailure,
    PyMongoError,
)

from footy_assets.errors import BadInput, MongoUnavailable
from footy_assets.settings import Settings
from footy_assets.store.collections import ensure_indexes, has_indexes
from footy_assets.store.schema import require_current_schema
from resources.embedded.mongod import embedded_mongo
from resources.health import ServerHealth

Document = dict[str, Any]

TIMEOUTS_MS = {
    "serverSelectionTimeoutMS": 5_000,
    "connectTimeoutMS": 5_000,
    "socketTimeoutMS": 60_000,
}
# The embedded one; 7.0 is tested too.
OLDEST_MONGODB = 6
REASON_LENGTH = 200
NAME_BYTES = 63
UNAUTHORIZED = 13
# Databases whose schema and indexes this process has checked.
_checked: set[tuple[str, str]] = set()
NOT_A_REPLICA_SET_FIX = (
    "Start it with --replSet and run rs.initiate(), "
    "or unset FOOTY_MONGO_URI to use the embedded server"
)


@contextmanager
def open_mongo(settings: Settings, checked: bool = True) -> Iterator[Database[Document]]:
    """The database of these settings; raises `MongoUnavailable` if it has no transactions."""
    uri = settings.mongo_uri.get_secret_value() if settings.mongo_uri else None
    with open_database(uri, settings.mongo_database, settings.home, checked) as database:
        yield database


@contextmanager
def open_database(
    uri: str | None, name: str, home: Path, checked: bool = True
) -> Iterator[Database[Document]]:
    """The database at this URI, else on the embedded server of `home`.

    The first opening in a process raises `SchemaTooOld` or `SchemaTooNew` where this code must not
    work with the documents. `footy up` creates the indexes before it starts its children. A process
    without it, such as a command or a Dagster of your own, creates them if they are missing.
    """
    with ExitStack() as stack:
        address = uri or stack.enter_context(embedded_mongo(home)).uri
        database = stack.enter_context(connect(address, name))
        if checked and (address, name) not in _checked:
            require_current_schema(database)
            if not has_indexes(database):
                ensure_indexes(database)
            _checked.add((address, name))
        yield database


@contextmanager
def connect(uri: str, database: str) -> Iterator[Database[Document]]:
    """Connect to a replica set; a lost connection in the block raises `MongoUnavailable`."""
    client = _client(uri)
    try:
        chosen = _database(client, database)
        _require_replica_set(client, uri)
        yield chosen
    except ConnectionFailure as error:
        raise _unavailable(uri, "does not answer", error) from error
    except OperationFailure as error:
        if error.code != UNAUTHORIZED:
            raise
        raise _unavailable(uri, "refuses us", error) from error
    finally:
        client.close()


def health(database: Database[Document]) -> ServerHealth:
    """Whether the server answers and has transactions; its role and version."""
    try:
        database.command("ping")
        hello = database.client.admin.command("hello")
        version = str(database.client.server_info()["version"])
    except PyMongoError as error:
        return ServerHealth(ok=False, detail=f"MongoDB does not answer: {_reason(error)}")
    if int(version.split(".")[0]) < OLDEST_MONGODB:
        detail = f"MongoDB {version}; {OLDEST_MONGODB}.0 or newer is needed"
        return ServerHealth(ok=False, detail=detail)
    is_replica_set = _has_transactions(hello)
    role = "replica set" if is_replica_set else "single server without transactions"
    return ServerHealth(
        ok=is_replica_set,
        detail=f"MongoDB {version}, {role}, database {database.name}",
    )


def server_time(database: Database[Document]) -> datetime:
    """The time of day on the server."""
    try:
        found: datetime = database.client.admin.command("hello")["localTime"]
    except PyMongoError as error:
        raise MongoUnavailable(f"MongoDB does not answer: {_reason(error)}") from error
    # Answers to commands have no time zone, whatever the client says.
    return found.replace(tzinfo=UTC)


def _client(uri: str) -> MongoClient[Document]:
    defaults: dict[str, Any] = {
        name: ms for name, ms in TIMEOUTS_MS.items() if name.lower() not in uri.lower()
    }
    try:
        return MongoClient(uri, tz_aware=True, appname="footy", **defaults)
    except (InvalidURI, ValueError, TypeError) as error:
        raise BadInput(
            "FOOTY_MONGO_URI is not a MongoDB URI",
            "Write it as mongodb://user:password@host:27017/?replicaSet=rs0 "
            "with user and password percent-encoded",
        ) from error
    except ConfigurationError as error:
        raise _unavailable(uri, "cannot be used", error) from error


def _database(client: MongoClient[Document], name: str) -> Database[Document]:
    fix = "Choose a short name without / . $ or spaces"
    if len(name.encode()) > NAME_BYTES:
        raise BadInput(f"FOOTY_MONGO_DATABASE is longer than {NAME_BYTES} bytes", fix)
    try:
        return client[name]
    except InvalidName as error:
        raise BadInput(f"FOOTY_MONGO_DATABASE cannot be used: {error}", fix) from error


def _require_replica_set(client: MongoClient[Document], uri: str) -> None:
    try:
        hello = client.admin.command("hello")
        client.admin.command("connectionStatus")
    except OperationFailure as error:
        raise _unavailable(uri, "refuses us", error) from error
    if not _has_transactions(hello):
        raise MongoUnavailable(
            f"MongoDB at {_hosts(uri)} is a single server, not a replica set, "
            "and transactions need a replica set",
            NOT_A_REPLICA_SET_FIX,
        )


def _has_transactions(hello: Document) -> bool:
    return "setName" in hello or hello.get("msg") == "isdbgrid"


def _unavailable(uri: str, what: str, error: PyMongoError) -> MongoUnavailable:
    return MongoUnavailable(f"MongoDB at {_hosts(uri)} {what}: {_reason(error)}")


def _hosts(uri: str) -> str:
    """The hosts of a URI, without user and password."""
    return uri.partition("://")[2].rpartition("@")[2].partition("/")[0].partition("?")[0]


def _reason(error: PyMongoError) -> str:
    """The start of the driver's message; the rest describes its topology."""
    details = error.details if isinstance(error, OperationFailure) else None
    text = str(details["errmsg"]) if details and "errmsg" in details else str(error)
    for rest in (" (configured timeouts", ", Timeout:", ", full error"):
        text = text.partition(rest)[0]
    return " ".join(text.split())[:REASON_LENGTH]
