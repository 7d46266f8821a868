"""Help, settings, version and `footy doctor`."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from footy_assets import __version__
from footy_assets.cli.app import app
from footy_assets.settings import Settings
from footy_assets_tests.fixtures.command import KEY, NO_S3, Footy

RUN_UNTIL_STOPPED = {
    *("up", "web", "login", "listen", "worker", "sources watch"),
    *("code-server", "daemon", "dagster-ui"),
}
ANSWERS_BY_EXIT_CODE = {"alive"}


def commands(group: Any, *above: str) -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, *above, name)
        else:
            yield " ".join((*above, name)), command


COMMANDS = dict(commands(get_command(app)))
PRINT_DATA = sorted(COMMANDS.keys() - RUN_UNTIL_STOPPED - ANSWERS_BY_EXIT_CODE)


@pytest.mark.slow
def test_every_command_is_listed_and_has_help(footy: Footy) -> None:
    listing = footy.process("--help").stdout
    for name, command in COMMANDS.items():
        assert name.split()[0] in listing
        assert command.help, name
    assert "--json" in footy("events", "--help").stdout


@pytest.mark.parametrize("name", PRINT_DATA)
def test_every_command_that_prints_data_has_json(name: str) -> None:
    assert "--json" in [option for one in COMMANDS[name].params for option in one.opts]


def test_settings_are_all_documented_and_secrets_masked(footy: Footy) -> None:
    rows = {row["name"]: row for row in footy.json("settings")}
    assert rows.keys() == {f"FOOTY_{name.upper()}" for name in Settings.model_fields}
    assert all(row["description"] for row in rows.values())
    assert rows["FOOTY_API_FOOTBALL_KEY"]["value"] == "********"
    assert rows["FOOTY_TRACKED_LEAGUES"]["default"] == "39,140,78,135,61"
    assert KEY not in footy("settings").stdout


@pytest.mark.slow
def test_doctor_reports_what_is_missing_and_how_to_fix_it(footy: Footy) -> None:
    wrong = {**NO_S3, "FOOTY_TABLES_FOLDER": __file__}
    done = footy.process("doctor", FOOTY_API_FOOTBALL_KEY="", **wrong)
    assert done.returncode == 1
    assert "API-Football: no key" in done.stdout
    assert "Set FOOTY_API_FOOTBALL_KEY" in done.stdout
    assert "FOOTY_S3_ENDPOINT_URL" in done.stdout
    assert "MongoDB 6" in done.stdout
    assert "Set FOOTY_TABLES_FOLDER" in done.stdout


@pytest.mark.slow
def test_doctor_reports_the_library_that_opencv_misses(footy: Footy, tmp_path: Path) -> None:
    error = "libGL.so.1: cannot open shared object file: No such file or directory"
    (tmp_path / "cv2.py").write_text(f"raise ImportError({error!r})")
    rows = json.loads(footy.process("doctor", "--json", PYTHONPATH=str(tmp_path)).stdout)
    (found,) = (row for row in rows if row["name"] == "OpenCV")
    assert not found["ok"]
    assert error in found["detail"]
    assert "libgl1" in found["fix"]


def test_version(footy: Footy) -> None:
    assert footy.process("--version").stdout == f"footy {__version__}\n"
