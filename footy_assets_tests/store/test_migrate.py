"""Databases of older versions are upgraded, and what reads them then is the code of today."""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from bson import json_util
from pymongo.database import Database

from footy_assets.clips.explain import clip_row
from footy_assets.clips.store.clips import ClipDocuments, clip_from
from footy_assets.errors import (
    Busy,
    RestoreUnfinished,
    SchemaTooNew,
    SchemaTooOld,
)
from footy_assets.gallery.cards import clip_card
from footy_assets.matchday.rules.fixture import ClosedBy
from footy_assets.matchday.store.documents import fixture_from, goal_from
from footy_assets.matchday.views import event_row, fixture_row
from footy_assets.media.evidence import VerifiedBy
from footy_assets.search.store.videos import VideoStore
from footy_assets.store.audit import AuditLog
from footy_assets.store.collections import CLIPS, EVENTS, FIXTURES, LEASES, META, VIDEOS, Document
from footy_assets.store.leases import Leases
from footy_assets.store.migrate import LEASE, Migration, Progress, upgrade
from footy_assets.store.migrations import SCHEMA_VERSION, STEPS
from footy_assets.store.migrations.step import BulkChange, MigrationStep
from footy_assets.store.schema import SchemaStore, require_current_schema
from footy_assets_tests.fixtures.command import Footy
from footy_assets_tests.forked import exit_code, fork
from footy_assets_tests.store.one_migration import SMALL_BATCH, migrate_and_die

STORED = Path(__file__).parent / "stored_documents"
# As the commits 36c67ed and 53f6126 (0.1.0) stored them.
VERSIONS = ["of_36c67ed", "of_0_1_0"]
NOW = datetime(2025, 5, 10, 18, tzinfo=UTC)


def store_documents(database: Database[Document], version: str) -> Counter[str]:
    """Without a schema version, which there was not."""
    database[META].delete_many({})
    counts: Counter[str] = Counter()
    for line in (STORED / f"{version}.jsonl").read_text().splitlines():
        one = json_util.loads(line)
        database[one["collection"]].insert_one(one["document"])
        counts[one["collection"]] += 1
    return counts


def every_document(database: Database[Document]) -> dict[str, list[Document]]:
    names = sorted(set(database.list_collection_names()) - {META, LEASES})
    return {name: list(database[name].find().sort("_id")) for name in names}


@pytest.fixture(autouse=True)
def _newest_version_for_other_tests(database: Database[Document]) -> Iterator[None]:
    yield
    set_version(database, SCHEMA_VERSION)


def set_version(database: Database[Document], version: int) -> None:
    SchemaStore(database).end_restore({"_id": "schema", "version": version, "steps": []})


@pytest.fixture
def old(database: Database[Document]) -> Database[Document]:
    store_documents(database, "of_0_1_0")
    return database


@pytest.mark.parametrize("version", VERSIONS)
def test_a_database_of_an_older_version_is_read_by_the_code_of_today(
    database: Database[Document], version: str
) -> None:
    counts = store_documents(database, version)
    Migration(database).run()
    require_current_schema(database)
    assert {name: len(found) for name, found in every_document(database).items() if found} == counts

    fixtures = {one["_id"]: fixture_from(one) for one in database[FIXTURES].find()}
    assert [fixtures[id_].closed_by for id_ in (5000, 5001, 5002)] == [
        None,
        ClosedBy.DEADLINE,
        ClosedBy.OPERATOR,
    ]
    assert all(fixture_row(fixture, NOW) for fixture in fixtures.values())
    goals = [goal_from(one) for one in database[EVENTS].find()]
    assert all(event_row(goal, NOW.date()) for goal in goals)
    documents = ClipDocuments(database)
    for stored in database[CLIPS].find():
        card = clip_card(stored, "bucket")
        clip = clip_from(stored)
        assert (clip.verified_by, card.verified_by) == (VerifiedBy.CLOCK, VerifiedBy.CLOCK)
        assert (clip.renditions, clip.has_scorebug) == ((), False)
        assert card.discovered == clip.discovered > 0
        goal = documents.goals.get(clip.goal_key)
        assert goal is not None
        assert clip_row(stored, goal, "bucket")["verified_by"] == "clock"
    assert len(documents.object_keys_of_fixture(5000)) == 9
    assert VideoStore(database).count_without_clip(["too_short"]) == [("too_short", 1)]
    assert AuditLog(database).entries()


def test_a_migration_killed_at_any_write_ends_the_same(
    database: Database[Document], mongo_uri: str
) -> None:
    store_documents(database, "of_0_1_0")
    Migration(database, batch=SMALL_BATCH).run()
    expected = every_document(database)
    for write in range(1, 30):
        for name in every_document(database):
            database[name].delete_many({})
        database[LEASES].delete_many({})
        store_documents(database, "of_0_1_0")
        code = exit_code(fork(migrate_and_die, mongo_uri, database.name, write))
        database[LEASES].update_many({}, {"$set": {"expires_at": NOW}})
        Migration(database, batch=SMALL_BATCH).run()
        assert every_document(database) == expected, write
        assert SchemaStore(database).version() == SCHEMA_VERSION
        names = [one["name"] for one in SchemaStore(database).steps_run()]
        assert names == [step.name for step in STEPS], "each step is recorded once"
        if code == 0:
            break
    assert code == 0, "some migration came to its end"
    assert write > len(STEPS) * 2


def test_two_migrations_at_a_time_do_the_work_once(old: Database[Document]) -> None:
    start = Barrier(2)

    def migrate(_: int) -> int:
        start.wait()
        results = Migration(old, batch=1).run(wait=30.0)
        return sum(sum(result.documents.values()) for result in results)

    with ThreadPoolExecutor(2) as pool:
        changed = list(pool.map(migrate, range(2)))
    assert sorted(changed) == [0, 5]
    assert len(SchemaStore(old).steps_run()) == len(STEPS)


def test_a_second_migration_is_refused_while_one_runs(old: Database[Document]) -> None:
    with Leases(old).hold(LEASE), pytest.raises(Busy, match="migration"):
        Migration(old).run()
    assert SchemaStore(old).version() == 0


def test_progress_is_reported_per_batch(old: Database[Document]) -> None:
    seen: list[Progress] = []
    Migration(old, batch=2).run(seen.append)
    clips = [(one.done, one.total) for one in seen if one.step.version == 1]
    assert clips == [(0, 3), (2, 3), (3, 3)]


def test_documents_that_an_older_process_goes_on_writing_are_an_error(
    old: Database[Document],
) -> None:
    never_done = MigrationStep(
        1, "never", (BulkChange(VIDEOS, {"state": {"$ne": None}}, [{"$set": {"a": 1}}]),)
    )
    with pytest.raises(SchemaTooOld, match="all the time") as caught:
        Migration(old, (never_done,)).run()
    assert "older version" in caught.value.fix
    assert SchemaStore(old).version() == 0


def test_steps_are_numbered_without_gaps_and_say_which_documents_are_done() -> None:
    assert [step.version for step in STEPS] == list(range(1, len(STEPS) + 1))
    assert len({step.name for step in STEPS}) == len(STEPS)


def test_a_new_database_begins_with_the_newest_version(database: Database[Document]) -> None:
    database[META].delete_many({})
    database[VIDEOS].insert_one({"_id": "of a collection that no step touches"})
    require_current_schema(database)
    assert SchemaStore(database).version() == SCHEMA_VERSION


def test_only_a_restored_or_current_database_is_opened(database: Database[Document]) -> None:
    require_current_schema(database)
    schema = SchemaStore(database)
    schema.begin_restore("a backup")
    with pytest.raises(RestoreUnfinished):
        require_current_schema(database)
    set_version(database, SCHEMA_VERSION + 1)
    with pytest.raises(SchemaTooNew, match=f"version {SCHEMA_VERSION + 1}") as caught:
        require_current_schema(database)
    assert "newer" in caught.value.fix
    with pytest.raises(SchemaTooNew):
        Migration(database).run()


def test_footy_up_says_what_it_upgrades(old: Database[Document]) -> None:
    said: list[str] = []
    upgrade(old, said.append, wait=0.0)
    assert said == [
        f"Upgrading the database {old.name}: complete_clips, closed_by",
        "Upgraded to schema version 1: 3 document(s) changed",
        "Upgraded to schema version 2: 2 document(s) changed",
    ]
    said.clear()
    upgrade(old, said.append, wait=0.0)
    assert said == []


# -- the command ------------------------------------------------------------------------------


@pytest.fixture
def forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a new process, which has checked no database yet."""
    monkeypatch.setattr("resources.mongo.connection._checked", set())


def test_migrate_says_what_would_change_then_changes_it(
    old: Database[Document], footy: Footy, forgotten: None
) -> None:
    def result(**more: Any) -> dict[str, Any]:
        steps = [
            {"version": 1, "name": "complete_clips", "documents": {"clips": 3}},
            {"version": 2, "name": "closed_by", "documents": {"fixtures": 2}},
        ]
        return {"from": 0, "newest": 2, "steps": steps, **more}

    refused = footy("clips")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "schema version 0" in refused.stderr
    assert "footy migrate" in refused.stderr
    assert footy.json("migrate", "--dry-run") == result(to=0, dry_run=True)
    assert "would change 3 of clips" in footy("migrate", "--dry-run").stdout
    assert footy.json("migrate") == result(to=2, dry_run=False)
    again = footy.json("migrate")
    assert (again["from"], again["to"], again["steps"]) == (2, 2, [])
    assert footy("migrate").stdout == "Schema version 2, the newest.\n"
    assert len(footy.json("clips")) == 3


@pytest.mark.parametrize("command", [("listen", "--seconds", "1"), ("web",), ("poll",)])
def test_a_newer_database_is_refused_by_every_process(
    database: Database[Document], footy: Footy, forgotten: None, command: tuple[str, ...]
) -> None:
    set_version(database, 99)
    done = footy(*command, FOOTY_SOURCES="bluesky", FOOTY_API_PORT="0")
    assert done.returncode == 1
    assert "schema version 99" in done.stderr
    assert "Install the version that wrote it" in done.stderr
    assert footy("migrate").returncode == 1
