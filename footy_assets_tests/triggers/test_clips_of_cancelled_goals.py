"""T11, T18: what those who were sent a clip get when its goal is cancelled."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.sim import SimServer, goal, var_cancel
from footy_assets.store.collections import ensure_indexes
from footy_assets.triggers.follow import FollowRequest, make_follow_triggers, start_follow
from footy_assets.triggers.replay import replay_scope
from footy_assets_tests.matchday.harness import FIXTURE, MatchdayHarness, no_sleep
from footy_assets_tests.triggers.conftest import Stages
from footy_assets_tests.triggers.fake_subscriber import FakeSubscriber, subscriber
from footy_assets_tests.triggers.published import publish_clip
from footy_assets_tests.triggers.test_follow import NoChannels
from resources.api_football.client import ApiFootball
from sensors.triggers import announce_published

SALAH = {"player": 234, "name": "M. Salah"}
SCORED = {"status": "1H", "elapsed": 31, "goals": [goal(30, **SALAH)]}
CANCELLED = {"status": "1H", "elapsed": 33, "goals": [], "events": [var_cancel(30, **SALAH)]}
GOAL, CLIP = "Goal for Liverpool: M. Salah", "Clip: goal by M. Salah"
GALLERY_URL = "http://gallery.test"


class FollowedMatch:
    """A match that is polled, followed by a subscriber, in which a goal gets clips."""

    def __init__(self, stages: Stages, harness: MatchdayHarness, hook: FakeSubscriber) -> None:
        self.stages, self.harness, self.hook = stages, harness, hook
        harness.put(status="NS")
        harness.track()
        request = FollowRequest("match", str(FIXTURE), hook.url)
        made = start_follow(stages.database, request, NoChannels(), harness.clock.now())
        hook.secret = stages.outbox.subscription(f"follow-{made.id}")["secret"]

    def poll(self, answer: dict[str, object]) -> None:
        self.harness.put_and_poll(answer)

    def publish(self, number: int, *, verified: bool = False) -> None:
        (scored,) = self.harness.goals()
        at = self.harness.clock.now() + timedelta(seconds=number)
        publish_clip(self.stages.database, scored.key, number, at, verified=verified)

    def tick(self) -> list[str]:
        """As the sensors do; returns the titles of all that arrived so far."""
        database, now = self.stages.database, self.harness.clock.now()
        make_follow_triggers(database, now)
        self.stages.snapshots.store_from_fixtures()
        announce_published(database, GALLERY_URL, now.date() - timedelta(days=1))
        self.stages.evaluate()
        self.stages.notify()
        return [body["message"]["title"] for _, body in self.hook.received]


@pytest.fixture
def match(stages: Stages, sim: SimServer) -> Iterator[FollowedMatch]:
    ensure_indexes(stages.database)
    with ApiFootball(sim.url, None, sleep=no_sleep) as feed, subscriber() as hook:
        harness = MatchdayHarness(MatchdayStore(stages.database), sim, feed, stages.clock)
        yield FollowedMatch(stages, harness, hook)


@pytest.mark.parametrize("verified_later", [False, True])
def test_t11_the_message_of_a_clip_is_taken_back_with_its_goal(
    match: FollowedMatch, verified_later: bool
) -> None:
    match.poll(SCORED)
    assert match.tick() == [GOAL]
    match.publish(1)
    assert match.tick() == [GOAL, CLIP]
    if verified_later:
        match.publish(2, verified=True)
        assert match.tick() == [GOAL, CLIP]
    match.poll(CANCELLED)
    taken_back = [f"Taken back: {GOAL}", f"Taken back: {CLIP}"]
    assert match.tick() == [GOAL, CLIP, *taken_back]
    assert match.tick() == [GOAL, CLIP, *taken_back], "once"
    about_clip = match.hook.received[-1][1]
    assert about_clip["retracted"]
    assert "/watch/" in match.hook.received[1][1]["message"]["link"]
    assert "/watch/" not in about_clip["message"]["text"], "what is shown there was no goal"
    assert replay_scope(match.stages.database, f"game/{FIXTURE}").matches_live


def test_t11_a_clip_of_a_goal_that_is_cancelled_already_is_not_sent(match: FollowedMatch) -> None:
    match.poll(SCORED)
    match.tick()
    match.poll(CANCELLED)
    match.publish(1, verified=True)
    assert match.tick() == [GOAL, f"Taken back: {GOAL}"]
    assert match.tick() == [GOAL, f"Taken back: {GOAL}"]


def test_t11_a_crash_while_a_cancellation_is_stored_loses_no_message(
    match: FollowedMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    match.poll(SCORED)
    match.publish(1)
    match.tick()
    match.poll(CANCELLED)
    snapshots = match.stages.snapshots
    store = snapshots.store

    def store_one(several, *more):  # type: ignore[no-untyped-def]
        store(several[:-1], *more)
        raise SystemExit

    with monkeypatch.context() as patch:
        patch.setattr(snapshots, "store", store_one)
        with pytest.raises(SystemExit):
            match.tick()
    assert match.tick()[2:] == [f"Taken back: {GOAL}", f"Taken back: {CLIP}"]
