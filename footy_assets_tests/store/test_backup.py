"""Backups on real servers: what is restored is what was backed up, to the byte."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from bson import decode_file_iter, json_util
from bson.codec_options import CodecOptions
from bson.int64 import Int64
from bson.raw_bson import RawBSONDocument
from pymongo.database import Database
from pymongo.errors import OperationFailure

from footy_assets.errors import BackupUnusable, BadInput, DatabaseNotEmpty, SchemaTooNew
from footy_assets.store.backup import dump
from footy_assets.store.backup.dump import indexes_of
from footy_assets.store.backup.manifest import read_manifest
from footy_assets.store.backup.run import back_up, restore
from footy_assets.store.collections import (
    CLIPS,
    EVENTS,
    FIXTURES,
    LEASES,
    VIDEOS,
    Document,
    has_indexes,
)
from footy_assets.store.leases import Leases
from footy_assets.store.migrations import SCHEMA_VERSION
from footy_assets.store.schema import require_current_schema
from footy_assets_tests.clips.clip_harness import ClipHarness
from footy_assets_tests.fixtures.command import Footy
from footy_assets_tests.forked import exit_code, fork
from footy_assets_tests.matchday.goals import put_goal
from footy_assets_tests.store.one_backup import back_up_and_die, quiet, restore_and_die
from resources.embedded.weed import S3Server
from resources.s3.clip_store import ClipStore

pytestmark = pytest.mark.slow

NOW = datetime(2025, 5, 10, 18, tzinfo=UTC)
RAW = CodecOptions(document_class=RawBSONDocument)
ODD = "1/ünï cøde/50% +=&.jpg"


@pytest.fixture
def other(database: Database[Document]) -> Iterator[Database[Document]]:
    """An empty database without collections, beside the first."""
    name = f"restored_{uuid4().hex[:8]}"
    yield database.client[name]
    database.client.drop_database(name)


@pytest.fixture
def other_bucket(s3_client: Any) -> Iterator[ClipStore]:
    store = ClipStore(s3_client, f"restored-{uuid4().hex}")
    yield store
    if store._has_bucket():
        for key in store.list_keys():
            store.delete(key)
        s3_client.delete_bucket(Bucket=store.bucket)


@pytest.fixture
def filled(database: Database[Document], clip_store: ClipStore) -> Database[Document]:
    """A little of everything, without clips of films."""
    database[FIXTURES].insert_many([{"_id": n, "state": "active"} for n in range(2500)])
    database[VIDEOS].insert_one({"_id": "v", "likes": Int64(7), "at": NOW, "z": 1, "a": [None]})
    clip_store.put("5000/e/1.mp4", b"one" * 100, content_type="video/mp4", metadata={"goal": "né"})
    clip_store.put(ODD, b"two", tags={"keep": "a b&c"})
    clip_store.put("5000/e/3.mp4", b"two")
    clip_store.put("compute-logs/run/stdout", b"of Dagster")
    return database


def documents(database: Database[Document]) -> dict[str, list[bytes]]:
    return {
        name: [bytes(one.raw) for one in database.get_collection(name, RAW).find().sort("_id")]
        for name in sorted(set(database.list_collection_names()) - {LEASES})
    }


def indexes(database: Database[Document]) -> dict[str, list[Document]]:
    names = sorted(set(database.list_collection_names()) - {LEASES})
    return {name: indexes_of(database, name) for name in names}


def objects(store: ClipStore) -> dict[str, tuple[Any, ...]]:
    found = {}
    for key in store.list_keys():
        head = store.head(key)
        assert head is not None
        facts = (head.size, head.etag, head.content_type, dict(head.metadata), store.tags(key))
        found[key] = (*facts, store.get(key))
    return found


def make_backup(
    database: Database[Document], store: ClipStore, folder: Path, copy: bool = True
) -> Path:
    back_up(database, store, folder, NOW, with_objects=copy, say=quiet)
    return folder


def test_a_database_with_clips_is_restored_into_an_empty_one_and_an_empty_bucket(
    database: Database[Document],
    clip_store: ClipStore,
    other: Database[Document],
    other_bucket: ClipStore,
    tmp_path: Path,
) -> None:
    put_goal(database)
    harness = ClipHarness(database, clip_store, tmp_path / "work")
    harness.choose(good=5, angle=2)
    harness.run()
    assert len(harness.clips()) == 2
    with Leases(database).hold("upload-1"):
        folder = make_backup(database, clip_store, tmp_path / "backup")
    manifest, report = restore(other, other_bucket, folder, force=False, say=quiet)

    assert manifest.snapshot
    assert documents(other) == documents(database)
    assert indexes(other) == indexes(database)
    assert has_indexes(other)
    require_current_schema(other)
    assert objects(other_bucket) == objects(clip_store)
    assert (report.restored, report.missing, report.different) == (6, [], [])
    assert Leases(other).take("upload-1") is not None, "no lease is restored"
    elsewhere = ClipHarness(other, other_bucket, tmp_path / "elsewhere")
    assert elsewhere.end_state() == harness.end_state()


def test_files_are_those_of_mongodump(
    filled: Database[Document], clip_store: ClipStore, tmp_path: Path
) -> None:
    folder = make_backup(filled, clip_store, tmp_path / "backup")
    dumped = folder / "mongo" / filled.name
    with (dumped / "videos.bson").open("rb") as file:
        (video,) = decode_file_iter(file, RAW)
    assert bytes(video.raw) == documents(filled)[VIDEOS][0]
    text = (dumped / "events.metadata.json").read_text()
    written = json.loads(text)
    assert set(written) == {"options", "indexes", "uuid", "collectionName", "type"}
    assert written["indexes"][0] == {
        "v": {"$numberInt": "2"},
        "key": {"_id": {"$numberInt": "1"}},
        "name": "_id_",
    }
    assert json_util.loads(text)["indexes"] == indexes(filled)[EVENTS]
    assert not (dumped / "leases.bson").exists()


def test_the_inventory_has_each_object_with_metadata_and_tags(
    filled: Database[Document], clip_store: ClipStore, tmp_path: Path
) -> None:
    folder = make_backup(filled, clip_store, tmp_path / "backup", copy=False)
    lines = [json.loads(line) for line in (folder / "objects.jsonl").read_text().splitlines()]
    by_key = {line["key"]: line for line in lines}
    assert set(by_key) == {"5000/e/1.mp4", "5000/e/3.mp4", ODD}, "logs of Dagster are left out"
    assert by_key["5000/e/1.mp4"]["metadata"] == {"goal": "né"}
    assert by_key[ODD]["tags"] == {"keep": "a b&c"}
    assert by_key["5000/e/1.mp4"]["size"] == 300
    assert not (folder / "objects").exists()


def test_objects_that_the_bucket_lacks_are_reported(
    filled: Database[Document],
    clip_store: ClipStore,
    other: Database[Document],
    tmp_path: Path,
) -> None:
    folder = make_backup(filled, clip_store, tmp_path / "backup", copy=False)
    clip_store.delete(ODD)
    clip_store.put("5000/e/3.mp4", b"TWO")
    _, report = restore(other, clip_store, folder, force=False, say=quiet)
    assert (report.expected, report.present, report.restored) == (3, 1, 0)
    assert (report.missing, report.different) == ([ODD], ["5000/e/3.mp4"])
    assert len(documents(other)[FIXTURES]) == 2500


def test_a_backup_is_as_of_one_moment(
    filled: Database[Document],
    clip_store: ClipStore,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A clip and its goal that are written while collections are read are in it both or neither."""
    made = dump._dump_collection

    def writing(database: Database[Document], info: dict[str, Any], *more: Any) -> Any:
        result = made(database, info, *more)
        if info["name"] == CLIPS:
            database[CLIPS].insert_one({"_id": "late", "key": "k", "public_key": "k"})
            database[EVENTS].insert_one({"_id": "late"})
        return result

    monkeypatch.setattr(dump, "_dump_collection", writing)
    folder = make_backup(filled, clip_store, tmp_path / "backup")
    counts = {one.name: one.documents for one in read_manifest(folder).collections}
    assert (counts[CLIPS], counts[EVENTS]) == (0, 0)


def test_without_snapshots_a_backup_is_made_and_says_so(
    filled: Database[Document],
    clip_store: ClipStore,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = dump._dump

    def too_old(database: Any, root: Path, session: Any) -> Any:
        if session is not None:
            made(database, root, session)
            raise OperationFailure("the snapshot is too old", 239)
        return made(database, root, session)

    monkeypatch.setattr(dump, "_dump", too_old)
    folder = make_backup(filled, clip_store, tmp_path / "backup")
    assert not read_manifest(folder).snapshot


def test_a_database_with_documents_is_replaced_by_force_only(
    filled: Database[Document], clip_store: ClipStore, other: Database[Document], tmp_path: Path
) -> None:
    folder = make_backup(filled, clip_store, tmp_path / "backup")
    other["of_somebody_else"].insert_one({"_id": 1})
    with pytest.raises(DatabaseNotEmpty, match="of_somebody_else") as caught:
        restore(other, clip_store, folder, force=False, say=quiet)
    assert "--force" in caught.value.fix
    assert set(other.list_collection_names()) == {"of_somebody_else", LEASES}
    restore(other, clip_store, folder, force=True, say=quiet)
    assert documents(other) == documents(filled)


@pytest.mark.parametrize("damage", ["changed", "missing", "object"])
def test_a_damaged_backup_is_refused_before_anything_is_changed(
    filled: Database[Document],
    clip_store: ClipStore,
    other: Database[Document],
    tmp_path: Path,
    damage: str,
) -> None:
    folder = make_backup(filled, clip_store, tmp_path / "backup")
    path = folder / "mongo" / filled.name / "fixtures.bson"
    if damage == "object":
        path = next(one for one in (folder / "objects").rglob("*") if one.is_file())
    if damage == "missing":
        path.unlink()
    else:
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
    with pytest.raises(BackupUnusable, match=path.name):
        restore(other, clip_store, folder, force=True, say=quiet)
    assert other.list_collection_names() == []


def test_folders_that_are_no_backup_of_ours_are_refused(
    filled: Database[Document], clip_store: ClipStore, tmp_path: Path
) -> None:
    folder = make_backup(filled, clip_store, tmp_path / "backup")
    with pytest.raises(BadInput, match="not empty"):
        make_backup(filled, clip_store, folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    newer = manifest | {"schema_version": SCHEMA_VERSION + 1}
    (folder / "manifest.json").write_text(json.dumps(newer))
    with pytest.raises(SchemaTooNew):
        read_manifest(folder)
    (folder / "manifest.json").write_text("{}")
    with pytest.raises(BackupUnusable, match="not a manifest"):
        read_manifest(folder)
    with pytest.raises(BackupUnusable, match=r"no manifest\.json"):
        read_manifest(tmp_path)


# -- killed half-way --------------------------------------------------------------------------


def options(database: Database[Document], store: ClipStore, uri: str, s3: S3Server) -> Any:
    return {
        "uri": uri,
        "database": database.name,
        "s3": s3.endpoint_url,
        "access": s3.access_key_id,
        "secret": s3.secret_access_key,
        "bucket": store.bucket,
    }


@pytest.mark.parametrize("files", [1, 40])
def test_a_killed_backup_is_refused_and_can_be_made_again_in_its_folder(
    filled: Database[Document],
    clip_store: ClipStore,
    mongo_uri: str,
    s3: S3Server,
    tmp_path: Path,
    files: int,
) -> None:
    folder = tmp_path / "backup"
    given = options(filled, clip_store, mongo_uri, s3)
    assert exit_code(fork(back_up_and_die, given, str(folder), files)) == -9
    with pytest.raises(BackupUnusable, match="not finished"):
        read_manifest(folder)
    make_backup(filled, clip_store, folder)
    assert read_manifest(folder).documents == 2502


@pytest.mark.parametrize("collections", [1, 2, 0])
def test_a_killed_restore_keeps_others_out_and_is_run_again(
    filled: Database[Document],
    clip_store: ClipStore,
    other: Database[Document],
    other_bucket: ClipStore,
    mongo_uri: str,
    s3: S3Server,
    tmp_path: Path,
    collections: int,
) -> None:
    folder = make_backup(filled, clip_store, tmp_path / "backup")
    given = options(other, other_bucket, mongo_uri, s3)
    assert exit_code(fork(restore_and_die, given, str(folder), collections)) == -9
    with pytest.raises(Exception, match="being restored"):
        require_current_schema(other)
    other[LEASES].update_many({}, {"$set": {"expires_at": datetime(2000, 1, 1, tzinfo=UTC)}})
    restore(other, other_bucket, folder, force=False, say=quiet)
    require_current_schema(other)
    assert documents(other) == documents(filled)
    assert indexes(other) == indexes(filled)
    assert set(objects(other_bucket)) == {"5000/e/1.mp4", "5000/e/3.mp4", ODD}


# -- the commands -----------------------------------------------------------------------------


def test_the_commands_back_up_and_restore(
    filled: Database[Document],
    clip_store: ClipStore,
    other: Database[Document],
    footy: Footy,
    s3: S3Server,
    tmp_path: Path,
) -> None:
    in_s3 = {
        "FOOTY_S3_ENDPOINT_URL": s3.endpoint_url,
        "FOOTY_S3_ACCESS_KEY_ID": s3.access_key_id,
        "FOOTY_S3_SECRET_ACCESS_KEY": s3.secret_access_key,
        "FOOTY_S3_BUCKET": clip_store.bucket,
    }
    folder = str(tmp_path / "backup")
    done = footy("backup", folder, "--json", **in_s3)
    made = json.loads(done.stdout)
    assert (made["documents"], made["objects"], made["snapshot"]) == (2502, 3, True)
    assert made["collections"][FIXTURES] == 2500

    refused = footy("restore", folder, **in_s3)
    assert refused.returncode == 2
    assert "has documents" in refused.stderr
    into = {**in_s3, "FOOTY_MONGO_DATABASE": other.name}
    restored = footy("restore", folder, "--json", **into)
    assert restored.returncode == 0
    assert json.loads(restored.stdout)["comparison"] == {
        "expected": 3,
        "present": 3,
        "restored": 0,
        "missing": [],
        "different": [],
    }
    assert documents(other) == documents(filled)
    clip_store.delete(ODD)
    short = footy("restore", folder, "--force", **into)
    assert short.returncode == 1
    assert f"missing: {ODD}" in short.stdout
    assert footy("restore", str(tmp_path / "nowhere"), **into).returncode == 4
