"""`footy up` with a second provider: who asks it is a process of its own, and comes back."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from footy_assets.clock import SystemClock
from footy_assets.runtime.provider_process import has_other_providers
from footy_assets.settings import load_settings
from footy_assets.sim import SimServer, World, fixture_json
from footy_assets.sim.other_providers import OtherProviders
from footy_assets_tests.runtime.stack import Stack

BESIDE = """\
providers:
  api_football: {{adapter: api_football, precedence: 100}}
  second: {{adapter: football_data, settings: {{url: "{url}"}}}}
"""


@pytest.fixture
def sim() -> Iterator[SimServer]:
    clock = SystemClock()
    with SimServer(World.from_scripts([], day=clock.now().date()), clock, key="up") as running:
        kickoff = clock.now().replace(microsecond=0)
        running.put(fixture_json(5000, status="1H", elapsed=31, kickoff=kickoff))
        yield running


def test_others_run_only_where_the_file_has_some(tmp_path: Path) -> None:
    settings = load_settings(home=tmp_path)
    assert not has_other_providers(settings)
    file = tmp_path / "sources.yaml"
    file.write_text(BESIDE.format(url="http://127.0.0.1:1"))
    assert has_other_providers(settings)
    file.write_text("sources:\n  api_football: {adapter: api_football}\n")
    assert not has_other_providers(settings)


@pytest.mark.slow
@pytest.mark.stack
def test_the_watcher_of_other_providers_is_started_revived_and_ended(
    sim: SimServer, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    world = World.from_scripts([], day=sim.clock.now().date())
    with OtherProviders(world, sim.clock) as second:
        (home / "sources.yaml").write_text(BESIDE.format(url=second.url))
        stack = Stack(
            home,
            "up",
            FOOTY_API_FOOTBALL_URL=sim.url,
            FOOTY_API_FOOTBALL_KEY="up",
            FOOTY_WIKIDATA_URL=sim.wikidata_url,
            FOOTY_TRACKED_TEAMS="*",
            FOOTY_SOURCES="none",
        )
        try:
            stack.ui()
            stack.wait_until(lambda: second.football_data.request_count > 0, 90)
            (watcher,) = stack.running("watch")
            watcher.kill()
            watcher.wait()
            stack.wait_until(lambda: {p.pid for p in stack.running("watch")} != set(), 30)
            asked = second.football_data.request_count
            stack.wait_until(lambda: second.football_data.request_count > asked, 90)
            told = httpx.get(f"{stack.gallery()}/status").json()["sources"]
            assert set(told["sources"]) == {"api_football", "second"}
            assert stack.stop() == 0
        finally:
            stack.kill_everything()


@pytest.mark.slow
@pytest.mark.stack
def test_a_bad_file_is_refused_before_any_request(sim: SimServer, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    text = BESIDE.format(url="x").replace("football_data", "teletext")
    (home / "sources.yaml").write_text(text)
    stack = Stack(home, "up", FOOTY_API_FOOTBALL_URL=sim.url, FOOTY_API_FOOTBALL_KEY="up")
    try:
        assert stack.process.wait(90) == 2
        assert "sources.yaml line 3: providers.second.adapter" in stack.said
    finally:
        stack.kill_everything()
