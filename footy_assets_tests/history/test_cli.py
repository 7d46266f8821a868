"""`footy history`: one line typed gives a season."""

import json
from pathlib import Path
from typing import Any

import pandas as pd

from footy_assets.sim import clubs_of
from footy_assets_tests.cli.conftest import Footy, footy

__all__ = ["footy"]
ONE = ("--league", "39", "--season", "2023")


def asked(footy: Footy, *arguments: str) -> Any:
    return footy.json("history", *arguments, *ONE)


def test_y7_y11_y12_a_season_typed_once_is_there_with_its_tables_and_its_goals_asked_for(
    footy: Footy, tmp_path: Path
) -> None:
    assert asked(footy, "start", "--detach")["state"] == "WaitingForSeason"
    assert not footy.sim.requests
    assert footy("history", "backfill", *ONE).returncode == 3
    told = json.loads(footy("history", "start", *ONE, "--json").stdout)
    assert (told["key"], told["complete"]) == ("39:2023", True)
    players = pd.read_parquet(tmp_path / "home" / "tables" / "player_seasons")
    assert len(players) == 610
    assert asked(footy, "status")["tiers"]["venue"]["processed"] == 20
    assert len(asked(footy, "backfill")["matchdays"]) == 114
    written = asked(footy, "export", "--into", str(tmp_path / "elsewhere"))
    assert [row["table"] for row in written] == [
        *("seasons", "venues", "team_seasons", "player_seasons")
    ]
    assert all(Path(row["file"]).is_file() for row in written)


def test_y6_a_poisoned_document_is_told_and_healed_by_a_retry(footy: Footy) -> None:
    venue = str(min(club.venue_id for club in clubs_of(39)))
    # Ten tries would take nine minutes; the clock runs faster for this command alone.
    fast = {"FOOTY_CLOCK": footy.env["FOOTY_CLOCK"].replace("@1.0@", "@600.0@")}
    footy.sim.faults.garble(times=None, path="/venues", query={"id": venue})
    done = footy("history", "start", *ONE, **fast)
    assert done.returncode == 1
    assert f"/venues?id={venue}" in done.stdout
    assert "footy history retry" in done.stdout
    footy.sim.faults.clear()
    assert asked(footy, "retry") == {"key": "39:2023", "documents_due": 1}
    assert footy.json("history", "start", *ONE)["complete"]


def test_y5_advance_says_which_tier_began_and_forget_ends_it(footy: Footy) -> None:
    asked(footy, "start", "--detach")
    told = asked(footy, "advance", "--why", "a test")
    assert told == {"key": "39:2023", "state": "WaitingForVenue"}
    assert asked(footy, "forget") == {"key": "39:2023", "documents_forgotten": 0}


def test_what_cannot_be_is_refused_in_a_sentence(footy: Footy) -> None:
    done = footy("history", "start", "--league", "39", "--season", "23")
    assert done.returncode == 2
    assert "39:2023" in done.stderr


def test_a_league_that_the_provider_does_not_know_is_told_at_once(footy: Footy) -> None:
    done = footy("history", "start", "--league", "999", "--season", "2023")
    assert done.returncode == 1
    assert "the provider knows no season 2023 of league 999" in done.stdout
