"""Puts the documents of a backup into an empty database, with their indexes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bson import decode_file_iter, json_util
from bson.codec_options import CodecOptions
from bson.raw_bson import RawBSONDocument
from pymongo.database import Database

from footy_assets.errors import BackupUnusable, Busy, DatabaseNotEmpty
from footy_assets.store.backup.dump import LEFT_OUT, collections_of
from footy_assets.store.backup.manifest import CollectionSum, Manifest
from footy_assets.store.collections import META, Document
from footy_assets.store.leases import Lease
from footy_assets.store.schema import SCHEMA, SchemaStore

RAW = CodecOptions(document_class=RawBSONDocument)
BATCH_DOCUMENTS, BATCH_BYTES = 1000, 8 << 20
# MongoDB makes it with the collection.
ID_INDEX = "_id_"


def require_empty(database: Database[Document]) -> None:
    """What a restore that was killed left counts as empty."""
    if SchemaStore(database).is_restoring():
        return
    for info in collections_of(database):
        name = info["name"]
        if name not in (META, *LEFT_OUT) and database[name].find_one({}, {"_id": 1}) is not None:
            raise DatabaseNotEmpty(f"the database {database.name} has documents in {name}")


def restore_documents(
    database: Database[Document], root: Path, manifest: Manifest, lease: Lease
) -> Document | None:
    """Deletes what is there. Until `SchemaStore.end_restore` is called with the document that this
    returns, nothing else opens the database."""
    SchemaStore(database).begin_restore(f"{manifest.database} of {manifest.created_at}")
    for info in collections_of(database):
        if info["name"] not in (META, *LEFT_OUT):
            database.drop_collection(info["name"])
    schema = None
    for one in manifest.collections:
        if one.name == META:
            schema = _schema_document(root, one)
        else:
            _restore_collection(database, root, one, lease)
    return schema


def _schema_document(root: Path, dumped: CollectionSum) -> Document | None:
    with (root / dumped.content.path).open("rb") as file:
        found: list[Any] = list(decode_file_iter(file))
    return next((dict(one) for one in found if one["_id"] == SCHEMA), None)


def _restore_collection(
    database: Database[Document], root: Path, dumped: CollectionSum, lease: Lease
) -> None:
    metadata = json_util.loads((root / dumped.metadata.path).read_text(encoding="utf-8"))
    database.command("create", dumped.name, **metadata["options"])
    raw = database.get_collection(dumped.name, codec_options=RAW)
    for batch in _batches(root / dumped.content.path):
        if not lease.renew():
            raise Busy("another process has taken over the restore")
        raw.insert_many(batch, ordered=False)
    count = database[dumped.name].count_documents({})
    if count != dumped.documents:
        raise BackupUnusable(f"{dumped.name} has {count} documents, not {dumped.documents}")
    indexes = [index for index in metadata["indexes"] if index["name"] != ID_INDEX]
    if indexes:
        database.command("createIndexes", dumped.name, indexes=indexes)


def _batches(path: Path) -> Iterator[list[RawBSONDocument]]:
    batch: list[RawBSONDocument] = []
    size = 0
    with path.open("rb") as file:
        for document in decode_file_iter(file, RAW):
            if batch and (len(batch) == BATCH_DOCUMENTS or size + len(document.raw) > BATCH_BYTES):
                yield batch
                batch, size = [], 0
            batch.append(document)
            size += len(document.raw)
    if batch:
        yield batch
