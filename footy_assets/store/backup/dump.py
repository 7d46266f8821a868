"""Documents and indexes as mongodump writes them: `NAME.bson` and `NAME.metadata.json`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import structlog
from bson import json_util
from pymongo.client_session import ClientSession
from pymongo.database import Database
from pymongo.errors import OperationFailure

from footy_assets.store.backup.files import summed_file
from footy_assets.store.backup.manifest import DOCUMENTS, CollectionSum
from footy_assets.store.collections import LEASES, Document
from footy_assets.store.raw_documents import contents_of

log = structlog.get_logger()

# MongoDB no longer has, or does not offer, the moment of the snapshot.
NO_SNAPSHOT = frozenset({72, 123, 239, 246})
# Leases are of processes: nobody holds one in a restored database.
LEFT_OUT = frozenset({LEASES})


def dump_documents(database: Database[Document], root: Path) -> tuple[list[CollectionSum], bool]:
    """Every collection as of one moment; the second value is False where MongoDB cannot do that.

    It keeps old versions of documents for five minutes (`minSnapshotHistoryWindowInSeconds`).
    """
    try:
        with database.client.start_session(snapshot=True) as session:
            return _dump(database, root, session), True
    except OperationFailure as error:
        if error.code not in NO_SNAPSHOT:
            raise
        log.warning("backup_without_snapshot", reason=str(error.details or error)[:200])
    return _dump(database, root, None), False


def _dump(
    database: Database[Document], root: Path, session: ClientSession | None
) -> list[CollectionSum]:
    folder = root / DOCUMENTS / database.name
    return [
        _dump_collection(database, info, root, folder, session)
        for info in collections_of(database)
        if info["name"] not in LEFT_OUT
    ]


def collections_of(database: Database[Document]) -> Iterator[dict[str, Any]]:
    """What MongoDB says of each, in order; no views, and nothing of its own."""
    found = sorted(database.list_collections(), key=lambda info: str(info["name"]))
    return (
        dict(info)
        for info in found
        if info["type"] == "collection" and not info["name"].startswith("system.")
    )


def _dump_collection(
    database: Database[Document],
    info: dict[str, Any],
    root: Path,
    folder: Path,
    session: ClientSession | None,
) -> CollectionSum:
    name = str(info["name"])
    stem = quote(name, safe="")
    count = 0
    with summed_file(root, folder / f"{stem}.bson") as content:
        batches = database[name].find_raw_batches({}, session=session, sort=[("_id", 1)])
        for document in contents_of(batches):
            content.write(document)
            count += 1
    with summed_file(root, folder / f"{stem}.metadata.json") as metadata:
        metadata.write(_metadata(database, info).encode())
    return CollectionSum(name, count, content.sum(), metadata.sum())


def _metadata(database: Database[Document], info: dict[str, Any]) -> str:
    written = {
        "options": info.get("options", {}),
        "indexes": indexes_of(database, str(info["name"])),
        "uuid": bytes(info["info"]["uuid"]).hex(),
        "collectionName": info["name"],
        "type": "collection",
    }
    return json_util.dumps(written, json_options=json_util.CANONICAL_JSON_OPTIONS)


def indexes_of(database: Database[Document], name: str) -> list[Document]:
    return [dict(index) for index in database[name].list_indexes()]
