"""What contributors rely on: the same linters everywhere, and CI that runs the README."""

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from footy_assets import __version__
from footy_assets.cli.app import app

ROOT = Path(__file__).resolve().parents[1]
GITHUB = ROOT / ".github"
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text()
COMMANDS = ["./footy test", "./footy demo"]


def _read_yaml(path: Path) -> Any:
    return yaml.safe_load(path.read_text())


def _linters_of_the_test_command() -> list[str]:
    found = re.search(r"^ *for check in (.+); do$", (ROOT / "footy").read_text(), re.MULTILINE)
    assert found
    return shlex.split(found[1])


def test_pre_commit_runs_the_linters_of_the_test_command_with_the_projects_own_tools() -> None:
    (local,) = _read_yaml(ROOT / ".pre-commit-config.yaml")["repos"]
    assert local["repo"] == "local"
    assert {hook["language"] for hook in local["hooks"]} == {"system"}
    entries = [hook["entry"] for hook in local["hooks"]]
    assert entries == [f".venv/bin/{linter}" for linter in _linters_of_the_test_command()]
    # Each checks the whole tree, as the test command does.
    assert not any(hook["pass_filenames"] for hook in local["hooks"])


def test_pre_commit_accepts_its_configuration() -> None:
    command = [Path(sys.executable).with_name("pre-commit"), "validate-config"]
    config = ROOT / ".pre-commit-config.yaml"
    done = subprocess.run([*command, config], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_ci_runs_the_two_commands_of_the_readme_and_a_minute_of_damaged_videos() -> None:
    jobs = _read_yaml(GITHUB / "workflows" / "ci.yml")["jobs"]
    # The image has tests of its own.
    steps = [step for name, job in jobs.items() if name != "image" for step in job["steps"]]
    commands = [step["run"] for step in steps if "run" in step]
    fuzz = [command for command in commands if "fuzz_media --seconds 60" in command]
    assert len(fuzz) == 1
    assert [command for command in commands if command not in fuzz] == COMMANDS
    readme = (ROOT / "README.md").read_text()
    assert all(f"    {command}\n" in readme for command in COMMANDS)


@pytest.mark.parametrize("form", sorted((GITHUB / "ISSUE_TEMPLATE").glob("*_*.yml")), ids=str)
def test_a_form_for_issues_is_complete(form: Path) -> None:
    content = _read_yaml(form)
    assert content["name"]
    assert content["description"]
    ids = [part["id"] for part in content["body"]]
    assert len(set(ids)) == len(ids)
    assert all(part["attributes"]["label"] for part in content["body"])


def test_the_newest_version_of_the_changelog_is_the_packages() -> None:
    text = (ROOT / "CHANGELOG.md").read_text()
    unreleased, newest, *_ = re.findall(
        r"^## \[(.+?)\](?: - \d{4}-\d\d-\d\d)?$", text, re.MULTILINE
    )
    assert unreleased == "Unreleased"
    assert newest == __version__


def test_contributing_lists_every_room() -> None:
    listed = re.findall(r"^\| `(\w+)/` \|", CONTRIBUTING, re.MULTILINE)
    rooms = [path.parent.name for path in (ROOT / "footy_assets").glob("*/__init__.py")]
    assert sorted(name for name in listed if name != "rules") == sorted(rooms)


def test_files_in_contributing_exist() -> None:
    tops = "footy_assets|footy_assets_tests|resources|sensors|docs"
    named = set(re.findall(rf"\b((?:{tops})/[\w/.]+)[`)]", CONTRIBUTING))
    assert len(named) > 25
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_names_in_contributing_are_in_the_files_it_gives() -> None:
    """Written as `Name` in `file`, or `Name` and `Other` in `file`."""
    pattern = r"(?:`(\w+)` and )?`(\w+)` in\s+`([\w/]+\.py)`"
    found = re.findall(pattern, CONTRIBUTING)
    assert len(found) >= 12
    for *names, file in found:
        for name in filter(None, names):
            assert re.search(rf"\b{name}\b", (ROOT / file).read_text()), f"{name} in {file}"


def test_other_names_of_contributing_are_in_the_code() -> None:
    folders = ("footy_assets", "footy_assets_tests", "resources", "sensors")
    code = "\n".join(path.read_text() for top in folders for path in (ROOT / top).rglob("*.py"))
    words = set(re.findall(r"`([A-Za-z_]\w{3,})`", CONTRIBUTING))
    assert len(words) > 20
    assert [word for word in words if not re.search(rf"\b{word}\b", code)] == []


def test_commands_of_contributing_exist_with_their_options() -> None:
    named = re.findall(
        r"\./footy ([a-z]+(?: (?:status|eval))?)((?: --[a-z-]+| [A-Z]+)*)", CONTRIBUTING
    )
    assert {"demo", "up", "sources status", "triggers eval"} <= {name for name, _ in named}
    for name, options in named:
        if name == "test":
            continue
        done = CliRunner().invoke(app, [*name.split(), "--help"])
        assert done.exit_code == 0, name
        for option in re.findall(r"--[a-z-]+", options):
            assert option in done.stdout, f"{name} {option}"


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-runtime.lock"])
def test_a_lock_is_made_with_the_command_of_contributing(lock: str) -> None:
    (command,) = re.findall(rf"uv pip compile .+ -o {lock}", CONTRIBUTING)
    assert f"#    {command}\n" in (ROOT / lock).read_text()


def test_every_threat_has_a_test_that_exists() -> None:
    text = (ROOT / "SECURITY.md").read_text()
    rows = re.findall(r"^\| .* \| .* \| .* \| (.+) \|$", text, re.MULTILINE)[1:]
    assert len(rows) > 15
    for row in rows:
        named = re.findall(r"`([^`]+\.py)`", row)
        assert named, row
        assert all((ROOT / name).is_file() for name in named), row
