"""SE8: videos of a goal that is not stable yet are judged and held, and published when it is."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from pymongo.database import Database

from footy_assets.clips.explain import ahead_sentence, explain_goal
from footy_assets.clips.held_in_tick import publish_in_tick
from footy_assets.clips.publish_held import HeldPublisher
from footy_assets.clips.removed_goals import delete_clips_of_removed_goals
from footy_assets.clips.store.announcements import Announcements
from footy_assets.clips.store.held import HeldFiles
from footy_assets.clock import ManualClock
from footy_assets.errors import S3Unavailable
from footy_assets.gallery.views import Gallery
from footy_assets.matchday.retention import delete_expired
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.store.goals import GoalStore
from footy_assets.matchday.store.retention import RetentionStore
from footy_assets.media import RefusalReason, ValidationResult
from footy_assets.media.validation import Refusal
from footy_assets.policies import fixture_deletions
from footy_assets.search.rules.video import VideoState
from footy_assets.search.store.ahead import AheadStore
from footy_assets.store.collections import (
    CLIPS,
    EVENTS,
    HELD_FILES,
    NOTIFICATIONS,
    SNAPSHOTS,
    VIDEOS,
    Document,
)
from footy_assets.store.leases import Leases
from footy_assets_tests.clips.clip_harness import ClipHarness, no_log_lines
from footy_assets_tests.gallery.site import running_site
from footy_assets_tests.matchday.goals import GOAL, STABLE, put_goal
from resources.s3.clip_store import ClipStore

pytestmark = pytest.mark.slow

SEEN_ONCE = replace(GOAL, stable_at=None, seen_in_polls=("p1",), attempts_planned=0)


@pytest.fixture
def harness(database: Database[Document], clip_store: ClipStore, tmp_path: Path) -> ClipHarness:
    put_goal(database, SEEN_ONCE)
    AheadStore(database).open(STABLE)
    return ClipHarness(database, clip_store, tmp_path)


def make_stable(harness: ClipHarness, **changes: Any) -> None:
    stable = {"stable_at": STABLE, "seen_in_polls": ["p1", "p2", "p3"], "attempts_planned": 10}
    harness.database[EVENTS].update_one({"_id": GOAL.key}, {"$set": {**stable, **changes}})


def the_goal(harness: ClipHarness) -> GoalEvent:
    goal = GoalStore(harness.database).get(GOAL.key)
    assert goal is not None
    return goal


def in_the_tick(harness: ClipHarness, objects: Any = None) -> list[list[str]]:
    """Publishes as the tick does that makes the goal stable; the clips that were stored."""
    work = harness.work(objects=objects)

    @contextmanager
    def opened() -> Iterator[HeldPublisher]:
        yield work.held_publisher

    published = publish_in_tick(harness.database, opened, [the_goal(harness)])
    return [batch.stored for batch in published]


def public_state(harness: ClipHarness) -> dict[str, Any]:
    """Everything that anybody but us can see of the goal's videos."""
    goal, database = the_goal(harness), harness.database
    explained = explain_goal(database, goal, harness.objects.bucket)
    gallery = Gallery(database, harness.clock, harness.objects.bucket)
    return {
        "public objects": [k for k in harness.objects.list_keys() if not k.startswith("held/")],
        "clips": list(database[CLIPS].find()),
        "announced": Announcements(database).waiting(),
        "explained": [*explained["videos"], *explained["clips"]],
        "served": [key for key in harness.objects.list_keys() if gallery.clip_document(key)],
    }


NOTHING_PUBLIC = {"public objects": [], "clips": [], "announced": [], "explained": [], "served": []}


def held_objects(harness: ClipHarness) -> list[str]:
    return harness.objects.list_keys("held/")


def test_se8_what_is_found_before_a_goal_is_stable_is_judged_and_held(harness: ClipHarness) -> None:
    harness.choose(good=5, small=2, angle=4)
    harness.run()
    assert set(harness.videos().values()) == {VideoState.HELD}
    assert public_state(harness) == NOTHING_PUBLIC
    # Two kinds of footage, each a video with two pictures; the worse copy has no object.
    assert len(held_objects(harness)) == 6
    assert harness.database[HELD_FILES].count_documents({}) == 3


def test_se8_it_is_published_in_the_tick_that_makes_the_goal_stable_as_if_found_then(
    harness: ClipHarness, database: Database[Document]
) -> None:
    batch = {"good": 5, "small": 2, "angle": 4}
    harness.choose(**batch)
    harness.run()
    assert in_the_tick(harness) == [], "it is not stable yet"
    make_stable(harness)
    assert len(in_the_tick(harness)[0]) == 2
    ahead = harness.end_state()
    assert held_objects(harness) == []
    assert database[HELD_FILES].count_documents({}) == 0
    assert {clip["unannounced"] for clip in harness.clips()} == {True}
    assert in_the_tick(harness) == [], "a second tick finds nothing"

    for key in harness.objects.list_keys():
        harness.objects.delete(key)
    database[CLIPS].delete_many({})
    database[VIDEOS].delete_many({})
    harness.choose(**batch)
    harness.run()
    assert harness.end_state() == ahead


def test_se8_e6_of_a_goal_that_is_removed_nothing_is_public_at_any_time(
    harness: ClipHarness, database: Database[Document]
) -> None:
    """VAR within the debounce: looked at between all steps, and at the end all is gone."""
    with running_site(database, harness.objects, harness.clock) as site:

        def look() -> None:
            assert public_state(harness) == NOTHING_PUBLIC
            assert database[NOTIFICATIONS].count_documents({}) == 0
            assert database[SNAPSHOTS].count_documents({}) == 0
            with httpx.Client(base_url=site.url, timeout=10) as http:
                assert http.get("/api/v1/clips").json()["items"] == []
                explained = http.get(f"/api/v1/events/{GOAL.event_id}/explain").json()
                assert (explained["videos"], explained["clips"]) == ([], [])
                assert "/video/" not in http.get(f"/goals/{GOAL.event_id}").text
                for key in harness.objects.list_keys():
                    assert http.get(f"/video/{harness.objects.bucket}/{key}").status_code == 404

        harness.choose(good=5, angle=4)
        look()
        harness.run()
        look()
        harness.choose(large=3)
        harness.run()
        look()
        harness.remove_goal()
        database[EVENTS].update_one({}, {"$set": {"objects_left": True, "stable_at": None}})
        database[EVENTS].update_one({}, {"$set": {"seen_in_polls": ["p1"]}})
        look()
        assert in_the_tick(harness) == []
        assert harness.run().stored == []
        look()
        delete_clips_of_removed_goals(
            RetentionStore(database),
            harness.work().documents,
            Leases(database),
            harness.objects,
            harness.clock,
        )
        look()
    assert harness.objects.list_keys() == []
    assert [database[name].count_documents({}) for name in (VIDEOS, HELD_FILES, CLIPS)] == [0, 0, 0]
    story = explain_goal(database, the_goal(harness), harness.objects.bucket)["ahead"]
    assert (story["held"], story["dropped"], story["published_at"]) == (3, 3, None)
    assert "3 videos held and dropped" in ahead_sentence(story)


def test_se8_e5_what_is_held_stays_with_a_goal_that_gets_another_scorer(
    harness: ClipHarness,
) -> None:
    harness.choose(good=5)
    harness.run()
    make_stable(harness, event_id="5000_40_307_Goal_1", player={"id": 307, "name": "Darwin Núñez"})
    in_the_tick(harness)
    (clip,) = harness.clips()
    assert clip["key"].startswith("5000/5000_40_307_Goal_1/")
    assert held_objects(harness) == []


def test_se8_a_goal_that_becomes_stable_while_its_videos_are_judged_gets_its_clips_at_once(
    harness: ClipHarness,
) -> None:
    harness.choose(good=5, angle=4)
    work = harness.work()
    with work.batch(the_goal(harness), "run-1") as batch:
        work.load_videos(batch, no_log_lines)
        part = work.finish_one(batch, no_log_lines, until="dedup_video")
        make_stable(harness)
        assert in_the_tick(harness) == [], "nothing is held yet"
        work.publish(part, no_log_lines)
        assert len(harness.clips()) == 1, "the second one is not judged yet"
        work.finish_one(batch, no_log_lines)
        work.settle(batch, no_log_lines)
    assert len(harness.clips()) == 2
    assert held_objects(harness) == []


def test_se8_an_outage_of_s3_in_the_tick_leaves_what_is_held_to_a_run(harness: ClipHarness) -> None:
    harness.choose(good=5)
    harness.run()
    make_stable(harness)

    class NoAnswer(ClipStore):
        def get(self, key: str, **more: Any) -> bytes:
            raise S3Unavailable("S3 does not answer")

    assert in_the_tick(harness, NoAnswer(harness.objects.client, harness.objects.bucket)) == []
    assert HeldFiles(harness.database).goals() == [], "postponed"
    assert public_state(harness)["clips"] == []
    harness.run()
    assert len(harness.clips()) == 1
    assert held_objects(harness) == []


def judged_as(harness: ClipHarness, monkeypatch: pytest.MonkeyPatch, result: object) -> None:
    monkeypatch.setattr("footy_assets_tests.clips.clip_harness.validate", lambda *_: result)


WRONG_MINUTE = ValidationResult(
    accepted=False,
    football=True,
    filmed_off_screen=False,
    refusals=(Refusal(RefusalReason.WRONG_MINUTE, "the clock shows 33, expected 29"),),
)


def test_se8_v7_a_refusal_for_the_minute_is_final_only_when_the_goal_is_stable(
    harness: ClipHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged_as(harness, monkeypatch, WRONG_MINUTE)
    harness.choose(good=5)
    harness.run()
    assert harness.videos() == {"x:good": "held"}
    assert held_objects(harness) == []
    make_stable(harness)
    harness.run()
    assert harness.videos() == {"x:good": "refused"}
    assert "wrong minute" in harness.reason("x:good")
    assert harness.database[HELD_FILES].count_documents({}) == 0


def test_se8_v7_what_was_refused_for_another_minute_is_judged_again(
    harness: ClipHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged_as(harness, monkeypatch, WRONG_MINUTE)
    harness.choose(good=5)
    harness.run()
    make_stable(harness, minute={"elapsed": 34, "extra": None})
    judged_as(harness, monkeypatch, ValidationResult(accepted=True, clock_matches=True))
    in_the_tick(harness)
    assert harness.videos() == {"x:good": "chosen"}
    harness.run()
    assert harness.videos() == {"x:good": "taken"}


def test_se8_v7_what_contradicts_the_goal_as_it_is_now_is_refused_without_decoding(
    harness: ClipHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = ValidationResult(accepted=True, football=True, filmed_off_screen=False)
    clock = replace(read.clock, minutes=(29,), ticks=True)
    judged_as(harness, monkeypatch, replace(read, clock=clock, clock_matches=True))
    harness.choose(good=5)
    harness.run()
    make_stable(harness, minute={"elapsed": 62, "extra": None})
    in_the_tick(harness)
    assert harness.videos() == {"x:good": "refused"}
    assert harness.reason("x:good") == "wrong minute: the clock shows 29, expected 61"
    assert harness.objects.list_keys() == []


def test_se8_f9_retention_deletes_what_is_held_for_a_goal_that_never_became_stable(
    harness: ClipHarness, database: Database[Document]
) -> None:
    harness.choose(good=5)
    harness.run()
    over = {"state": "completed", "completed_at": STABLE}
    database["fixtures"].update_one({"_id": GOAL.fixture_id}, {"$set": over})
    store, clock = RetentionStore(database), ManualClock(STABLE)
    keep = clock.now() - STABLE
    delete_expired(store, harness.objects, clock, keep, fixture_deletions(database))
    assert harness.objects.list_keys() == []
    assert database[HELD_FILES].count_documents({}) == 0
