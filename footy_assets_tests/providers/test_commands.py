"""`footy providers …` and `footy health`, as real commands."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pymongo.database import Database

from footy_assets.clock import parse_clock
from footy_assets.providers.store.our_ids import Kind, OurIds
from footy_assets.providers.store.provider_state import ProviderState
from footy_assets.providers.store.records import ProviderRecords
from footy_assets.sim import World
from footy_assets.sim.other_providers import OtherProviders
from footy_assets.store.collections import Document
from footy_assets_tests.fixtures.command import KICKOFF, SALAH, Footy
from footy_assets_tests.fixtures.command import footy as footy

pytestmark = pytest.mark.slow

FILE = """\
providers:
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
def second(footy: Footy) -> Iterator[OtherProviders]:
    with OtherProviders(
        World.from_scripts([], day=footy.sim.world.day), footy.sim.clock
    ) as running:
        home = Path(footy.env["FOOTY_HOME"])
        home.mkdir(parents=True, exist_ok=True)
        (home / "sources.yaml").write_text(FILE.format(url=running.url))
        yield running


def test_sources_status_without_a_file(footy: Footy) -> None:
    output = footy.json("sources", "status")
    assert [provider["source"] for provider in output["sources"]] == ["api_football"]
    assert output["refused"] is None


def test_l1_a_match_is_named_by_the_id_of_a_provider(
    footy: Footy, database: Database[Document]
) -> None:
    footy.live_match(SALAH)
    unknown = footy("ingest", "--ids", "espn:760415")
    assert unknown.returncode == 4
    assert "no match is known as espn:760415. Ingest its day first" in unknown.stderr
    ProviderRecords(database).save_mapping("espn", "760415", 5000, KICKOFF)
    OurIds(database, "espn").set(Kind.TEAM, {"364": 40})
    assert footy.json("ingest", "--ids", "espn:760415,5000")["added"] == 1
    known = {"api_football": "5000", "espn": "760415"}
    assert [row["provider_ids"] for row in footy.json("fixtures")] == [known]
    explained = footy.json("sources", "match", "5000")
    assert (explained["provider_ids"], explained["fields"]) == (known, [])
    assert explained["teams"]["home"]["provider_ids"] == {"api_football": "40", "espn": "364"}
    shown = footy("sources", "match", "5000").stdout
    assert "match 5000: api_football:5000, espn:760415" in shown
    assert "40: api_football:40, espn:364" in shown
    assert footy("sources", "match", "77").returncode == 4
    for wrong in ("espn:", "ESPN:1", "espn:ö", "x"):
        assert footy("ingest", "--ids", wrong).returncode == 2


def test_a_lead_that_is_switched_off_is_one_sentence(footy: Footy) -> None:
    footy.json("sources", "disable", "api_football")
    done = footy("ingest")
    assert done.returncode == 3
    reason = "footy: api_football is switched off: footy sources enable api_football."
    assert done.stderr.strip() == reason
    assert footy.sim.requests == []


def test_l5_the_status_has_the_last_discovery(
    footy: Footy, database: Database[Document], second: OtherProviders
) -> None:
    ProviderState(database).record_discovery("second", KICKOFF)
    rows = footy.json("sources", "status")["sources"]
    assert [row["last_discovery"] for row in rows] == [None, KICKOFF.isoformat()]
    summary = footy.json("health")
    assert summary["sources"]["second"]["last_discovery"] == KICKOFF.isoformat()


def test_health_after_a_poll(footy: Footy) -> None:
    footy.live_match(SALAH)
    footy.json("ingest", "--ids", "5000")
    footy.json("poll")
    output = footy.json("health")
    assert output["grade"] == "healthy"
    assert output["freshness"]["count"] == 1
    assert output["freshness"]["max"] < 30
    assert "1 live matches" in footy("health").stdout


def test_A1_enable_and_disable_while_running(footy: Footy, second: OtherProviders) -> None:
    footy.json("sources", "disable", "second")
    output = {one["source"]: one["enabled"] for one in footy.json("sources", "status")["sources"]}
    assert output == {"api_football": True, "second": False}
    footy.json("sources", "enable", "second")
    output = {one["source"]: one["enabled"] for one in footy.json("sources", "status")["sources"]}
    assert output["second"] is True
    assert footy("sources", "enable", "teletext").returncode == 4


def test_A1_a_bad_file_is_reported_with_its_line(footy: Footy, second: OtherProviders) -> None:
    file = Path(footy.env["FOOTY_HOME"]) / "sources.yaml"
    file.write_text(file.read_text().replace("80", "800"))
    output = footy.json("sources", "status")
    assert "line 7" in output["refused"]
    assert [provider["source"] for provider in output["sources"]] == ["api_football"]


def test_l6_watch_pauses_a_match_after_as_many_failures_as_configured(
    footy: Footy, second: OtherProviders
) -> None:
    footy.live_match(SALAH)
    footy.json("ingest", "--ids", "5000")
    footy.json("poll")
    second.football_data.broken = "refused"
    footy.env["FOOTY_PROVIDER_PAUSE_AFTER"] = "1"
    assert footy("sources", "watch", "--seconds", "1").returncode == 0
    output = footy.json("health")
    assert output["paused"] == ["second:5000"]
    assert output["running"] == {}
    assert output["configuration"]["thresholds"]["pause_after_failures"] == 1
    assert output["configuration"]["providers"]["second"]["adapter"] == "football_data"


def test_watch_polls_the_others_and_the_live_poll_uses_their_reports(
    footy: Footy, second: OtherProviders
) -> None:
    footy.live_match(SALAH)
    footy.json("ingest", "--ids", "5000")
    footy.json("poll")
    assert footy("sources", "watch", "--seconds", "2").returncode == 0
    assert second.football_data.request_count >= 1
    assert parse_clock(footy.env["FOOTY_CLOCK"]).speed == 1
    footy.json("poll")
    assert footy.json("sources", "status")["refused"] is None
