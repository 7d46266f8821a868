"""A whole backup, and a whole restore."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from pymongo.database import Database

from footy_assets import __version__
from footy_assets.store.backup.dump import dump_documents
from footy_assets.store.backup.inventory import (
    ObjectsReport,
    read_inventory,
    restore_objects,
    verify_copies,
    write_inventory,
)
from footy_assets.store.backup.manifest import (
    Manifest,
    prepare_folder,
    read_manifest,
    verify,
    write_manifest,
)
from footy_assets.store.backup.restore import require_empty, restore_documents
from footy_assets.store.collections import Document
from footy_assets.store.leases import Leases
from footy_assets.store.schema import SchemaStore, require_not_newer
from resources.s3.clip_store import ClipStore

LEASE, LEASE_SECONDS = "restore", 120.0

Say = Callable[[str], None]


def back_up(
    database: Database[Document],
    store: ClipStore,
    folder: Path,
    now: datetime,
    *,
    with_objects: bool,
    say: Say,
) -> Manifest:
    """Documents first: an object is stored before its document, so that every object of a document
    that is read is there, unless it is deleted meanwhile."""
    schema_version = require_not_newer(database)
    prepare_folder(folder, now)
    say(f"Reading the documents of {database.name}")
    collections, snapshot = dump_documents(database, folder)
    say(f"Listing the objects in {store.bucket}")
    inventory = write_inventory(store, folder, with_objects)
    manifest = Manifest(
        footy_version=__version__,
        schema_version=schema_version,
        created_at=now.isoformat(),
        database=database.name,
        bucket=store.bucket,
        snapshot=snapshot,
        collections=tuple(collections),
        inventory=inventory.file,
        objects=inventory.objects,
        object_bytes=inventory.bytes,
        objects_copied=with_objects,
    )
    write_manifest(folder, manifest)
    return manifest


def restore(
    database: Database[Document], store: ClipStore, folder: Path, *, force: bool, say: Say
) -> tuple[Manifest, ObjectsReport]:
    """Checks everything before it changes anything. The schema version comes last: until then
    every other process refuses the database, and a killed restore is run again."""
    manifest = read_manifest(folder)
    say("Verifying the checksums")
    verify(folder, manifest)
    verify_copies(folder, read_inventory(folder))
    with Leases(database).hold(LEASE, seconds=LEASE_SECONDS) as lease:
        if not force:
            require_empty(database)
        say(f"Restoring {manifest.documents} documents into {database.name}")
        schema = restore_documents(database, folder, manifest, lease)
        say(f"Comparing {manifest.objects} objects with {store.bucket}")
        report = restore_objects(store, folder, lease.renew)
        SchemaStore(database).end_restore(schema)
    return manifest, report
