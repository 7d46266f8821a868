"""F9, E6: deletion in a safe order on real S3, killed at any step and then run again."""

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
from footy_assets_tests.matchday.harness import MatchdayHarness
from resources.s3.clip_store import ClipStore

KICKOFF = datetime(2025, 5, 10, 12, 0, tzinfo=UTC)
KEEP = timedelta(days=14)
SALAH = goal(30, player=234, name="M. Salah")
OLD, RECENT = 5000, 50001
CLIPS = (f"{OLD}/{OLD}_40_234_Goal_1/aa.mp4", f"{OLD}/{OLD}_40_234_Goal_1/bb.mp4")
KEPT = f"{RECENT}/{RECENT}_40_234_Goal_1/cc.mp4"


@pytest.fixture(scope="session")
def world() -> World:
    return World(date(2025, 5, 10), ())


class Killed(BaseException): ...


@pytest.fixture
def completed_matches(harness: MatchdayHarness, clip_store: ClipStore) -> MatchdayHarness:
    """Two completed matches with clips, ten days apart."""
    for id_, kickoff in ((OLD, KICKOFF), (RECENT, KICKOFF + timedelta(days=10))):
        harness.clock.at = kickoff + timedelta(hours=2)
        harness.put(id_, status="FT", kickoff=kickoff, goals=[SALAH])
        harness.track(id_)
        for _ in range(4):
            harness.poll()
    for key in (*CLIPS, KEPT):
        clip_store.put(key, b"clip")
    return harness


def stored_state(
    harness: MatchdayHarness, clip_store: ClipStore
) -> tuple[list[int], list[str], list[str]]:
    database = harness.store.database
    return (
        sorted(d["_id"] for d in database["fixtures"].find()),
        sorted(d["event_id"] for d in database["events"].find()),
        sorted(clip_store.list_keys()),
    )


def test_F9_a_match_is_deleted_14_days_after_its_completion(
    completed_matches: MatchdayHarness, database: Database[Document], clip_store: ClipStore
) -> None:
    store = RetentionStore(database)
    completed_at = completed_matches.fixture(OLD).completed_at
    assert completed_at is not None
    early = ManualClock(completed_at + KEEP - timedelta(seconds=1))
    assert delete_expired(store, clip_store, early, KEEP, fixture_deletions(database)).fixtures == 0
    report = delete_expired(
        store, clip_store, ManualClock(completed_at + KEEP), KEEP, fixture_deletions(database)
    )
    assert (report.fixtures, report.events, report.objects) == (1, 1, 2)
    assert stored_state(completed_matches, clip_store) == (
        [RECENT],
        [f"{RECENT}_40_234_Goal_1"],
        [KEPT],
    )


def test_F9_a_match_whose_id_has_the_same_prefix_is_not_touched(
    completed_matches: MatchdayHarness, database: Database[Document], clip_store: ClipStore
) -> None:
    """5000 is deleted, 50001 is kept."""
    assert str(RECENT).startswith(str(OLD))
    delete_expired(
        RetentionStore(database),
        clip_store,
        ManualClock(KICKOFF + timedelta(days=15)),
        KEEP,
        fixture_deletions(database),
    )
    assert clip_store.exists(KEPT)


def test_F9_marks_first_objects_next_documents_last(
    completed_matches: MatchdayHarness, database: Database[Document], clip_store: ClipStore
) -> None:
    """When objects are deleted, the mark is set and the documents still exist."""
    seen: list[tuple[bool, int, int]] = []

    class RecordingClipStore:
        def delete_prefix(self, prefix: str) -> int:
            document = database["fixtures"].find_one({"_id": OLD})
            marked = document is not None and "retiring_at" in document
            deleted = clip_store.delete_prefix(prefix)
            events = database["events"].count_documents({"fixture_id": OLD})
            seen.append((marked, events, len(clip_store.list_keys(prefix))))
            return deleted

    delete_expired(
        RetentionStore(database),
        RecordingClipStore(),
        ManualClock(KICKOFF + timedelta(days=15)),
        KEEP,
        fixture_deletions(database),
    )
    assert seen == [(True, 1, 0)] * 2, "clips, and what is held ahead of stable (SE8)"


STEPS = ["mark_expired", "marked_fixture_ids", "delete_prefix", "delete_fixture", "delete_before"]


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("step", STEPS)
def test_F9_killed_at_any_step_and_run_again_everything_is_deleted(
    completed_matches: MatchdayHarness,
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

    def kill(*args: object) -> object:
        if after:
            real(*args)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(target, step, kill)
        with pytest.raises(Killed):
            delete_expired(store, clip_store, clock, KEEP, fixture_deletions(database))
    objects = clip_store.list_keys(f"{OLD}/")
    documents = database["fixtures"].count_documents({"_id": OLD})
    assert documents == 1 or objects == [], "an object without a document"
    delete_expired(store, clip_store, clock, KEEP, fixture_deletions(database))
    assert stored_state(completed_matches, clip_store) == (
        [RECENT],
        [f"{RECENT}_40_234_Goal_1"],
        [KEPT],
    )


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
    completed_matches: MatchdayHarness,
    database: Database[Document],
    clip_store: ClipStore,
    room: int,
    after: bool,
) -> None:
    for id_ in (OLD, RECENT):
        put_into_rooms(database, id_)
    store, clock = RetentionStore(database), ManualClock(KICKOFF + timedelta(days=15))
    deletions = list(fixture_deletions(database))
    real = deletions[room]

    def kill(fixture_id: int) -> None:
        if after:
            real(fixture_id)
        raise Killed

    deletions[room] = kill
    with pytest.raises(Killed):
        delete_expired(store, clip_store, clock, KEEP, deletions)
    assert clip_store.list_keys(f"{OLD}/") == [], "objects go first"
    for number, names in enumerate(OF_ROOMS):
        gone = number < room or (number == room and after)
        assert still_there(database, names, OLD) == ([] if gone else list(names))
    assert completed_matches.store.fixtures_by_id([OLD]), "its mark brings us back"
    delete_expired(store, clip_store, clock, KEEP, fixture_deletions(database))
    assert stored_state(completed_matches, clip_store) == (
        [RECENT],
        [f"{RECENT}_40_234_Goal_1"],
        [KEPT],
    )
    for names in OF_ROOMS:
        assert still_there(database, names, OLD) == []
        assert still_there(database, names, RECENT) == list(names)


def test_F9_killed_between_two_documents_the_deletion_resumes_by_its_mark(
    completed_matches: MatchdayHarness, database: Database[Document], clip_store: ClipStore
) -> None:
    store, clock = RetentionStore(database), ManualClock(KICKOFF + timedelta(days=15))
    store.mark_expired(clock.now(), KEEP)
    database["events"].delete_many({"fixture_id": OLD})
    assert delete_expired(store, clip_store, clock, KEEP, fixture_deletions(database)).fixtures == 1
    assert store.expired(clock.now(), KEEP) == 0


def test_F9_a_match_marked_and_then_reopened_is_not_deleted(
    completed_matches: MatchdayHarness, database: Database[Document], clip_store: ClipStore
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
    assert completed_matches.store.fixtures_by_id([OLD]) == {}


def test_F9_an_active_match_is_never_deleted(
    harness: MatchdayHarness, database: Database[Document], clip_store: ClipStore
) -> None:
    harness.clock.at = KICKOFF
    harness.put(status="1H", kickoff=KICKOFF)
    harness.track()
    delete_expired(
        RetentionStore(database),
        clip_store,
        ManualClock(KICKOFF + timedelta(days=99)),
        KEEP,
        fixture_deletions(database),
    )
    assert harness.fixture().id == OLD


def poll_a_goal(harness: MatchdayHarness) -> None:
    harness.clock.at = KICKOFF + timedelta(minutes=40)
    harness.put(status="1H", kickoff=KICKOFF, goals=[SALAH])
    harness.track()
    harness.poll()


def delete_removed(
    store: RetentionStore, database: Database[Document], clips: ClipStore, clock: ManualClock
) -> int:
    return delete_clips_of_removed_goals(
        store, ClipDocuments(database), Leases(database), clips, clock
    )


def test_E6_objects_of_a_removed_goal_are_deleted_and_its_tombstone_is_kept(
    harness: MatchdayHarness, database: Database[Document], clip_store: ClipStore
) -> None:
    poll_a_goal(harness)
    clip_store.put(CLIPS[0], b"clip")
    harness.put_and_poll(
        {"status": "1H", "kickoff": KICKOFF, "events": [var_cancel(30, player=234)]}
    )
    store = RetentionStore(database)
    assert delete_removed(store, database, clip_store, harness.clock) == 1
    assert clip_store.list_keys() == []
    assert [g.removal.reason for g in harness.goals() if g.removal] == ["var"]
    assert store.removed_goals_with_objects() == []
    assert delete_removed(store, database, clip_store, harness.clock) == 0


def test_E6_a_new_goal_under_the_same_identity_keeps_its_clips(
    harness: MatchdayHarness, database: Database[Document], clip_store: ClipStore
) -> None:
    poll_a_goal(harness)
    again = goal(40, player=234, name="M. Salah")
    verdict = var_cancel(30, player=234)
    harness.put_and_poll(
        {"status": "1H", "kickoff": KICKOFF, "goals": [again], "events": [verdict]}
    )
    clip_store.put(CLIPS[0], b"the new goal's")
    assert delete_removed(RetentionStore(database), database, clip_store, harness.clock) == 0
    assert clip_store.exists(CLIPS[0])


def test_E6_killed_after_the_objects_the_tombstone_is_cleared_next_time(
    harness: MatchdayHarness,
    database: Database[Document],
    clip_store: ClipStore,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    poll_a_goal(harness)
    clip_store.put(CLIPS[0], b"clip")
    harness.put_and_poll(
        {"status": "1H", "kickoff": KICKOFF, "events": [var_cancel(30, player=234)]}
    )
    store = RetentionStore(database)

    def kill(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(store, "mark_objects_deleted", kill)
        with pytest.raises(Killed):
            delete_removed(store, database, clip_store, harness.clock)
    assert len(store.removed_goals_with_objects()) == 1
    delete_removed(store, database, clip_store, harness.clock)
    assert store.removed_goals_with_objects() == []
