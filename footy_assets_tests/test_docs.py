"""README and docs say only what is true: commands, options, settings and links exist."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from footy_assets.cli.app import app
from footy_assets.settings import Settings

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_and_pictures_are_there(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_settings_that_are_named_exist(page: Path) -> None:
    known = {f"FOOTY_{name.upper()}" for name in Settings.model_fields}
    assert set(re.findall(r"\bFOOTY_[A-Z0-9_]+\b", page.read_text())) <= known


def test_commands_of_the_readme_exist_with_their_options() -> None:
    text = (ROOT / "README.md").read_text()
    command = r"^    (?:\./)?footy ((?:clip |triggers |history |sources )?[a-z]+)"
    named = set(re.findall(command, text, re.MULTILINE)) - {"test"}
    assert {
        "demo",
        "up",
        "doctor",
        "ingest",
        "poll",
        "fixtures",
        "events",
        "triggers eval",
        "history start",
        "history backfill",
        "sources status",
        "health",
    } <= named
    for name in named:
        done = CliRunner().invoke(app, [*name.split(), "--help"])
        assert done.exit_code == 0, name
        for line in re.findall(rf"^    (?:\./)?footy {name}([^\n#]*)", text, re.MULTILINE):
            for option in re.findall(r"--[a-z-]+", line):
                assert option in done.stdout, f"{name} {option}"


def test_the_sources_of_the_readme_are_readable() -> None:
    from footy_assets.sources.descriptors import read_sources

    (example,) = re.findall(r"```yaml\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert list(read_sources(example).sources) == ["api_football", "football_data", "scores"]


def test_the_readmes_test_command_is_what_ci_runs() -> None:
    assert "    ./footy test\n" in (ROOT / "README.md").read_text()
    assert "./footy test" in (ROOT / ".ci" / "run").read_text()


def test_every_exit_code_of_the_readme_is_one_that_errors_use() -> None:
    from footy_assets import errors

    used = {
        value.exit_code
        for value in vars(errors).values()
        if isinstance(value, type) and issubclass(value, errors.FootyError)
    }
    said = re.search(r"Exit codes: (.*?)\n\n", (ROOT / "README.md").read_text(), re.DOTALL)
    assert said
    assert used <= {int(number) for number in re.findall(r"\b(\d+) [a-z]", said[1])}
