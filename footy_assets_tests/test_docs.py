"""README and docs are correct: every example runs, every name in them exists."""

import importlib
import json
import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
import dagster as dg
import pandas as pd
import pytest
import typer
from typer.testing import CliRunner

from footy_assets.cli.app import app
from footy_assets.cli.loading import COMMANDS, GROUPS
from footy_assets.setting_lists import describe
from footy_assets.settings import FORMER_NAMES, Settings, load_settings

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
DOCS = ROOT / "docs"
PAGES = [README, *sorted(DOCS.glob("*.md")), ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md"]
ALERTS = ROOT / "monitoring" / "alerts.yml"
# The `./footy` script adds this command.
OF_THE_SCRIPT = {"test"}
# And reads this variable.
READ_BY_THE_SCRIPT = {"FOOTY_NO_APT"}


def each_page(*pages: Path) -> Any:
    return pytest.mark.parametrize("page", pages or PAGES, ids=lambda page: page.name)


def code_blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)


def table(page: Path, heading: str) -> list[list[str]]:
    """The rows of the table whose first column has this heading."""
    text = page.read_text()
    found = re.findall(rf"^\| {heading} \|.*\n\|[-|]+\n((?:\|.*\n?)+)", text, re.MULTILINE)
    assert found, f"{page.name} has no table of {heading}"
    return [
        [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        for part in found
        for line in part.strip().splitlines()
    ]


# -- links --------------------------------------------------------------------------------


@each_page()
def test_links_and_pictures_are_there(page: Path) -> None:
    for target in re.findall(r"\]\(([^)]+)\)", page.read_text()):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        file = page.parent / name if name else page
        assert file.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.+)$", file.read_text(), re.MULTILINE)
            assert anchor in {heading.lower().replace(" ", "-") for heading in headings}, target


def test_the_readme_leads_to_every_page() -> None:
    linked = set(re.findall(r"\]\(docs/(\w+\.md)\)", README.read_text()))
    assert linked == {page.name for page in DOCS.glob("*.md")}


# -- commands -----------------------------------------------------------------------------


@cache
def root() -> click.Group:
    made = typer.main.get_command(app)
    assert isinstance(made, click.core.Group) or hasattr(made, "commands")
    return made  # type: ignore[return-value]


def leaves() -> set[str]:
    """Every command by its full name."""
    below = {f"{group} {name}" for group in GROUPS for name in root().commands[group].commands}
    return {*COMMANDS, *below}


@dataclass(frozen=True)
class Example:
    page: str
    line: str

    @property
    def words(self) -> list[str]:
        """The words of a command without its comment; optional words in brackets are kept."""
        plain = re.sub(r"[\[\]]", "", self.line)
        return shlex.split(plain, comments=True)[1:]


def examples(page: Path) -> Iterator[Example]:
    for line in re.findall(r"^ {4,}(?:\./)?(footy .*)$", page.read_text(), re.MULTILINE):
        yield Example(page.name, line)


EXAMPLES = [one for page in PAGES for one in examples(page)]


def split(words: list[str]) -> tuple[str, list[str]]:
    size = 2 if words[0] in GROUPS else 1
    return " ".join(words[:size]), words[size:]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: f"{one.page}: {one.line[:60]}")
def test_every_command_is_accepted_by_the_real_parser(example: Example) -> None:
    if example.words[0] in OF_THE_SCRIPT:
        return
    name, arguments = split(example.words)
    command: Any = root()
    for part in name.split():
        command = command.commands[part]
    command.make_context(name, arguments)


def test_every_command_has_an_example() -> None:
    with_example = {split(one.words)[0] for one in EXAMPLES if one.page == "commands.md"}
    assert with_example == leaves()


@each_page(*PAGES, ALERTS)
def test_commands_within_sentences_exist_with_their_options(page: Path) -> None:
    for text in re.findall(r"`(?:\./)?footy ([^`]+)`", page.read_text().replace("\n", " ")):
        if not re.match(r"[a-z]+\b", text) or text.split()[0] in OF_THE_SCRIPT:
            continue
        words = [word for word in text.split() if word.strip("…")]
        if words == [words[0]] and words[0] in GROUPS:
            continue
        name = split([word.strip("…|") for word in words])[0]
        assert name in leaves(), text
        done = CliRunner().invoke(app, [*name.split(), "--help"])
        for option in re.findall(r"--[a-z-]+", text):
            assert option in done.stdout, text


def test_ci_runs_the_commands_of_the_readme() -> None:
    text, workflow = README.read_text(), (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    for command in ("./footy demo", "./footy test"):
        assert f"    {command}\n" in text
        assert f"run: {command}\n" in workflow
    assert "./footy test" in (ROOT / ".ci" / "run").read_text()


def test_every_exit_code_is_documented() -> None:
    from footy_assets import errors

    used = {
        value.exit_code
        for value in vars(errors).values()
        if isinstance(value, type) and issubclass(value, errors.FootyError)
    }
    assert used <= {int(code) for code, _ in table(DOCS / "commands.md", "code")}


def test_the_readme_describes_the_demo_correctly(tmp_path: Path) -> None:
    from footy_assets.runtime.demo_day import DemoDay
    from footy_assets.sim.fan_sites import SITES
    from footy_assets.sim.fans import Fans

    world = DemoDay().world()
    goals = list(world.truth())
    readme = re.sub(r"\s+", " ", README.read_text())
    assert len(world.fixture_ids) == 6
    assert [goal.ending for goal in goals].count("removed") == 3
    assert f"six matches with {len(goals)} goals, three of them cancelled" in readme
    assert f"and {len(Fans(world, tmp_path).videos)} fan videos" in readme
    count = ("no", "one", "two", "three", "four", "five")[len(SITES)]
    assert f"Fans post them on {count} simulated sites" in readme
    assert f"`--all` plays {len(DemoDay(everything=True).world().fixture_ids)} matches" in readme


# -- settings -----------------------------------------------------------------------------


@pytest.fixture
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in os.environ if name.startswith("FOOTY_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


@each_page(*PAGES, ALERTS)
def test_settings_in_the_docs_exist(page: Path) -> None:
    known = {f"FOOTY_{name.upper()}" for name in Settings.model_fields}
    named = set(re.findall(r"\bFOOTY_[A-Z0-9_]+\b", page.read_text()))
    assert named <= known | set(FORMER_NAMES.values()) | READ_BY_THE_SCRIPT


@pytest.mark.usefixtures("clean_environment")
@each_page()
def test_every_export_is_a_setting_that_loads(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for line in re.findall(r"^ {4,}export (.*)$", page.read_text(), re.MULTILINE):
        for word in shlex.split(line, comments=True):
            name, _, value = word.partition("=")
            monkeypatch.setenv(name, value)
            loaded = load_settings()
            assert any(f"FOOTY_{one.upper()}" == name for one in loaded.model_fields_set), word


@pytest.mark.usefixtures("clean_environment")
def test_the_page_of_settings_lists_exactly_the_settings() -> None:
    expected = {
        f"`{row['name']}`": (_default(row["name"], row["default"]), row["description"])
        for row in describe(Settings(_env_file=None))
    }
    documented = {
        name: (default, meaning) for name, default, meaning in table(SETTINGS_PAGE, "setting")
    }
    assert documented == expected


def test_former_names_of_settings_are_listed() -> None:
    documented = {tuple(cell.strip("`") for cell in row) for row in table(SETTINGS_PAGE, "former")}
    assert documented == {
        (former, f"FOOTY_{name.upper()}") for name, former in FORMER_NAMES.items()
    }


SETTINGS_PAGE = DOCS / "settings.md"


def _default(name: str, value: Any) -> str:
    if name == "FOOTY_HOME":
        value = Path(value).name
    if value in (None, ""):
        return ""
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


# -- files and programs -------------------------------------------------------------------


def test_the_examples_of_providers_are_read_by_the_real_reader() -> None:
    from footy_assets.providers.rules.descriptors import Descriptor, read_providers

    pages = (DOCS / "providers.md", DOCS / "own_provider.md")
    read = [read_providers(block) for page in pages for block in code_blocks(page, "yaml")]
    assert [(one.lead, list(one.providers)) for one in read] == [
        ("api_football", ["api_football", "football_data", "scores"]),
        ("espn", ["espn", "openligadb"]),
        ("mine", ["mine"]),
    ]
    keys = {row[0].strip("`") for row in table(DOCS / "providers.md", "key")}
    assert keys == set(Descriptor.model_fields)


def test_every_adapter_is_documented() -> None:
    from footy_assets.providers.connection import REQUIRED
    from footy_assets.providers.rules import adapter, descriptors

    rows = {row[0].strip("`"): row[1] for row in table(DOCS / "providers.md", "key")}
    assert set(descriptors.SETTINGS) <= set(re.findall(r"`(\w+)`", rows["adapter"]))
    page = DOCS / "own_provider.md"
    methods = [row[0].strip("`").split("(")[0] for row in table(page, "method")]
    assert tuple(methods) == REQUIRED
    protocols = (adapter.DetailsAdapter, adapter.SquadAdapter, adapter.CalendarAdapter)
    optional = {name for one in protocols for name in vars(one) if not name.startswith("_")}
    rows_of_optional = table(page, "optional method")
    assert {row[0].strip("`").split("(")[0] for row in rows_of_optional} == optional


def test_the_example_of_a_trigger_gives_the_documented_output(tmp_path: Path) -> None:
    page = DOCS / "triggers.md"
    trigger, snapshots, _ = code_blocks(page, "json")
    (tmp_path / "trigger.json").write_text(trigger)
    (tmp_path / "snapshots.jsonl").write_text(snapshots)
    files = ("--trigger", tmp_path / "trigger.json", "--snapshots", tmp_path / "snapshots.jsonl")
    command = ["triggers", "eval", *map(str, files)]
    done = CliRunner().invoke(app, [*command, "--json"])
    fired = {row["snapshot_id"]: row["fired"] for row in json.loads(done.stdout)}
    assert fired == {"s1": False, "s2": True, "s3": False}
    example = re.search(r"^    snapshot .*\n(?:    s\d.*\n)+", page.read_text(), re.MULTILINE)
    assert example
    assert example[0].split() == CliRunner().invoke(app, command).stdout.split()


def test_the_example_of_a_subscription_is_accepted() -> None:
    from footy_assets.triggers.rules.subscription import SubscriptionRequest

    text = (DOCS / "triggers.md").read_text()
    (body,) = re.findall(r"/subscriptions \\\n.*\n.*-d '(\{.*\})'", text)
    SubscriptionRequest.model_validate_json(body)


def test_t20_the_example_of_an_original_document_is_read_and_shown_back() -> None:
    from footy_assets.triggers.rules.documents import parse_trigger

    *_, written = code_blocks(DOCS / "triggers.md", "json")
    read = parse_trigger(json.loads(written))
    shown = read.model_dump(mode="json", exclude_none=True)
    assert shown["trigger"].items() >= json.loads(written)["trigger"].items()
    assert shown["conditions"][0]["options"][0]["targets"] == ["CLE,DET"]


def test_the_example_that_verifies_a_signature_does() -> None:
    from datetime import UTC, datetime

    from footy_assets.triggers.notify import signed_headers

    (example,) = code_blocks(DOCS / "triggers.md", "python")
    names: dict[str, Any] = {}
    exec(example, names)
    headers = signed_headers(
        "a secret of sixteen", b'{"a": 1}', "key", datetime(2025, 5, 10, tzinfo=UTC)
    )
    signature = headers["footy-signature"]
    assert names["is_genuine"]("a secret of sixteen", b'{"a": 1}', signature)
    assert not names["is_genuine"]("a secret of sixteen", b'{"a": 2}', signature)


def test_the_example_that_reads_tables_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / ".footy" / "tables" / "player_seasons"
    folder.mkdir(parents=True)
    for season in (2022, 2023):
        frame = pd.DataFrame({"league_id": [39], "season": [season]})
        frame.to_parquet(folder / f"39-{season}.parquet")
    (example,) = code_blocks(DOCS / "tables.md", "python")
    names: dict[str, Any] = {}
    exec(example, names)
    assert len(names["players"]) == 2


def test_benchmarks_exist_with_their_options() -> None:
    commands = re.findall(
        r"^\.venv/bin/python -m (benchmarks\.\w+)(.*)$",
        (DOCS / "benchmarks.md").read_text(),
        re.MULTILINE,
    )
    assert len(commands) > 5
    shared = (ROOT / "benchmarks" / "figures.py").read_text()
    for module, options in commands:
        spec = find_spec(module)
        assert spec, module
        assert spec.origin
        source = Path(spec.origin).read_text() + shared
        for option in re.findall(r"--[a-z-]+", options):
            assert option in source, f"{module} {option}"


@each_page()
def test_files_and_modules_in_the_docs_exist(page: Path) -> None:
    text = page.read_text()
    for name in re.findall(r"`((?:footy_assets|resources|sensors|benchmarks)\.[a-z_.]+)`", text):
        module, _, attribute = name.rpartition(".")
        exists = find_spec(name) if _is_module(name) else None
        assert exists or hasattr(importlib.import_module(module), attribute), name
    folders = "footy_assets|footy_assets_tests|resources|sensors|benchmarks|monitoring|docs"
    for name in re.findall(rf"(?<![\w/])((?:{folders})/[\w/.-]*\w)", text):
        assert (ROOT / name).exists(), name


def _is_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


# -- Dagster and the API ------------------------------------------------------------------


@pytest.fixture(scope="module")
def repository() -> dg.RepositoryDefinition:
    from footy_assets.definitions import defs

    return (defs() if callable(defs) else defs).get_repository_def()


def test_documented_sensors_and_schedules_are_those_of_dagster(
    repository: dg.RepositoryDefinition,
) -> None:
    documented = {
        row[0].strip("`"): row[1] for row in table(DOCS / "operations.md", "sensor or schedule")
    }
    sensors = {sensor.name: sensor for sensor in repository.sensor_defs}
    schedules = {schedule.name: schedule for schedule in repository.schedule_defs}
    assert set(documented) == set(sensors) | set(schedules)
    for name, when in documented.items():
        if name in schedules:
            minute, hour = str(schedules[name].cron_schedule).split()[:2]
            assert when == f"{int(hour):02}:{int(minute):02} UTC"
            continue
        seconds = sensors[name].minimum_interval_seconds
        # Dagster evaluates sensors every 5 s, so that 29 s give a poll every 30 s.
        assert when == f"every {30 if seconds == 29 else seconds} s", name


def test_jobs_and_checks_in_the_docs_exist(repository: dg.RepositoryDefinition) -> None:
    known = {*repository.job_names, *(key.to_user_string() for key in asset_keys(repository))}
    for action, _, job, _ in table(DOCS / "operations.md", "action"):
        (name,) = re.findall(r"`(\w+)`", job)
        assert name in known, action
    checks = {key.name for key in repository.asset_graph.asset_check_keys}
    for page in PAGES:
        for name in re.findall(r"[Cc]heck `(\w+)`", page.read_text()):
            assert name in checks, f"{page.name}: {name}"


def asset_keys(repository: dg.RepositoryDefinition) -> Any:
    return repository.asset_graph.get_all_asset_keys()


@cache
def routes() -> set[tuple[str, str]]:
    """Every method and path of the web app, names of parameters left out."""
    from footy_assets.gallery import http, operator_http, pages, videos
    from footy_assets.history import http as history
    from footy_assets.providers import http as providers
    from footy_assets.triggers import follow_http, trigger_http
    from footy_assets.triggers import http as triggers

    rooms = (history, providers, triggers, trigger_http, follow_http)
    parts = (http, operator_http, pages, videos, *rooms)
    return {
        (method, re.sub(r"\{[^}]*\}", "{}", route.path))
        for part in parts
        for route in part.router.routes
        for method in route.methods
    }


@each_page()
def test_api_calls_in_the_docs_exist(page: Path) -> None:
    text = page.read_text().replace("http://127.0.0.1:3080", "").replace("curl -X ", "`")
    for method, path in re.findall(r"`(GET|POST|PUT|PATCH|DELETE) (/[^`?\s…]*)", text):
        plain = re.sub(r"\{[^}]*\}", "{}", path)
        assert {(method, plain), (method, f"/api/v1{plain}")} & routes(), f"{method} {path}"


# -- words --------------------------------------------------------------------------------


def prose(page: Path) -> str:
    """The text of a page without code and without benchmark figures."""
    text = re.sub(
        r"^<!-- figures.*?^<!-- end", "", page.read_text(), flags=re.DOTALL | re.MULTILINE
    )
    text = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"^ {4,}.*$|`[^`]*`|sources\.yaml", "", text, flags=re.MULTILINE)


def help_texts() -> Iterator[str]:
    for name in leaves():
        yield CliRunner().invoke(app, [*name.split(), "--help"]).stdout
    for row in describe(load_settings()):
        yield row["description"]


SOURCE = re.compile(r"(?<!open-)\bsources?\b(?! distribution)", re.IGNORECASE)


@each_page()
def test_providers_and_sites_are_not_called_sources(page: Path) -> None:
    assert not SOURCE.findall(prose(page)), "a provider reports matches, fans post on a site"


def test_providers_and_sites_are_not_called_sources_in_help() -> None:
    spelled = re.compile(r"sources\.yaml|FOOTY_SOURCES\w*|footy sources \w+|`footy sources`")
    for text in help_texts():
        assert not SOURCE.findall(spelled.sub("", text)), text
