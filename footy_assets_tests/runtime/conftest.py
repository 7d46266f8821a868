"""One `footy up` for all tests that need it: starting and stopping the stack takes half a minute.

The tests of `test_up*.py` share it in the order of the files' names: those that kill parts of it
come late, and the season's backfill, which keeps it busy, comes last.
"""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from dagster import DagsterInstance, DagsterRunStatus
from playwright.sync_api import Browser

from footy_assets.clock import SystemClock
from footy_assets.runtime.demo_settings import write_login_cookies
from footy_assets.runtime.home import Home
from footy_assets.sim import SimServer, fixture_json, goal
from footy_assets.sim.fans import Fans
from footy_assets.sim.other_providers import OtherProviders
from footy_assets.sim.single_goals import KICKOFF, one_goal_each
from footy_assets.sim.social.server import SocialServer
from footy_assets_tests.browsers import launched_browser
from footy_assets_tests.runs import stored_run
from footy_assets_tests.runtime.graphql import launch_backfill
from footy_assets_tests.runtime.stack import FOOTY, Stack

TOKEN = "t0ken-f0r-tests"
PAST_DAY = KICKOFF.date().isoformat()
TWO_PROVIDERS = """\
providers:
  api_football: {{adapter: api_football, precedence: 100}}
  second: {{adapter: football_data, settings: {{url: "{url}"}}}}
"""


@dataclass(frozen=True)
class World:
    """The outside of the stack: a match that is on now, one of a past season, fans, providers."""

    home: Home
    sim: SimServer
    second: OtherProviders
    fans: Fans
    orphaned_run: str
    env: dict[str, str]

    def footy(self, *arguments: str) -> Any:
        """A command beside the running stack."""
        done = subprocess.run(
            [FOOTY, *arguments, "--json"],
            env={**os.environ, **self.env},
            capture_output=True,
            text=True,
            check=True,
        )
        return json.loads(done.stdout)


@pytest.fixture(scope="package")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    clock = SystemClock()
    past_day = one_goal_each([timedelta(minutes=3)])
    home = Home(tmp_path_factory.mktemp("up") / "home")
    home.path.mkdir()
    fans = Fans(past_day, tmp_path_factory.mktemp("footage"))
    with ExitStack() as opened:
        sim = opened.enter_context(SimServer(past_day, clock, key="up"))
        second = opened.enter_context(OtherProviders(past_day, clock))
        site = opened.enter_context(SocialServer(fans.posts, clock, films=fans.film))
        salah = goal(30, team=40, player=234, name="M. Salah")
        kickoff = clock.now().replace(microsecond=0)
        sim.put(fixture_json(5000, status="1H", elapsed=31, kickoff=kickoff, goals=[salah]))
        (home.path / "sources.yaml").write_text(TWO_PROVIDERS.format(url=second.url))
        env = {
            "FOOTY_HOME": str(home.path),
            "FOOTY_API_FOOTBALL_URL": sim.url,
            "FOOTY_API_FOOTBALL_KEY": "up",
            "FOOTY_API_TOKEN": TOKEN,
            "FOOTY_WIKIDATA_URL": sim.wikidata_url,
            # Liverpool, and the home side of the past day: the season has few goals to search for.
            "FOOTY_TRACKED_LEAGUES": "78",
            "FOOTY_TRACKED_TEAMS": f"40,{past_day.scripts[0].home.id}",
            "FOOTY_SEARCH_ATTEMPTS": "1",
            # The next poll is not half a minute away.
            "FOOTY_POLL_SECONDS": "10",
            "FOOTY_X_URL": site.url,
            "FOOTY_X_COOKIES_FILE": str(write_login_cookies(home, site)),
            "FOOTY_BLUESKY_URL": site.url,
            "FOOTY_DOWNLOAD_HOSTS": "127.0.0.1",
            "FOOTY_DOWNLOAD_PRIVATE_ADDRESSES": "true",
        }
        yield World(home, sim, second, fans, _leave_what_a_crash_leaves(home), env)


def _leave_what_a_crash_leaves(home: Home) -> str:
    """Half a download, and a run in the state STARTED."""
    home.prepare()
    left = home.path / "work" / "5000" / "a-run"
    left.mkdir(parents=True)
    (left / "video-0.mp4").write_bytes(b"half a film")
    with DagsterInstance.from_config(str(home.dagster)) as instance:
        return stored_run(instance, status=DagsterRunStatus.STARTED).run_id


@pytest.fixture(scope="package")
def up(world: World) -> Iterator[Stack]:
    stack = Stack(world.home.path, "up", **world.env)
    try:
        # It takes a minute, in which other tests wait for other things.
        launch_backfill(stack.ui(), ["fixtures", "live_events"], [PAST_DAY])
        yield stack
        assert stack.stop() == 0
    finally:
        stack.kill_everything()


@pytest.fixture
def browser() -> Iterator[Browser]:
    with launched_browser() as launched:
        yield launched
