"""P5: operator actions, each recorded with who and why."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from pymongo.database import Database

from footy_assets.clips.operator_actions import remove_clip, rerank, revalidate
from footy_assets.clock import ManualClock
from footy_assets.errors import BadInput, Busy, NotFound
from footy_assets.matchday.ingest import Ingest
from footy_assets.matchday.operator_actions import close_fixture, ingest_day, ingest_ids
from footy_assets.matchday.rules.fixture import ClosedBy
from footy_assets.matchday.rules.statuses import FixtureState
from footy_assets.matchday.store.documents import goal_from
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.matchday.tracking import TrackingPolicy
from footy_assets.media import Scan
from footy_assets.media.examine import FileExaminer
from footy_assets.media.goal_facts import GoalFacts
from footy_assets.media.validation import Refusal, RefusalReason, ValidationResult
from footy_assets.operator_actions import OperatorAction
from footy_assets.search.operator_actions import search_now
from footy_assets.search.searcher import Searcher, SearchRules
from footy_assets.search.store.searches import SearchStore
from footy_assets.search.store.site_health import SiteHealth
from footy_assets.search.store.videos import VideoStore
from footy_assets.search.sweep import Sweep
from footy_assets.sim import SimServer
from footy_assets.store.audit import AuditLog
from footy_assets.store.collections import CLIPS, EVENTS, VIDEOS, Document
from footy_assets_tests.clips.clip_harness import LENIENT, ClipHarness, no_log_lines
from footy_assets_tests.matchday.goals import GOAL, STABLE, put_goal
from footy_assets_tests.media.cells import shared_cell
from footy_assets_tests.search.test_searcher import FakeSite, aliases, post
from resources.api_football.client import ApiFootball
from resources.s3.clip_store import ClipStore


@pytest.fixture
def harness(database: Database[Document], clip_store: ClipStore, tmp_path: Path) -> ClipHarness:
    put_goal(database)
    return ClipHarness(database, clip_store, tmp_path)


@pytest.fixture
def by(database: Database[Document]) -> OperatorAction:
    return OperatorAction(AuditLog(database), ManualClock(STABLE), "ada", "it shows another match")


def audit(by: OperatorAction) -> list[tuple[str, str, str]]:
    found = reversed(by.audit.entries())
    return [(entry["operation"], entry["target"], entry["outcome"]) for entry in found]


# -- clips ------------------------------------------------------------------------------------


def test_p5_a_removed_clip_is_deleted_with_its_objects_and_the_audit_has_the_reason(
    harness: ClipHarness, by: OperatorAction
) -> None:
    harness.choose(good=5, small=2, angle=1)
    harness.run()
    best, other = harness.clips()
    remove_clip(harness.work(), by, best["_id"])
    (left,) = harness.clips()
    assert (left["_id"], left["rank"]) == (other["_id"], 1)
    assert sorted(harness.objects.list_keys()) == sorted(
        [left["key"], *(left["key"].replace(".mp4", end) for end in (".jpg", ".thumb.jpg"))]
    )
    assert harness.videos() == {"x:angle": "taken", "x:good": "removed", "x:small": "removed"}
    (entry,) = by.audit.entries()
    assert entry == {
        "at": STABLE,
        "who": "ada",
        "why": "it shows another match",
        "operation": "remove clip",
        "target": best["_id"],
        "outcome": f"{best['key']} removed",
    }


def test_p5_footage_of_a_removed_clip_is_refused_in_any_post(
    harness: ClipHarness, by: OperatorAction
) -> None:
    harness.choose(good=5)
    harness.run()
    remove_clip(harness.work(), by, harness.clips()[0]["_id"])
    assert VideoStore(harness.database).known_ids(GOAL.key) == {"x:good"}
    harness.choose_video("x:same-bytes", "good")
    harness.choose_video("x:better-copy", "large")
    harness.choose_video("x:angle", "angle")
    harness.run()
    assert harness.videos() == {
        "x:angle": "taken",
        "x:better-copy": "refused",
        "x:good": "removed",
        "x:same-bytes": "refused",
    }
    assert harness.reason("x:better-copy") == "removed before"
    assert [clip["video_id"] for clip in harness.clips()] == ["x:angle"]


def test_p5_an_interrupted_removal_is_finished_by_the_next(
    harness: ClipHarness, by: OperatorAction
) -> None:
    harness.choose(good=5)
    harness.run()
    (clip,) = harness.clips()

    class FailingClipStore(ClipStore):
        def delete(self, key: str) -> None:
            raise KeyboardInterrupt

    failing_store = FailingClipStore(harness.objects.client, harness.objects.bucket)
    with pytest.raises(KeyboardInterrupt):
        remove_clip(harness.work(objects=failing_store), by, clip["_id"])
    remove_clip(harness.work(), by, clip["_id"])
    assert not harness.clips()
    assert not harness.objects.list_keys()
    assert [outcome for _, _, outcome in audit(by)] == [
        "failed: KeyboardInterrupt",
        f"{clip['key']} removed",
    ]


def test_p5_an_unknown_clip_is_an_error_and_recorded(
    harness: ClipHarness, by: OperatorAction
) -> None:
    with pytest.raises(NotFound):
        remove_clip(harness.work(), by, "goal-a:nope")
    assert audit(by) == [("remove clip", "goal-a:nope", "failed: clip goal-a:nope is not known")]


def examiner_with(*results: ValidationResult) -> FileExaminer:
    """An examiner whose validator returns these results in order; the last one repeats."""
    left = list(results)

    def validate(scanned: Scan, goal: GoalFacts) -> ValidationResult:
        return left.pop(0) if len(left) > 1 else left[0]

    return FileExaminer(validate, shared_cell(), LENIENT)


ACCEPTED = ValidationResult(accepted=True, football=True, clock_matches=True)
NOT_FOOTBALL = Refusal(RefusalReason.NOT_FOOTBALL)
REFUSED = ValidationResult(accepted=False, football=False, refusals=(NOT_FOOTBALL,))


def test_p5_revalidation_reads_the_stored_object_and_updates_the_verdict(
    harness: ClipHarness, by: OperatorAction
) -> None:
    harness.choose(small=9, angle=1)
    harness.run()
    assert [clip["verified"] for clip in harness.clips()] == [True, False]
    # Revalidation downloads nothing: the post may be deleted.
    harness.host.failing = {name: ConnectionError() for name in ("small", "angle")}  # type: ignore[misc]
    work = replace(harness.work(), examiner=examiner_with(ACCEPTED))
    (first, second) = revalidate(work, by, GOAL, "run-2", no_log_lines)
    assert (first.accepted, second.accepted) == (True, True)
    clips = harness.clips()
    assert [clip["verified"] for clip in clips] == [True, True]
    assert [clip["popularity"] for clip in clips] == [9, 1], "H6: ranked again"
    assert clips[0]["verdict"] == ACCEPTED.as_json()
    assert audit(by) == [
        ("revalidate", GOAL.event_id, "2 validated, 0 removed, 0 without a verdict")
    ]


def test_p5_a_clip_that_fails_revalidation_is_removed_with_the_reason(
    harness: ClipHarness, by: OperatorAction
) -> None:
    harness.choose(good=5)
    harness.run()
    work = replace(harness.work(), examiner=examiner_with(REFUSED))
    (result,) = revalidate(work, by, GOAL, "run-2", no_log_lines)
    assert (result.accepted, result.reason) == (False, "not football")
    assert not harness.clips()
    assert not harness.objects.list_keys()
    assert (harness.videos()["x:good"], harness.reason("x:good")) == ("refused", "not football")
    assert harness.database[VIDEOS].distinct("reason_kind") == ["not football"]
    assert not [path for path in harness.folder.rglob("*") if path.is_file()]


@pytest.mark.parametrize("trouble", ["the model is down", "the object is gone"])
def test_p5_a_clip_that_cannot_be_revalidated_stays(
    harness: ClipHarness, by: OperatorAction, trouble: str
) -> None:
    harness.choose(good=5)
    harness.run()
    before = harness.clips()
    refusal = Refusal(RefusalReason.NOT_JUDGED, "the vision model answered 503")
    unsure = ValidationResult(accepted=False, refusals=(refusal,), decided=False)
    work = replace(harness.work(), examiner=examiner_with(unsure))
    if trouble == "the object is gone":
        harness.objects.delete(before[0]["key"])
    (result,) = revalidate(work, by, GOAL, "run-2", no_log_lines)
    assert result.accepted is None
    assert harness.clips() == before


def test_p5_rerank(harness: ClipHarness, by: OperatorAction) -> None:
    harness.choose(good=1, angle=4)
    harness.run()
    harness.database[CLIPS].update_many({}, {"$set": {"rank": 7}})
    assert [clip.popularity for clip in rerank(harness.work(), by, GOAL)] == [4, 1]
    assert [clip["rank"] for clip in harness.clips()] == [1, 2]
    assert audit(by) == [("rerank", GOAL.event_id, "2 clips ranked")]


def test_h5_operators_change_nothing_during_an_upload(
    harness: ClipHarness, by: OperatorAction, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("footy_assets.clips.publish.UPLOAD_LEASE_WAIT_SECONDS", 0.0)
    harness.choose(good=1)
    harness.run()
    work = harness.work()
    with work.publisher.lock(GOAL.key):
        for change in (
            lambda: remove_clip(harness.work(), by, harness.clips()[0]["_id"]),
            lambda: rerank(harness.work(), by, GOAL),
            lambda: revalidate(harness.work(), by, GOAL, "run-2", no_log_lines),
        ):
            with pytest.raises(Busy):
                change()
    assert len(harness.clips()) == 1


# -- fixtures ---------------------------------------------------------------------------------


def test_p5_a_closed_match_is_over_and_so_are_its_searches(
    database: Database[Document], by: OperatorAction
) -> None:
    put_goal(database)
    store, searches = MatchdayStore(database), SearchStore(database)
    searches.open_searches()
    closed = close_fixture(store, searches.close_fixture, by, 5000)
    assert closed.closed_because == "closed by ada: it shows another match"
    assert closed.closed_by is ClosedBy.OPERATOR
    assert store.poll_inputs(STABLE) == []
    assert searches.due_goals(STABLE + timedelta(hours=1)) == []
    goal = goal_from(database[EVENTS].find_one({}) or {})
    assert str(goal.state) == "complete"
    assert audit(by) == [("close", "5000", "closed, 1 searches ended")]
    close_fixture(store, searches.close_fixture, by, 5000)
    assert audit(by)[1] == ("close", "5000", "closed, 0 searches ended")
    with pytest.raises(NotFound):
        close_fixture(store, searches.close_fixture, by, 1)


def test_p5_ingest_is_recorded_and_does_not_reopen_a_closed_match(
    store: MatchdayStore, feed: ApiFootball, sim: SimServer, clock: ManualClock
) -> None:
    by = OperatorAction(AuditLog(store.database), clock, "ada", "a cup match")
    ingest = Ingest(store, feed, clock, TrackingPolicy(leagues=(), teams="*"))
    wanted = sorted(sim.world.by_id)[0]
    ingest_ids(ingest, by, [wanted])
    assert list(store.fixtures_by_id([wanted])) == [wanted]
    close_fixture(store, SearchStore(store.database).close_fixture, by, wanted)
    ingest_day(ingest, by, clock.now().date())
    assert store.fixtures_by_id([wanted])[wanted].state is FixtureState.COMPLETED
    assert [(operation, target) for operation, target, _ in audit(by)] == [
        ("ingest", str(wanted)),
        ("close", str(wanted)),
        ("ingest", clock.now().date().isoformat()),
    ]
    assert audit(by)[0][2] == "1 new, 0 updated, 0 parts failed"
    by_deadline = {"closed_because": "status PST for days", "closed_by": "deadline"}
    store.fixtures.update_one({"_id": wanted}, {"$set": by_deadline})
    ingest_day(ingest, by, clock.now().date())
    assert store.fixtures_by_id([wanted])[wanted].state is FixtureState.STAGING, (
        "as for any other reason"
    )


# -- searching --------------------------------------------------------------------------------


def test_p5_one_search_now_is_one_attempt_and_recorded(
    database: Database[Document], by: OperatorAction
) -> None:
    put_goal(database)
    clock = ManualClock(STABLE)
    searches, fake_site = SearchStore(database), FakeSite(clock, [post(1)])
    sweep, health = Sweep([fake_site], clock.sleep), SiteHealth(database)
    searcher = Searcher(searches, sweep, aliases, clock, SearchRules(), health)
    found = search_now(searches, searcher, by, GOAL, no_log_lines)
    assert len(found.chosen) == 1
    assert database[VIDEOS].count_documents({"state": "chosen"}) == 1
    assert audit(by) == [("search", GOAL.event_id, "attempt 1: 1 videos chosen")]
    searches.claim(GOAL.key, STABLE + timedelta(minutes=5))
    with pytest.raises(Busy):
        search_now(searches, searcher, by, GOAL, no_log_lines)
    assert audit(by)[1][2].startswith("failed: ")


def test_p5_a_search_without_sites_is_an_error(
    database: Database[Document], by: OperatorAction
) -> None:
    put_goal(database)
    searches, sweep = SearchStore(database), Sweep([], by.clock.sleep)
    searcher = Searcher(searches, sweep, aliases, by.clock, SearchRules(), SiteHealth(database))
    with pytest.raises(BadInput, match="no site is switched on"):
        search_now(searches, searcher, by, GOAL, no_log_lines)
    assert audit(by)[0][2].startswith("failed: no site is switched on")


def test_p5_an_interrupted_action_is_in_the_audit(by: OperatorAction) -> None:
    by.audit.begin(STABLE, "ada", "why", "close", "5000")
    assert audit(by) == [("close", "5000", "under way")]
