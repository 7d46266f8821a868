"""A past matchday through the whole stack: backfilled, searched for once, ended with its clip."""

import json
import os
import subprocess
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from footy_assets.clock import ManualClock
from footy_assets.runtime.demo_settings import write_login_cookies
from footy_assets.runtime.home import Home
from footy_assets.sim import SimServer
from footy_assets.sim.fans import Fans
from footy_assets.sim.footage import ExpectedOutcome
from footy_assets.sim.single_goals import KICKOFF, one_goal_each
from footy_assets.sim.social.server import SocialServer
from footy_assets_tests.runtime.stack import FOOTY, Stack
from footy_assets_tests.runtime.test_up import BACKFILL

pytestmark = [pytest.mark.slow, pytest.mark.stack, pytest.mark.timeout(900)]

DAY = KICKOFF.date().isoformat()
LATER = KICKOFF + timedelta(days=30)
LINEAGE = """query($partition: String!) {
  assetNodes(assetKeys: [
    {path: ["clips"]}, {path: ["discovered_videos"]}, {path: ["live_events"]}, {path: ["fixtures"]}
  ]) {
    assetKey { path }
    dependencyKeys { path }
    assetMaterializations(partitions: [$partition], limit: 1) { partition }
  }
}"""


@pytest.fixture(scope="module")
def fans(tmp_path_factory: pytest.TempPathFactory) -> Fans:
    world = one_goal_each([timedelta(minutes=3)])
    return Fans(world, tmp_path_factory.mktemp("footage"))


@pytest.fixture(scope="module")
def env(fans: Fans, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """A month later: the provider tells a match that is long over, the posts are old."""
    home = Home(tmp_path_factory.mktemp("past") / "home")
    home.path.mkdir()
    world, clock = one_goal_each([timedelta(minutes=3)]), ManualClock(LATER)
    with (
        SimServer(world, clock, key="past") as sim,
        SocialServer(fans.posts, clock, films=fans.film) as site,
    ):
        yield {
            "FOOTY_HOME": str(home.path),
            "FOOTY_API_FOOTBALL_URL": sim.url,
            "FOOTY_API_FOOTBALL_KEY": "past",
            "FOOTY_WIKIDATA_URL": sim.wikidata_url,
            "FOOTY_TRACKED_TEAMS": "*",
            "FOOTY_X_URL": site.url,
            "FOOTY_X_COOKIES_FILE": str(write_login_cookies(home, site)),
            "FOOTY_BLUESKY_URL": site.url,
        }


def footy(env: dict[str, str], *arguments: str) -> Any:
    done = subprocess.run(
        [FOOTY, *arguments, "--json"],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def test_a_backfilled_day_ends_with_clips_like_a_live_one(env: dict[str, str], fans: Fans) -> None:
    stack = Stack(Path(env["FOOTY_HOME"]), "up", **env)
    try:
        ui = stack.ui()
        wanted = {"assetSelection": [{"path": ["fixtures"]}, {"path": ["live_events"]}]}
        httpx.post(
            f"{ui}/graphql",
            json={
                "query": BACKFILL,
                "variables": {"backfillParams": {**wanted, "partitionNames": [DAY]}},
            },
        ).raise_for_status()
        stack.wait_until(lambda: [e["state"] for e in stack.goals(date=DAY)] == ["complete"], 480)
        (event,) = footy(env, "events", "--date", DAY)
        whole = footy(env, "explain", event["event_id"])
        assert [attempt["number"] for attempt in whole["attempts"]] == [1], "searched for once"
        (clip,) = whole["clips"]
        assert clip["verified"]
        assert fans.videos_by_post()[clip["video_id"]].expected is ExpectedOutcome.RIGHT
        refused = {video["video_id"] for video in whole["videos"] if video["state"] == "refused"}
        told = fans.videos_by_post()
        assert all(
            told[name].expected in (ExpectedOutcome.REFUSED, ExpectedOutcome.WRONG)
            for name in refused
        ), whole["videos"]
        assert lineage(ui, event["event_id"]) == {
            "clips": (["discovered_videos"], True),
            "discovered_videos": (["live_events"], True),
            "live_events": (["fixtures"], False),
            "fixtures": ([], False),
        }
        assert stack.stop() == 0
    finally:
        stack.kill_everything()


def lineage(ui: str, partition: str) -> dict[str, tuple[list[str], bool]]:
    """What each asset is made of, and whether this goal's partition of it is there."""
    asked = {"query": LINEAGE, "variables": {"partition": partition}}
    answer = httpx.post(f"{ui}/graphql", json=asked).json()
    return {
        node["assetKey"]["path"][-1]: (
            [key["path"][-1] for key in node["dependencyKeys"]],
            bool(node["assetMaterializations"]),
        )
        for node in answer["data"]["assetNodes"]
    }
