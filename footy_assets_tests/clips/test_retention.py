"""F9, E6: forgetting in the order of safety, on real S3; killed anywhere, then run again."""

from datetime import UTC, date, datetime, timedelta

import pytest
from pymongo.database import Database

from footy_assets.clips.removed_goals import delete_clips_of_removed_goals
from footy_assets.clips.store.clips import ClipDocuments
from footy_assets.clock import ManualClock
from footy_assets.matchday.retention import delete_expired
from footy_assets.matchday.store.retention import RetentionStore
from footy_assets.policies import fixture_deletions
from footy_assets.sim import World, goal, var_cancel
from footy_assets.store.collections import (
    ACTIVATIONS,
    ATTEMPTS,
    MERGED_SNAPSHOTS,
    NOTIFICATIONS,
    PROVIDER_CONFLICTS,
    PROVIDER_MAPPINGS,
    PROVIDER_RECORDS,
    PROVIDER_REPORTS,
    REMOVED_CLIPS,
    SNAPSHOTS,
    TRIGGER_ENTITIES,
    TRIGGER_SCOPES,
    TRIGGERS,
    VIDEOS,
    Document,
)
from footy_assets.store.leases import Leases
from footy_assets_tests.matchday.bench import Bench
from resources.s3.clip_store import ClipStore

KICKOFF = datetime(2025, 5, 10, 12, 0, tzinfo=UTC)
KEEP = timedelta(days=14)
SALAH = goal(30, player=234, name="M. Salah")
OLD, YOUNG = 5000, 50001
CLIPS = (f"{OLD}/{OLD}_40_234_Goal_1/aa.mp4", f"{OLD}/{OLD}_40_234_Goal_1/bb.mp4")
KEPT = f"{YOUNG}/{YOUNG}_40_234_Goal_1/cc.mp4"


@pytest.fixture(scope="session")
def world() -> World:
    return World(date(2025, 5, 10), ())


class Killed(BaseException): ...


@pytest.fixture
def played(bench: Bench, clip_store: ClipStore) -> Bench:
    """Two completed matches with clips, ten days apart."""
    for id_, kickoff in ((OLD, KICKOFF), (YOUNG, KICKOFF + timedelta(days=10))):
        bench.clock.at = kickoff + timedelta(hours=2)
        bench.put(id_, status="FT", kickoff=kickoff, goals=[SALAH])
        bench.track(id_)
        for _ in range(4):
            bench.poll()
    for key in (*CLIPS, KEPT):
        clip_store.put(key, b"clip")
    return bench


def left(bench: Bench, clip_store: ClipStore) -> tuple[list[int], list[str], list[str]]:
    database = bench.store.database
    return (
        sorted(d["_id"] for d in database["fixtures"].find()),
        sorted(d["event_id"] for d in database["events"].find()),
        sorted(clip_store.list_keys()),
    )


def test_F9_a_match_goes_14_days_after_its_completion(
    played: Bench, database: Database[Document], clip_store: ClipStore
) -> None:
    store = RetentionStore(database)
    completed_at = played.fixture(OLD).completed_at
    assert completed_at is not None
    early = ManualClock(completed_at + KEEP - timedelta(seconds=1))
    assert delete_expired(store, clip_store, early, KEEP, fixture_deletions(database)).fixtures == 0
    report = delete_expired(
        store, clip_store, ManualClock(completed_at + KEEP), KEEP, fixture_deletions(database)
    )
    assert (report.fixtures, report.events, report.objects) == (1, 1, 2)
    assert left(played, clip_store) == ([YOUNG], [f"{YOUNG}_40_234_Goal_1"], [KEPT])


def test_F9_a_match_whose_number_begins_alike_is_not_touched(
    played: Bench, database: Database[Document], clip_store: ClipStore
) -> None:
    """5000 goes, 50001 stays."""
    assert str(YOUNG).startswith(str(OLD))
    delete_expired(
        RetentionStore(database),
        clip_store,
        ManualClock(KICKOFF + timedelta(days=15)),
        KEEP,
        fixture_deletions(database),
    )
    assert clip_store.exists(KEPT)


def test_F9_marks_first_objects_next_documents_last(
    played: Bench, database: Database[Document], clip_store: ClipStore
) -> None:
    """When objects go, the mark is set and the documents still stand."""
    seen: list[tuple[bool, int, int]] = []

    class Watching:
        def delete_prefix(self, prefix: str) -> int:
            document = database["fixtures"].find_one({"_id": OLD})
            marked = document is not None and "retiring_at" in document
            deleted = clip_store.delete_prefix(prefix)
            events = database["events"].count_documents({"fixture_id": OLD})
            seen.append((marked, events, len(clip_store.list_keys(prefix))))
            return deleted

    delete_expired(
        RetentionStore(database),
        Watching(),
        ManualClock(KICKOFF + timedelta(days=15)),
        KEEP,
        fixture_deletions(database),
    )
    assert seen == [(True, 1, 0)]


STEPS = ["mark_expired", "marked_fixture_ids", "delete_prefix", "delete_fixture", "delete_before"]


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("step", STEPS)
def test_F9_killed_at_any_step_and_run_again_everything_is_gone(
    played: Bench,
    database: Database[Document],
    clip_store: ClipStore,
    monkeypatch: pytest.MonkeyPatch,
    step: str,
    after: bool,
) -> None:
    store, clock = RetentionStore(database), ManualClock(KICKOFF + timedelta(days=15))
    targets: dict[str, object] = {"delete_prefix": clip_store, "delete_before": store.journal}
    target = targets.get(step, store)
    real = getattr(target, step)

    def dies(*args: object) -> object:
        if after:
            real(*args)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(target, step, dies)
        with pytest.raises(Killed):
            delete_expired(store, clip_store, clock, KEEP, fixture_deletions(database))
    objects = clip_store.list_keys(f"{OLD}/")
    documents = database["fixtures"].count_documents({"_id": OLD})
    assert documents == 1 or objects == [], "an object nobody knows of"
    delete_expired(store, clip_store, clock, KEEP, fixture_deletions(database))
    assert left(played, clip_store) == ([YOUNG], [f"{YOUNG}_40_234_Goal_1"], [KEPT])


# In the order in which they are deleted, room by room.
OF_ROOMS = (
    (ATTEMPTS, VIDEOS),
    ("clips", REMOVED_CLIPS),
    (NOTIFICATIONS, ACTIVATIONS, SNAPSHOTS, TRIGGERS, TRIGGER_ENTITIES, TRIGGER_SCOPES),
    (
        *(PROVIDER_RECORDS, PROVIDER_REPORTS, PROVIDER_MAPPINGS, PROVIDER_CONFLICTS),
        MERGED_SNAPSHOTS,
    ),
)


def put_into_rooms(database: Database[Document], id_: int) -> None:
    """One document for each way that a collection names a match."""
    number = {"fixture_id": id_, "match_id": id_, "key": f"key-{id_}", "public_key": f"key-{id_}"}
    for names in OF_ROOMS:
        for name in names:
            scope = f"game/{id_}"
            ids: Document = {TRIGGER_SCOPES: scope, MERGED_SNAPSHOTS: id_}
            document = {"_id": ids.get(name, f"{name}-{id_}"), "scope_key": scope, "number": 1}
            database[name].insert_one({**number, **document})


def still_there(database: Database[Document], names: tuple[str, ...], id_: int) -> list[str]:
    return [name for name in names if database[name].count_documents({"fixture_id": id_})]


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("room", range(len(OF_ROOMS)))
def test_F9_killed_in_any_room_s_deletion_and_run_again_everything_is_gone(
    played: Bench, database: Database[Document], clip_store: ClipStore, room: int, after: bool
) -> None:
    for id_ in (OLD, YOUNG):
        put_into_rooms(database, id_)
    store, clock = RetentionStore(database), ManualClock(KICKOFF + timedelta(days=15))
    deletions = list(fixture_deletions(database))
    real = deletions[room]

    def dies(fixture_id: int) -> None:
        if after:
            real(fixture_id)
        raise Killed

    deletions[room] = dies
    with pytest.raises(Killed):
        delete_expired(store, clip_store, clock, KEEP, deletions)
    assert clip_store.list_keys(f"{OLD}/") == [], "objects go first"
    for number, names in enumerate(OF_ROOMS):
        gone = number < room or (number == room and after)
        assert still_there(database, names, OLD) == ([] if gone else list(names))
    assert played.store.fixtures_by_id([OLD]), "its mark brings us back"
    delete_expired(store, clip_store, clock, KEEP, fixture_deletions(database))
    assert left(played, clip_store) == ([YOUNG], [f"{YOUNG}_40_234_Goal_1"], [KEPT])
    for names in OF_ROOMS:
        assert still_there(database, names, OLD) == []
        assert still_there(database, names, YOUNG) == list(names)


def test_F9_killed_between_its_documents_the_mark_brings_us_back(
    played: Bench, database: Database[Document], clip_store: ClipStore
) -> None:
    store, clock = RetentionStore(database), ManualClock(KICKOFF + timedelta(days=15))
    store.mark_expired(clock.now(), KEEP)
    database["events"].delete_many({"fixture_id": OLD})
    assert delete_expired(store, clip_store, clock, KEEP, fixture_deletions(database)).fixtures == 1
    assert store.expired(clock.now(), KEEP) == 0


def test_F9_a_match_marked_and_then_reopened_is_not_forgotten(
    played: Bench, database: Database[Document], clip_store: ClipStore
) -> None:
    store, clock = RetentionStore(database), ManualClock(KICKOFF + timedelta(days=15))
    store.mark_expired(clock.now(), KEEP)
    reopened = {"$set": {"state": "staging", "completed_at": None}}
    database["fixtures"].update_one({"_id": OLD}, reopened)
    assert delete_expired(store, clip_store, clock, KEEP, fixture_deletions(database)).fixtures == 0
    database["fixtures"].update_one(
        {"_id": OLD}, {"$set": {"state": "completed", "completed_at": clock.now()}}
    )
    assert delete_expired(store, clip_store, clock, KEEP, fixture_deletions(database)).fixtures == 0
    clock.advance(KEEP.total_seconds())
    delete_expired(store, clip_store, clock, KEEP, fixture_deletions(database))
    assert played.store.fixtures_by_id([OLD]) == {}


def test_F9_a_match_still_active_is_never_forgotten(
    bench: Bench, database: Database[Document], clip_store: ClipStore
) -> None:
    bench.clock.at = KICKOFF
    bench.put(status="1H", kickoff=KICKOFF)
    bench.track()
    delete_expired(
        RetentionStore(database),
        clip_store,
        ManualClock(KICKOFF + timedelta(days=99)),
        KEEP,
        fixture_deletions(database),
    )
    assert bench.fixture().id == OLD


def with_a_goal(bench: Bench) -> None:
    bench.clock.at = KICKOFF + timedelta(minutes=40)
    bench.put(status="1H", kickoff=KICKOFF, goals=[SALAH])
    bench.track()
    bench.poll()


def clear(
    store: RetentionStore, database: Database[Document], clips: ClipStore, clock: ManualClock
) -> int:
    return delete_clips_of_removed_goals(
        store, ClipDocuments(database), Leases(database), clips, clock
    )


def test_E6_what_a_removed_goal_had_in_s3_goes_and_its_tombstone_stays(
    bench: Bench, database: Database[Document], clip_store: ClipStore
) -> None:
    with_a_goal(bench)
    clip_store.put(CLIPS[0], b"clip")
    bench.put_and_poll({"status": "1H", "kickoff": KICKOFF, "events": [var_cancel(30, player=234)]})
    store = RetentionStore(database)
    assert clear(store, database, clip_store, bench.clock) == 1
    assert clip_store.list_keys() == []
    assert [g.removal.reason for g in bench.goals() if g.removal] == ["var"]
    assert store.removed_goals_with_objects() == []
    assert clear(store, database, clip_store, bench.clock) == 0


def test_E6_a_new_goal_under_the_same_identity_keeps_its_clips(
    bench: Bench, database: Database[Document], clip_store: ClipStore
) -> None:
    with_a_goal(bench)
    again = goal(40, player=234, name="M. Salah")
    verdict = var_cancel(30, player=234)
    bench.put_and_poll({"status": "1H", "kickoff": KICKOFF, "goals": [again], "events": [verdict]})
    clip_store.put(CLIPS[0], b"the new goal's")
    assert clear(RetentionStore(database), database, clip_store, bench.clock) == 0
    assert clip_store.exists(CLIPS[0])


def test_E6_killed_after_the_objects_the_tombstone_is_cleared_next_time(
    bench: Bench,
    database: Database[Document],
    clip_store: ClipStore,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with_a_goal(bench)
    clip_store.put(CLIPS[0], b"clip")
    bench.put_and_poll({"status": "1H", "kickoff": KICKOFF, "events": [var_cancel(30, player=234)]})
    store = RetentionStore(database)

    def dies(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(store, "mark_objects_deleted", dies)
        with pytest.raises(Killed):
            clear(store, database, clip_store, bench.clock)
    assert len(store.removed_goals_with_objects()) == 1
    clear(store, database, clip_store, bench.clock)
    assert store.removed_goals_with_objects() == []
