"""Settings: sources, validation, masking, and how they reach other processes."""

from pathlib import Path

import pytest

from footy_assets.errors import BadInput
from footy_assets.setting_lists import as_environment, describe
from footy_assets.settings import load_settings


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def test_lists_of_ids_are_written_with_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTY_TRACKED_LEAGUES", "39, 140")
    monkeypatch.setenv("FOOTY_TRACKED_TEAMS", "10")
    settings = load_settings()
    assert settings.tracked_leagues == (39, 140)
    assert settings.tracked_teams == (10,)


def test_a_star_tracks_every_fixture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTY_TRACKED_TEAMS", "*")
    assert load_settings().tracked_teams == "*"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("FOOTY_TRACKED_LEAGUES", "premier"),
        ("FOOTY_POLL_SECONDS", "0"),
        ("FOOTY_CONFIRM_SECONDS", "5"),
        ("FOOTY_RETENTION_DAYS", "-1"),
        ("FOOTY_CLOCK", "noon"),
        ("FOOTY_DAGSTER_PORT", "99999"),
    ],
)
def test_a_wrong_value_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(BadInput, match=name):
        load_settings()


def test_settings_reach_a_process_in_another_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "mine").write_text("FOOTY_API_FOOTBALL_KEY=k3y\nFOOTY_TRACKED_LEAGUES=39,140\n")
    before = load_settings(env_file="mine")
    for name, value in as_environment(before).items():
        monkeypatch.setenv(name, value)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    after = load_settings()
    assert after.api_football_key == before.api_football_key
    assert after.tracked_leagues == (39, 140)


def test_secrets_are_masked() -> None:
    rows = {row["name"]: row for row in describe(load_settings(api_football_key="k3y"))}
    assert rows["FOOTY_API_FOOTBALL_KEY"]["value"] == "********"


def test_former_names_of_settings_still_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTY_SOURCES", "bluesky")
    monkeypatch.setenv("FOOTY_SOURCES_FILE", "/etc/footy.yaml")
    found = load_settings()
    assert (found.sites, found.providers_file) == (("bluesky",), Path("/etc/footy.yaml"))
    monkeypatch.setenv("FOOTY_SITES", "x")
    assert load_settings().sites == ("x",), "where both are set, the new name wins"
    assert as_environment(load_settings())["FOOTY_SITES"] == "x"


@pytest.mark.parametrize("name", ["FOOTY_SOURCES", "FOOTY_SITES"])
def test_an_unknown_site_is_refused_under_either_name(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "teletext")
    with pytest.raises(BadInput, match=r"FOOTY_SITES is not valid.*teletext is not a site"):
        load_settings()
