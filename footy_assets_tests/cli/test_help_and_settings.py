"""Help, settings and version: the manual that comes with the command."""

import pytest

from footy_assets.settings import Settings
from footy_assets_tests.cli.conftest import KEY, Footy

COMMANDS = [
    *("up", "demo", "doctor", "settings", "ingest", "poll", "fixtures", "events", "login"),
    *("clips", "search", "explain", "revalidate", "rerank", "close", "audit"),
]
PRINT_DATA = [name for name in COMMANDS if name not in ("up", "login")]


def test_every_command_is_listed_and_has_help(footy: Footy) -> None:
    listing = footy("--help").stdout
    for name in COMMANDS:
        assert name in listing
        assert footy(name, "--help").returncode == 0


@pytest.mark.parametrize("name", PRINT_DATA)
def test_every_command_that_prints_data_has_json(footy: Footy, name: str) -> None:
    assert "--json" in footy(name, "--help").stdout


def test_settings_are_all_documented_and_secrets_masked(footy: Footy) -> None:
    rows = {row["name"]: row for row in footy.json("settings")}
    assert rows.keys() == {f"FOOTY_{name.upper()}" for name in Settings.model_fields}
    assert all(row["description"] for row in rows.values())
    assert rows["FOOTY_API_FOOTBALL_KEY"]["value"] == "********"
    assert rows["FOOTY_TRACKED_LEAGUES"]["default"] == "39,140,78,135,61"
    assert KEY not in footy("settings").stdout


def test_doctor_says_what_is_missing_and_how_to_fix_it(footy: Footy) -> None:
    wrong = {"FOOTY_S3_ENDPOINT_URL": "http://127.0.0.1:9", "FOOTY_TABLES_FOLDER": __file__}
    done = footy("doctor", FOOTY_API_FOOTBALL_KEY="", **wrong)
    assert done.returncode == 1
    assert "API-Football: no key" in done.stdout
    assert "Set FOOTY_API_FOOTBALL_KEY" in done.stdout
    assert "FOOTY_S3_ENDPOINT_URL" in done.stdout
    assert "MongoDB 6" in done.stdout
    assert "Set FOOTY_TABLES_FOLDER" in done.stdout


def test_version(footy: Footy) -> None:
    assert footy("--version").stdout.startswith("footy ")
