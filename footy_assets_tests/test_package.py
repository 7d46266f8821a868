"""The package that is built: what is in it, and that it runs where there is no checkout.

`gallery/test_demo_in_browser.py` plays a match with it.
"""

import json
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

import footy_assets
from footy_assets_tests.fixtures.package import NOT_PACKAGED, PACKAGES, ROOT, Built, Installed

# With the other users of the package, so that it is built once.
pytestmark = pytest.mark.slow


def _files_of_the_packages() -> dict[str, bytes]:
    return {
        str(path.relative_to(ROOT)): path.read_bytes()
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_the_wheel_has_every_file_of_the_three_packages_and_nothing_else(built: Built) -> None:
    with zipfile.ZipFile(built.wheel) as wheel:
        content = {name: wheel.read(name) for name in wheel.namelist() if ".dist-info/" not in name}
    assert content == _files_of_the_packages()
    assert {f"{package}/py.typed" for package in PACKAGES} <= content.keys()


def test_the_wheel_has_the_dagster_files_of_the_top_of_the_checkout(built: Built) -> None:
    with zipfile.ZipFile(built.wheel) as wheel:
        for name in ("dagster.yaml", "workspace.yaml"):
            assert wheel.read(f"footy_assets/runtime/{name}") == (ROOT / name).read_bytes()


def test_the_source_distribution_has_what_builds_the_wheel_and_no_tests(built: Built) -> None:
    with tarfile.open(built.sdist) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
        assert all(member.isfile() or member.isdir() for member in sdist)
    assert _files_of_the_packages().keys() | {"pyproject.toml", "README.md", "LICENSE"} <= names
    assert not [name for name in names if name.partition("/")[0] in NOT_PACKAGED]


def test_the_code_that_runs_is_the_wheels(installed: Installed) -> None:
    where = f"import {', '.join(PACKAGES)}; print([m.__file__ for m in ({', '.join(PACKAGES)})])"
    for file in json.loads(installed.output("python", "-c", where).replace("'", '"')):
        assert Path(file).is_relative_to(installed.environment)


def test_command_module_and_metadata_have_one_version(installed: Installed) -> None:
    metadata = "from importlib.metadata import version; print(version('footy-assets'))"
    module = "import footy_assets; print(footy_assets.__version__)"
    assert installed.output("python", "-c", metadata).strip() == footy_assets.__version__
    assert installed.output("python", "-c", module).strip() == footy_assets.__version__
    assert installed.output("footy", "--version").strip() == f"footy {footy_assets.__version__}"


def test_state_is_kept_in_the_home_of_the_user_or_footy_home(installed: Installed) -> None:
    def home(**env: str) -> str:
        rows = json.loads(installed.output("footy", "settings", "--json", **env))
        (value,) = (row["value"] for row in rows if row["name"] == "FOOTY_HOME")
        return str(value)

    assert home() == f"{installed.env['HOME']}/.footy"
    assert home(FOOTY_HOME="/elsewhere") == "/elsewhere"


def test_doctor_runs(installed: Installed) -> None:
    done = installed.run("footy", "doctor", "--json")
    rows: dict[str, dict[str, Any]] = {row["name"]: row for row in json.loads(done.stdout)}
    # Without a key for API-Football something needed is missing.
    assert (done.returncode, rows["API-Football"]["ok"]) == (1, False)
    assert rows["MongoDB"]["ok"]
    assert rows["S3"]["ok"]
