"""The package that is built: what is in it, and that it runs where there is no checkout."""

import json
import os
import shutil
import site
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import footy_assets

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("footy_assets", "resources", "sensors")
NOT_PACKAGED = ("footy_assets_tests", "benchmarks", "docs", "monitoring")
TOP_FILES = ("pyproject.toml", "README.md", "LICENSE", "dagster.yaml", "workspace.yaml")
UV = Path(sys.executable).with_name("uv")
# uv looks at no index and reads no configuration of the machine: everything is here already.
OFFLINE = ("--offline", "--no-config")

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Built:
    wheel: Path
    sdist: Path


@dataclass(frozen=True)
class Installed:
    """An environment with the wheel in it, and a folder to work in, both away from the checkout."""

    environment: Path
    folder: Path
    env: Mapping[str, str]

    def run(self, *command: str, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.environment / "bin" / command[0], *command[1:]],
            cwd=self.folder,
            env={**self.env, **env},
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )

    def output(self, *command: str, **env: str) -> str:
        done = self.run(*command, **env)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The source distribution and the wheel built from it, as a release has them."""
    checkout, out = tmp_path_factory.mktemp("checkout"), tmp_path_factory.mktemp("dist")
    for name in TOP_FILES:
        shutil.copy(ROOT / name, checkout / name)
    for name in (*PACKAGES, *NOT_PACKAGED):
        # Links stay links, as git has them.
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, checkout / name, symlinks=True, ignore=ignore)
    _uv("build", "--no-build-isolation", "--python", sys.executable, "--out-dir", out, checkout)
    (wheel,), (sdist,) = out.glob("*.whl"), out.glob("*.tar.gz")
    return Built(wheel, sdist)


@pytest.fixture(scope="module")
def installed(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel alone is installed; its dependencies are those of the checkout's environment."""
    environment = tmp_path_factory.mktemp("installed") / "venv"
    _uv("venv", "--no-project", "--python", sys.executable, environment)
    python = environment / "bin" / "python"
    _uv("pip", "install", "--no-deps", "--python", python, built.wheel)
    (packages,) = environment.glob("lib/python*/site-packages")
    # A folder named here comes last on the path, and its own .pth files, of which one leads to the
    # checkout, are not read.
    (packages / "dependencies.pth").write_text("\n".join(site.getsitepackages()) + "\n")
    folder, home = tmp_path_factory.mktemp("empty"), tmp_path_factory.mktemp("home")
    env = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("FOOTY_", "DAGSTER_", "PYTHON", "VIRTUAL_ENV"))
    }
    # The S3 server is a program of a dependency.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return Installed(environment, folder, {**env, "HOME": str(home), "PATH": path})


def _uv(*arguments: str | Path) -> None:
    done = subprocess.run(
        [UV, *arguments, *OFFLINE, "--quiet"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


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


def test_state_is_kept_in_the_working_directory_or_footy_home(installed: Installed) -> None:
    def home(**env: str) -> str:
        rows = json.loads(installed.output("footy", "settings", "--json", **env))
        (value,) = (row["value"] for row in rows if row["name"] == "FOOTY_HOME")
        return str(value)

    assert home() == str(installed.folder / ".footy")
    assert home(FOOTY_HOME="/elsewhere") == "/elsewhere"


def test_doctor_runs(installed: Installed) -> None:
    done = installed.run("footy", "doctor", "--json")
    rows: dict[str, dict[str, Any]] = {row["name"]: row for row in json.loads(done.stdout)}
    # Without a key for API-Football something needed is missing.
    assert (done.returncode, rows["API-Football"]["ok"]) == (1, False)
    assert rows["MongoDB"]["ok"]
    assert rows["S3"]["ok"]


def test_a_match_of_the_demo_is_played_to_its_end(installed: Installed) -> None:
    before = {path for path in installed.environment.rglob("*") if path.suffix != ".pyc"}
    played = ("--match", "hat-trick", "--no-clips", "--speed", "240", "--json")
    outcome = json.loads(installed.output("footy", "demo", *played))
    assert outcome["right"]
    after = {path for path in installed.environment.rglob("*") if path.suffix != ".pyc"}
    assert {path for path in after - before if path.name != "__pycache__"} == set()
    assert [path.name for path in installed.folder.iterdir()] == [".footy"]
