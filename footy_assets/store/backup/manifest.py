"""What a backup holds. The manifest is written last: an unfinished backup has none."""

import json
import os
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from footy_assets.errors import BackupUnusable, BadInput, NotFound, SchemaTooNew
from footy_assets.store.backup.files import FileSum, sum_of, sync_folder
from footy_assets.store.migrations import SCHEMA_VERSION

NAME = "manifest.json"
# In a folder that a backup has begun to write; removed when the manifest is there.
UNFINISHED = "unfinished-backup"
FORMAT = 1
DOCUMENTS, OBJECTS, INVENTORY = "mongo", "objects", "objects.jsonl"


@dataclass(frozen=True, slots=True)
class CollectionSum:
    name: str
    documents: int
    content: FileSum
    metadata: FileSum


@dataclass(frozen=True, slots=True)
class Manifest:
    footy_version: str
    schema_version: int
    created_at: str
    database: str
    bucket: str
    # False if the database could not be read as of one moment.
    snapshot: bool
    collections: tuple[CollectionSum, ...]
    inventory: FileSum
    objects: int
    object_bytes: int
    # Whether the bytes of the objects are in the backup too.
    objects_copied: bool
    format: int = FORMAT

    @property
    def documents(self) -> int:
        return sum(one.documents for one in self.collections)


def write_manifest(folder: Path, manifest: Manifest) -> None:
    unfinished = folder / f".{NAME}.tmp"
    with unfinished.open("w", encoding="utf-8") as file:
        json.dump(asdict(manifest), file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(folder / NAME)
    (folder / UNFINISHED).unlink()
    sync_folder(folder)


def read_manifest(folder: Path) -> Manifest:
    """Raises if the folder has no backup, or one that this version cannot restore."""
    if not folder.is_dir():
        raise NotFound(f"{folder} is not a folder")
    try:
        stored = json.loads((folder / NAME).read_text(encoding="utf-8"))
    except FileNotFoundError:
        why = "it was not finished" if (folder / UNFINISHED).exists() else f"it has no {NAME}"
        raise BackupUnusable(f"{folder} is no backup: {why}") from None
    except (OSError, ValueError) as error:
        raise BackupUnusable(f"{folder / NAME} cannot be read: {error}") from error
    try:
        manifest = _from_json(stored)
    except (KeyError, TypeError, AttributeError) as error:
        raise BackupUnusable(f"{folder / NAME} is not a manifest: {error!r}") from error
    if manifest.format > FORMAT or manifest.schema_version > SCHEMA_VERSION:
        raise SchemaTooNew(
            f"the backup was made by footy {manifest.footy_version}, with schema version "
            f"{manifest.schema_version}; this version knows {SCHEMA_VERSION} at most",
            "Restore it with the version that made it, or a newer one",
        )
    return manifest


def _from_json(stored: dict[str, Any]) -> Manifest:
    collections = tuple(
        CollectionSum(
            one["name"],
            int(one["documents"]),
            FileSum(**one["content"]),
            FileSum(**one["metadata"]),
        )
        for one in stored["collections"]
    )
    inventory = FileSum(**stored["inventory"])
    return Manifest(**{**stored, "collections": collections, "inventory": inventory})


def verify(folder: Path, manifest: Manifest) -> None:
    """Raises `BackupUnusable` for the first file that is not as it was written."""
    for one in manifest.collections:
        require_unchanged(folder, one.content)
        require_unchanged(folder, one.metadata)
    require_unchanged(folder, manifest.inventory)


def require_unchanged(folder: Path, written: FileSum) -> None:
    found = sum_of(folder, written.path)
    if found is None:
        raise BackupUnusable(f"{folder / written.path} is missing")
    if found != written:
        raise BackupUnusable(f"{folder / written.path} is not as it was written")


def prepare_folder(folder: Path, at: datetime) -> None:
    """An empty folder, or what a backup that was killed left in it, which is deleted."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        found = {path.name for path in folder.iterdir()}
    except OSError as error:
        raise BadInput(f"{folder} cannot be used: {error.strerror}") from error
    if found and (UNFINISHED not in found or NAME in found):
        raise BadInput(f"{folder} is not empty", "Name a new folder for each backup")
    (folder / UNFINISHED).write_text(f"begun at {at.isoformat()}\n")
    for name in (DOCUMENTS, OBJECTS, INVENTORY):
        _delete(folder / name)


def _delete(path: Path) -> None:
    if path.is_dir():
        for inner in path.iterdir():
            _delete(inner)
        path.rmdir()
    else:
        path.unlink(missing_ok=True)
