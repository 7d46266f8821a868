"""`footy history`: one line typed gives a season."""

from pathlib import Path

import pandas as pd

from footy_assets.sim import clubs_of
from footy_assets_tests.cli.conftest import Footy, footy

__all__ = ["footy"]
ONE = ("--league", "39", "--season", "2023")


def test_y7_a_season_typed_once_is_there_with_its_tables(footy: Footy, tmp_path: Path) -> None:
    told = footy.json("history", "start", *ONE)
    assert told["key"] == "39:2023"
    assert told["complete"]
    players = pd.read_parquet(tmp_path / "home" / "tables" / "player_seasons")
    assert len(players) == 610
    asked = len(footy.sim.requests)
    assert footy.json("history", "start", *ONE)["complete"]
    assert len(footy.sim.requests) == asked
    (listed,) = footy.json("history", "status")
    assert listed["tiers"]["venue"]["processed"] == 20


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
    assert footy.json("history", "retry", *ONE) == {"key": "39:2023", "documents_due": 1}
    assert footy.json("history", "start", *ONE)["complete"]
    (entry,) = footy.json("audit")
    assert entry["operation"] == "retry season"


def test_y5_y11_advance_backfill_and_export_say_what_they_did(footy: Footy, tmp_path: Path) -> None:
    footy.json("history", "start", *ONE, "--detach")
    assert not footy.sim.requests
    told = footy.json("history", "advance", *ONE, "--why", "a test")
    assert told == {"key": "39:2023", "state": "WaitingForVenue"}
    assert footy("history", "backfill", *ONE).returncode == 3
    footy.json("history", "start", *ONE)
    assert len(footy.json("history", "backfill", *ONE)["matchdays"]) == 114
    written = footy.json("history", "export", *ONE, "--into", str(tmp_path / "elsewhere"))
    assert [row["table"] for row in written] == [
        *("seasons", "venues", "team_seasons", "player_seasons")
    ]
    assert all(Path(row["file"]).is_file() for row in written)


def test_what_cannot_be_is_refused_in_a_sentence(footy: Footy) -> None:
    done = footy("history", "start", "--league", "39", "--season", "23")
    assert done.returncode == 2
    assert "39:2023" in done.stderr
    done = footy("history", "status", *ONE)
    assert done.returncode == 4
    assert "was never started" in done.stderr
