"""From a stable goal to clips in S3 through Dagster: a real browser, real films, real servers."""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from pymongo.database import Database

from footy_assets.clips.assets import clips
from footy_assets.clips.checks import clip_checks
from footy_assets.clips.explain import explain_goal
from footy_assets.clock import ManualClock, ScaledClock
from footy_assets.definitions import resources_from
from footy_assets.matchday.partitions import goals
from footy_assets.matchday.rules.goal import GoalEvent, event_id
from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.matchday.rules.sighting import Player
from footy_assets.search.assets import discovered_videos
from footy_assets.search.jobs import search_job
from footy_assets.settings import load_settings
from footy_assets.sim import SimServer, World, make_world
from footy_assets.sim.fans import Fans
from footy_assets.sim.footage import ExpectedOutcome
from footy_assets.sim.social.server import COOKIE, SocialServer
from footy_assets.sim.truth import ExpectedGoal
from footy_assets.store.collections import CLIPS, VIDEOS, Document
from footy_assets_tests.matchday.goals import put_goal
from resources.embedded.weed import S3Server

pytestmark = pytest.mark.slow


@dataclass
class DagsterHarness:
    world: World
    fans: Fans
    site: SocialServer
    goal: GoalEvent
    key: str
    now: datetime
    instance: dg.DagsterInstance
    resources: dict[str, Any]

    def expected(self, verdict: ExpectedOutcome) -> set[str]:
        """The video ids of this goal's posts that should have this outcome."""
        return {
            name
            for name, video in self.fans.videos_by_post().items()
            if video.goal_key == self.key
            and video.expected is verdict
            and video.posted_at <= self.now
        }


def stable_goal(goal: ExpectedGoal, at: datetime) -> GoalEvent:
    player = Player(goal.player_id, goal.player_name)
    return GoalEvent(
        key="the-goal",
        event_id=event_id(goal.fixture_id, goal.team_id, player, 1),
        fixture_id=goal.fixture_id,
        team_id=goal.team_id,
        player=player,
        minute=MatchMinute(goal.elapsed, goal.extra),
        detail=goal.detail,
        first_seen_at=goal.shown_at,
        stable_at=at,
        seen_in_polls=("a", "b", "c"),
        attempts_planned=1,
    )


@pytest.fixture
def harness(
    database: Database[Document],
    mongo_uri: str,
    s3: S3Server,
    tmp_path: Path,
    footage: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[DagsterHarness]:
    world = make_world()
    fans = Fans(world, footage)
    truth = world.truth()
    number = next(n for n, g in enumerate(truth) if g.ending == "stable" and not g.was_player_ids)
    expected, key = truth[number], fans.goal_keys[number]
    # Before it is asked for: on a busy machine a download would wait too long.
    for video in fans.videos:
        if video.goal_key == key and video.recipe is not None:
            fans.library.path(video)
    now = expected.shown_at + timedelta(minutes=12)
    goal = put_goal(database, stable_goal(expected, expected.shown_at + timedelta(minutes=1)))
    script = world.by_id[expected.fixture_id]
    database["fixtures"].update_one(
        {"_id": goal.fixture_id},
        {
            "$set": {
                "kickoff": expected.shown_at - timedelta(hours=1),
                "home": {"id": script.home.id, "name": script.home.name, "winner": None,
                         "logo": None},
                "away": {"id": script.away.id, "name": script.away.name, "winner": None,
                         "logo": None},
            }
        },
    )  # fmt: skip
    clock = ScaledClock(now, 1.0, time.time())
    with (
        SimServer(world, ManualClock(now)) as sim,
        SocialServer(fans.posts, ManualClock(now), films=fans.film) as site,
        dg.DagsterInstance.ephemeral() as instance,
    ):
        cookies = tmp_path / "cookies.json"
        cookie = {"name": COOKIE, "value": site.new_session(), "domain": "127.0.0.1", "path": "/"}
        cookies.write_text(json.dumps([cookie]))
        settings = {
            "HOME": tmp_path, "X_URL": site.url, "X_COOKIES_FILE": cookies,
            "BLUESKY_URL": site.url, "CLOCK": clock.spec(), "S3_ENDPOINT_URL": s3.endpoint_url,
            "S3_ACCESS_KEY_ID": s3.access_key_id, "S3_SECRET_ACCESS_KEY": s3.secret_access_key,
            "S3_BUCKET": f"test-{database.name[-12:]}", "WIKIDATA_URL": sim.wikidata_url,
            "SEARCH_CHOSEN": 20, "MONGO_URI": mongo_uri, "MONGO_DATABASE": database.name,
            "API_FOOTBALL_URL": sim.url, "DOWNLOAD_HOSTS": "127.0.0.1",
            "DOWNLOAD_PRIVATE_ADDRESSES": "true", "CANARY_MINUTES": 0,
        }  # fmt: skip
        for name, value in settings.items():
            monkeypatch.setenv(f"FOOTY_{name}", str(value))
        instance.add_dynamic_partitions(goals.name or "goals", [goal.event_id])
        yield DagsterHarness(
            world, fans, site, goal, key, now, instance, resources_from(load_settings())
        )


def test_a_stable_goal_gets_its_own_clips_and_no_others(
    harness: DagsterHarness, database: Database[Document]
) -> None:
    sweep_run = search_job.execute_in_process(
        instance=harness.instance, resources=harness.resources
    )
    assert sweep_run.success
    clips_run = dg.materialize(
        [clips, *clip_checks],
        partition_key=harness.goal.event_id,
        resources=harness.resources,
        instance=harness.instance,
        selection=dg.AssetSelection.assets(clips) | dg.AssetSelection.checks_for_assets(clips),
    )
    assert clips_run.success
    stored = {d["video_id"]: d for d in database[VIDEOS].find()}
    right = harness.expected(ExpectedOutcome.RIGHT) | harness.expected(ExpectedOutcome.DUPLICATE)
    refused = harness.expected(ExpectedOutcome.REFUSED) | harness.expected(ExpectedOutcome.WRONG)
    states = {video_id: (d["state"], d.get("reason")) for video_id, d in stored.items()}
    assert {v for v, (state, _) in states.items() if state in ("taken", "duplicate")} == right, (
        states
    )
    assert {v for v, (state, _) in states.items() if state == "refused"} == refused, states
    (clip,) = database[CLIPS].find()
    assert clip["verified"]
    assert clip["width"] == 960, "the best copy"
    assert all(evaluation.passed for evaluation in clips_run.get_asset_check_evaluations())
    (event,) = clips_run.asset_materializations_for_node("clips")
    assert event.metadata["clips"].value == 1
    gallery, page = str(event.metadata["gallery"].value).rsplit("/goals/")
    assert page == harness.goal.event_id
    watch = f"{gallery}/watch/{clip['public_key'].removesuffix('.mp4')}"
    assert event.metadata["preview"].value == f"[play the best]({watch})"
    shown = str(event.metadata)
    assert "X-Amz" not in shown, "no address that opens S3 without a login"
    assert "Signature" not in shown
    whole = explain_goal(database, harness.goal, "bucket")
    assert [attempt["outcome"] for attempt in whole["attempts"]] == ["videos settled"]


def test_a_run_launched_by_an_operator_is_one_search(
    harness: DagsterHarness, database: Database[Document]
) -> None:
    clips_run = dg.materialize(
        [discovered_videos],
        partition_key=harness.goal.event_id,
        resources=harness.resources,
        instance=harness.instance,
    )
    assert clips_run.success
    assert database[VIDEOS].count_documents({"state": "chosen"}) > 0
    run = harness.instance.get_runs()[0]
    assert run.tags["footy/label"].startswith("search-")
