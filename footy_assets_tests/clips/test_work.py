"""The outcome of chosen videos: rules D and H on real servers and real files."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from pymongo.database import Database

from footy_assets.clips.audit import (
    CHECKS,
    documents_and_objects_agree,
    footage_is_of_one_goal,
)
from footy_assets.clips.removed_goals import (
    delete_clips_of_removed_goals,
    relabel_clips_of_renamed_goals,
)
from footy_assets.clips.store.clips import ClipDocuments
from footy_assets.errors import Busy, DownloadCause, DownloadFailed, DownloadUnavailable
from footy_assets.findings import Finding
from footy_assets.matchday.retention import delete_expired
from footy_assets.matchday.rules.goal import FormerIdentity, RenameReason
from footy_assets.matchday.rules.sighting import Player
from footy_assets.matchday.store.documents import goal_document, goal_from
from footy_assets.matchday.store.retention import RetentionStore
from footy_assets.policies import fixture_deletions
from footy_assets.store.collections import CLIPS, EVENTS, Document
from footy_assets.store.leases import Leases
from footy_assets_tests.clips.clip_harness import ClipHarness
from footy_assets_tests.matchday.goals import GOAL, STABLE, put_goal
from resources.s3.clip_store import ClipStore


@pytest.fixture
def harness(database: Database[Document], clip_store: ClipStore, tmp_path: Path) -> ClipHarness:
    put_goal(database)
    return ClipHarness(database, clip_store, tmp_path)


def test_h7_the_key_and_metadata_of_a_clip_name_its_match_and_goal(harness: ClipHarness) -> None:
    harness.choose(large=5)
    harness.run()
    (clip,) = harness.clips()
    assert clip["key"] == f"5000/{GOAL.event_id}/{clip['md5'][:16]}.mp4"
    stored = harness.objects.head(clip["key"])
    assert stored.content_type == "video/mp4"
    assert dict(stored.metadata) == {
        "event": GOAL.event_id,
        "fixture": "5000",
        "player": "Mohamed Salah",
        "team": "40",
        "minute": "30",
        "source-url": "https://x.test/x:large",
        "duration": "6",
        "size": str(stored.size),
        "hash-version": "1",
    }
    stem = clip["key"].removesuffix(".mp4")
    assert harness.objects.get(f"{stem}.jpg")[:3] == b"\xff\xd8\xff"
    assert len(harness.objects.get(f"{stem}.thumb.jpg")) < len(harness.objects.get(f"{stem}.jpg"))
    assert harness.videos() == {"x:large": "taken"}


def test_d3_exact_duplicates_are_one_clip_with_popularity_added(harness: ClipHarness) -> None:
    harness.choose_video("x:1", "good", 20)
    harness.choose_video("x:2", "good", 5)
    harness.run()
    (clip,) = harness.clips()
    assert clip["popularity"] == 25
    assert harness.videos() == {"x:1": "taken", "x:2": "duplicate"}


def test_h2_copies_become_one_clip_and_another_angle_its_own(harness: ClipHarness) -> None:
    harness.choose(good=4, small=2, cropped=3, angle=1)
    harness.run()
    assert [clip["popularity"] for clip in harness.clips()] == [9, 1]
    assert harness.videos() == {
        "x:angle": "taken",
        "x:cropped": "duplicate",
        "x:good": "taken",
        "x:small": "duplicate",
    }


def test_h3_a_better_copy_replaces_the_clip_and_h4_its_address_stays(
    harness: ClipHarness,
) -> None:
    harness.choose(good=5)
    harness.run()
    (before,) = harness.clips()
    harness.choose(large=7)
    harness.run()
    (after,) = harness.clips()
    assert after["_id"] == before["_id"]
    assert after["public_key"] == before["public_key"]
    assert after["key"] != before["key"]
    assert after["width"] == 480
    assert after["popularity"] == 12
    assert not harness.objects.exists(before["key"])
    assert len(harness.objects.list_keys()) == 3, "the clip, its poster and its thumbnail"


def test_h3_a_worse_copy_found_later_only_adds_its_popularity(harness: ClipHarness) -> None:
    harness.choose(large=5)
    harness.run()
    (before,) = harness.clips()
    harness.choose(good=7)
    harness.run()
    (after,) = harness.clips()
    assert (after["md5"], after["popularity"]) == (before["md5"], 12)
    assert harness.videos() == {"x:good": "duplicate", "x:large": "taken"}


def test_h6_ranks_are_a_permutation_and_follow_discoveries_then_popularity(
    harness: ClipHarness,
) -> None:
    harness.choose(good=1, angle=4)
    harness.run()
    assert [(c["rank"], c["popularity"]) for c in harness.clips()] == [(1, 4), (2, 1)]
    harness.choose(cropped=0)
    harness.run()
    assert [(c["rank"], c["popularity"]) for c in harness.clips()] == [(1, 1), (2, 4)], "two posts"


def test_d2_a_refused_video_is_kept_with_its_reason_and_number(
    harness: ClipHarness, database: Database[Document]
) -> None:
    harness.choose(short=1)
    harness.run()
    video = database["videos"].find_one({"video_id": "x:short"}) or {}
    assert (video["state"], video["reason"]) == ("refused", "too_short")
    assert (video["measured"], video["limit"]) == (2.0, 3.0)
    assert not harness.clips()


def test_d1_a_permanent_failure_refuses_the_video_at_once(harness: ClipHarness) -> None:
    harness.choose(good=1, angle=1)
    harness.host.failing["angle"] = DownloadFailed("HTTP Error 451", DownloadCause.GEO_BLOCKED)
    harness.run()
    assert harness.videos() == {"x:angle": "refused", "x:good": "taken"}
    assert harness.reason("x:angle") == "geo_blocked"


def test_d1_a_transient_failure_keeps_the_video_chosen_for_three_tries(
    harness: ClipHarness,
) -> None:
    harness.choose(good=1)
    harness.host.failing["good"] = DownloadUnavailable("HTTP Error 503", DownloadCause.UNAVAILABLE)
    harness.run()
    assert harness.videos() == {"x:good": "chosen"}
    for _ in range(3):
        harness.run()
    assert harness.videos() == {"x:good": "failed"}
    assert harness.reason("x:good") == "not finished in 3 tries"


def test_v1_a_file_that_is_no_video_is_refused_and_stops_no_other(harness: ClipHarness) -> None:
    harness.choose(garbage=1, good=1)
    harness.run()
    assert harness.videos() == {"x:garbage": "refused", "x:good": "taken"}
    assert harness.reason("x:garbage") == "not_a_video"


def test_se2_the_attempt_counts_when_its_videos_are_settled(
    harness: ClipHarness, database: Database[Document]
) -> None:
    database["attempts"].insert_one({"_id": f"{GOAL.key}:1", "goal_key": GOAL.key, "number": 1})
    harness.choose(good=1, small=1)
    harness.run()
    assert goal_from(database[EVENTS].find_one({}) or {}).attempts_counted == 1


def test_h5_one_upload_per_goal_at_a_time(
    harness: ClipHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("footy_assets.clips.publish.UPLOAD_LEASE_WAIT_SECONDS", 0.0)
    harness.choose(good=1)
    work = harness.work()
    with work.leases.hold(f"upload-{GOAL.key}"), pytest.raises(Busy):
        harness.run(work)
    assert harness.videos() == {"x:good": "chosen"}, "H4: the batch is left due, nothing uploaded"
    assert not harness.objects.list_keys()
    harness.run()
    assert harness.videos() == {"x:good": "taken"}


def test_h4_a_dedup_failure_leaves_the_batch_due(
    harness: ClipHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.choose(good=1)
    harness.run()
    harness.choose(large=1, angle=1)

    def broken(*_: object) -> None:
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr("footy_assets.clips.publish.compare", broken)
        with pytest.raises(MemoryError):
            harness.run()
    assert len(harness.clips()) == 1
    assert harness.videos()["x:large"] == "chosen"
    harness.run()
    assert len(harness.clips()) == 2


def test_e6_a_goal_removed_meanwhile_gets_no_clip(harness: ClipHarness) -> None:
    harness.choose(good=1)
    work = harness.work()
    goal = work.documents.goals.get(GOAL.key)
    assert goal is not None
    with work.batch(goal, "run-1") as batch:
        work.load_videos(batch)
        part = work.finish_one(batch, lambda _: None, until="dedup_video")
        harness.remove_goal()
        work.publish(part, lambda _: None)
        work.settle(batch)
    assert not harness.clips()
    assert not harness.objects.list_keys()
    assert harness.reason("x:good") == "the goal was removed"


def test_h8_nothing_stays_on_disk(harness: ClipHarness, tmp_path: Path) -> None:
    harness.choose(good=1, garbage=1)
    harness.run()
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_an_object_without_a_document_is_deleted(harness: ClipHarness) -> None:
    harness.objects.put(f"5000/{GOAL.event_id}/0123456789abcdef.mp4", b"orphan")
    harness.choose(good=1)
    harness.run()
    (clip,) = harness.clips()
    assert [k for k in harness.objects.list_keys() if k.endswith(".mp4")] == [clip["key"]]
    assert harness.objects.head(clip["key"]).size == clip["size"]


def test_e6_a_removed_goal_s_clips_go_objects_first(
    harness: ClipHarness, database: Database[Document]
) -> None:
    harness.choose(good=1, angle=1)
    harness.run()
    harness.remove_goal()
    database[EVENTS].update_one({}, {"$set": {"objects_left": True}})
    store, documents = RetentionStore(database), ClipDocuments(database)
    delete_clips_of_removed_goals(
        store, documents, Leases(database), harness.objects, harness.clock
    )
    assert not harness.objects.list_keys()
    assert not harness.clips()
    assert not harness.videos()
    assert database[EVENTS].count_documents({}) == 1, "the tombstone stays"


def test_e5_clips_move_with_a_renamed_goal_and_stay_where_they_are(
    harness: ClipHarness, database: Database[Document]
) -> None:
    harness.choose(good=1)
    harness.run()
    (before,) = harness.clips()
    former = FormerIdentity(GOAL.event_id, STABLE, "p9", RenameReason.REATTRIBUTED)
    renamed = replace(
        GOAL, event_id="5000_40_7_Goal_1", player=Player(7, "Luis Díaz"), formerly=(former,)
    )
    database[EVENTS].update_one({}, {"$set": goal_document(renamed)})
    documents = ClipDocuments(database)
    assert relabel_clips_of_renamed_goals(documents, harness.objects) == 1
    assert relabel_clips_of_renamed_goals(documents, harness.objects) == 0
    (after,) = harness.clips()
    assert (after["key"], after["event_id"]) == (before["key"], "5000_40_7_Goal_1")
    relabelled = harness.objects.head(after["key"])
    assert (relabelled.metadata["event"], relabelled.metadata["player"]) == (
        "5000_40_7_Goal_1",
        "Luis Díaz",
    )
    assert (relabelled.size, relabelled.content_type) == (after["size"], "video/mp4")
    harness.choose(large=3)
    harness.run()
    (better,) = harness.clips()
    assert better["_id"] == before["_id"], "a copy found later is still the same clip"
    assert better["public_key"] == before["public_key"]
    assert len(harness.objects.list_keys()) == 3


def test_f9_retention_deletes_clips_videos_and_attempts(
    harness: ClipHarness, database: Database[Document]
) -> None:
    harness.choose(good=1)
    harness.run()
    database["attempts"].insert_one({"_id": "a", "fixture_id": GOAL.fixture_id})
    database["fixtures"].update_one(
        {}, {"$set": {"state": "completed", "completed_at": STABLE - timedelta(days=20)}}
    )
    store, keep = RetentionStore(database), timedelta(days=14)
    delete_expired(store, harness.objects, harness.clock, keep, fixture_deletions(database))
    assert not harness.objects.list_keys()
    for name in ("clips", "videos", "attempts", "events", "fixtures"):
        assert database[name].count_documents({}) == 0, name


def test_the_asset_checks_find_each_fault(
    harness: ClipHarness, database: Database[Document]
) -> None:
    harness.choose(good=1, angle=4)
    harness.run()
    documents = ClipDocuments(database)

    def wrong() -> set[str]:
        return {q.__name__ for q in CHECKS if not q(documents, harness.objects, GOAL).passed}

    assert wrong() == set()
    first, second = harness.clips()
    database["clips"].update_one({"_id": first["_id"]}, {"$set": {"rank": 2, "verified": False}})
    assert wrong() == {"ranks_are_a_permutation"}
    database["clips"].update_one({"_id": second["_id"]}, {"$set": {"verified": False}})
    stored = database["clips"].find_one({"_id": first["_id"]}) or {}
    same_footage = {"fingerprint": stored["fingerprint"]}
    database["clips"].update_one({"_id": second["_id"]}, {"$set": same_footage})
    elsewhere = {"_id": "copy", "goal_key": "the-other-goal", "key": "k", "public_key": "k"}
    database["clips"].insert_one({**stored, **elsewhere})
    harness.objects.delete(first["key"])
    assert wrong() == {q.__name__ for q in CHECKS}
    harness.objects.put(f"5000/{GOAL.event_id}/orphan.mp4", b"x")
    assert "orphan.mp4" in str(
        documents_and_objects_agree(documents, harness.objects, GOAL).details
    )


def test_v7_footage_of_another_goal_is_refused_unless_it_is_verified_here(
    harness: ClipHarness,
) -> None:
    harness.choose(good=5)
    harness.run()
    (stored,) = harness.clips()
    harness.database[CLIPS].update_one({}, {"$set": {"goal_key": "the-other-goal"}})
    harness.choose_video("x:small", "small")
    harness.choose_video("x:angle", "angle")
    harness.run()
    assert harness.videos() == {"x:angle": "taken", "x:good": "taken", "x:small": "refused"}
    assert harness.reason("x:small") == "the footage of another goal"
    assert footage(harness).passed
    harness.choose_video("x:large", "large")
    harness.run()
    assert harness.videos()["x:large"] == "taken"
    found = footage(harness)
    assert not found.passed
    assert [other for _, other in found.details["pairs"]] == [stored["key"]]


def footage(harness: ClipHarness) -> Finding:
    return footage_is_of_one_goal(ClipDocuments(harness.database), harness.objects, GOAL)
