"""`footy sources …` and `footy health`, as real commands."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from footy_assets.clock import parse_clock
from footy_assets.sim import World
from footy_assets.sim.more_sources import MoreSources
from footy_assets_tests.cli.conftest import SALAH, Footy
from footy_assets_tests.cli.conftest import footy as footy

FILE = """\
sources:
  api_football:
    adapter: api_football
    precedence: 100
  second:
    adapter: football_data
    precedence: 80
    settings:
      url: {url}
"""


@pytest.fixture
def second(footy: Footy) -> Iterator[MoreSources]:
    with MoreSources(World.from_scripts([], day=footy.sim.world.day), footy.sim.clock) as running:
        home = Path(footy.env["FOOTY_HOME"])
        home.mkdir(parents=True, exist_ok=True)
        (home / "sources.yaml").write_text(FILE.format(url=running.url))
        yield running


def test_sources_status_without_a_file(footy: Footy) -> None:
    told = footy.json("sources", "status")
    assert [source["source"] for source in told["sources"]] == ["api_football"]
    assert told["refused"] is None


def test_health_after_a_poll(footy: Footy) -> None:
    footy.live_match(SALAH)
    footy.json("ingest", "--ids", "5000")
    footy.json("poll")
    told = footy.json("health")
    assert told["grade"] == "healthy"
    assert told["freshness"]["count"] == 1
    assert told["freshness"]["max"] < 30
    assert "1 matches in play" in footy("health").stdout


def test_A1_enable_and_disable_while_running(footy: Footy, second: MoreSources) -> None:
    footy.json("sources", "disable", "second")
    told = {one["source"]: one["enabled"] for one in footy.json("sources", "status")["sources"]}
    assert told == {"api_football": True, "second": False}
    footy.json("sources", "enable", "second")
    told = {one["source"]: one["enabled"] for one in footy.json("sources", "status")["sources"]}
    assert told["second"] is True
    assert footy("sources", "enable", "teletext").returncode == 4


def test_A1_a_bad_file_is_told_with_its_line(footy: Footy, second: MoreSources) -> None:
    file = Path(footy.env["FOOTY_HOME"]) / "sources.yaml"
    file.write_text(file.read_text().replace("80", "800"))
    told = footy.json("sources", "status")
    assert "line 7" in told["refused"]
    assert [source["source"] for source in told["sources"]] == ["api_football"]


def test_watch_asks_the_others_and_the_poll_finds_what_they_said(
    footy: Footy, second: MoreSources
) -> None:
    footy.live_match(SALAH)
    footy.json("ingest", "--ids", "5000")
    footy.json("poll")
    assert footy("sources", "watch", "--seconds", "2").returncode == 0
    assert second.football_data.asked >= 1
    assert parse_clock(footy.env["FOOTY_CLOCK"]).speed == 1
    footy.json("poll")
    assert footy.json("sources", "status")["refused"] is None
