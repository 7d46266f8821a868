"""`footy history`: one command loads a season."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from footy_assets.sim import clubs_of
from footy_assets_tests.fixtures.command import Footy, footy

pytestmark = pytest.mark.slow

__all__ = ["footy"]
ONE = ("--league", "39", "--season", "2023")


def history(footy: Footy, *arguments: str) -> Any:
    return footy.json("history", *arguments, *ONE)


def test_y7_y11_y12_one_command_loads_a_season_with_its_tables_and_a_second_backfills_its_goals(
    footy: Footy, tmp_path: Path
) -> None:
    assert history(footy, "start", "--detach")["state"] == "WaitingForSeason"
    assert not footy.sim.requests
    assert footy("history", "backfill", *ONE).returncode == 3
    status = json.loads(footy.process("history", "start", *ONE, "--json").stdout)
    assert (status["key"], status["complete"]) == ("39:2023", True)
    players = pd.read_parquet(tmp_path / "home" / "tables" / "player_seasons")
    assert len(players) == 610
    assert history(footy, "status")["tiers"]["venue"]["processed"] == 20
    assert len(history(footy, "backfill")["matchdays"]) == 114
    written = history(footy, "export", "--into", str(tmp_path / "elsewhere"))
    assert [row["table"] for row in written] == [
        *("seasons", "venues", "team_seasons", "player_seasons")
    ]
    assert all(Path(row["file"]).is_file() for row in written)


def test_y6_an_unreadable_document_is_reported_and_a_retry_recovers_it(footy: Footy) -> None:
    venue = str(min(club.venue_id for club in clubs_of(39)))
    # Ten tries would take nine minutes; the clock runs faster for this command alone.
    fast = {"FOOTY_CLOCK": footy.env["FOOTY_CLOCK"].replace("@1.0@", "@600.0@")}
    footy.sim.faults.garble(times=None, path="/venues", query={"id": venue})
    done = footy("history", "start", *ONE, **fast)
    assert done.returncode == 1
    assert f"/venues?id={venue}" in done.stdout
    assert "footy history retry" in done.stdout
    footy.sim.faults.clear()
    assert history(footy, "retry") == {"key": "39:2023", "documents_due": 1}
    assert footy.json("history", "start", *ONE)["complete"]


def test_y5_advance_prints_the_new_state_and_forget_deletes_the_season(footy: Footy) -> None:
    history(footy, "start", "--detach")
    status = history(footy, "advance", "--why", "a test")
    assert status == {"key": "39:2023", "state": "WaitingForVenue"}
    assert history(footy, "forget") == {"key": "39:2023", "documents_forgotten": 0}


def test_an_invalid_season_is_refused_with_an_example(footy: Footy) -> None:
    done = footy("history", "start", "--league", "39", "--season", "23")
    assert done.returncode == 2
    assert "39:2023" in done.stderr


def test_a_league_unknown_to_the_provider_is_reported_at_once(footy: Footy) -> None:
    done = footy("history", "start", "--league", "999", "--season", "2023")
    assert done.returncode == 1
    assert "the provider has no season 2023 of league 999" in done.stdout
