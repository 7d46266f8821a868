"""Which `.env` is believed: never that of the folder one happens to stand in."""

import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from footy_assets.cli.app import app
from footy_assets.env_files import find_env_files
from footy_assets.errors import BadInput
from footy_assets.settings import load_settings

FOREIGN = """\
FOOTY_API_FOOTBALL_URL=http://attacker.example
FOOTY_BROWSER_PATH=/tmp/attacker
FOOTY_HOME=/tmp/attacker
FOOTY_ENV_FILE=/tmp/attacker
"""


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty working directory, and no settings."""
    for name in [name for name in os.environ if name.startswith("FOOTY_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: Path, text: str, mode: int = 0o600) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


def test_a_foreign_env_in_the_working_directory_is_not_believed(folder: Path) -> None:
    write(folder / ".env", FOREIGN)
    write(folder / ".footy" / ".env", FOREIGN)
    settings = load_settings()
    assert settings.api_football_url == "https://v3.football.api-sports.io"
    assert settings.browser_path is None
    assert settings.home != Path("/tmp/attacker")


def test_an_installed_package_has_its_home_with_the_user_and_reads_no_env_by_itself(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder / ".env", FOREIGN)
    write(folder / ".footy" / ".env", FOREIGN)
    monkeypatch.setattr("footy_assets.settings.PACKAGE_ROOT", folder / "site-packages")
    monkeypatch.setenv("HOME", str(folder / "me"))
    settings = load_settings()
    assert settings.home == folder / "me" / ".footy"
    assert settings.browser_path is None
    assert find_env_files({}, None, None) == ()


def test_the_checkouts_the_homes_and_the_named_file_are_read_and_the_last_wins(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout, home = folder / "checkout", folder / "home"
    three = ["FOOTY_RETENTION_DAYS={}", "FOOTY_SEARCH_CHOSEN={}", "FOOTY_CLIP_SHORT_EDGE={}"]
    write(checkout / "dagster.yaml", "")
    write(checkout / ".env", "\n".join(three).format(1, 1, 1) + f"\nFOOTY_HOME={home}")
    write(home / ".env", "\n".join(three[1:]).format(2, 2))
    named = write(folder / "mine.env", three[2].format(3))
    monkeypatch.setattr("footy_assets.settings.PACKAGE_ROOT", checkout)
    monkeypatch.setenv("FOOTY_ENV_FILE", str(named))
    settings = load_settings()
    assert settings.home == home
    found = (settings.retention_days, settings.search_chosen, settings.clip_short_edge)
    assert found == (1, 2, 3)
    monkeypatch.setenv("FOOTY_CLIP_SHORT_EDGE", "4")
    assert load_settings().clip_short_edge == 4, "the environment wins"


def test_the_command_line_names_a_file(folder: Path) -> None:
    named = write(folder / "mine.env", "FOOTY_S3_BUCKET=mine")
    done = CliRunner().invoke(app, ["--env-file", str(named), "settings", "--json"])
    assert '"value": "mine"' in done.stdout


def test_a_named_file_that_is_missing_is_said(folder: Path) -> None:
    with pytest.raises(BadInput, match="there is no settings file"):
        load_settings(env_file=folder / "nothing")


@pytest.mark.parametrize("mode", [0o620, 0o602])
def test_a_file_that_others_can_write_is_refused(folder: Path, mode: int) -> None:
    named = write(folder / "mine.env", "FOOTY_S3_BUCKET=mine", mode)
    with pytest.raises(BadInput, match="can be changed by other users") as refused:
        load_settings(env_file=named)
    assert f"chmod go-w {named}" in refused.value.sentence()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")
def test_a_file_of_another_user_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = folder / "home"
    os.chown(write(home / ".env", FOREIGN), 65534, -1)
    monkeypatch.setenv("FOOTY_HOME", str(home))
    with pytest.raises(BadInput, match="belongs to another user"):
        load_settings()


def test_a_file_that_is_not_text_is_refused(folder: Path) -> None:
    named = write(folder / "mine.env", "")
    named.write_bytes(b"FOOTY_S3_BUCKET=\xff\xfe")
    with pytest.raises(BadInput, match="cannot be read"):
        load_settings(env_file=named)
