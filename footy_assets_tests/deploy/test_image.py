"""The image: its Dockerfile is clean, and it installs what the lock of development has."""

import re
import tomllib
from importlib.metadata import distribution

from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from footy_assets_tests.deploy.files import DEPLOY, ROOT, run

DOCKERFILE = DEPLOY / "Dockerfile"
ENTRY = re.compile(r"^([a-z0-9].*?) \\\n((?:    --hash=\S+(?: \\)?\n)+)", re.MULTILINE)
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def locked(name: str) -> dict[str, frozenset[str]]:
    """The hashes of each locked package, by name, version and marker."""
    text = (ROOT / name).read_text()
    return {
        entry: frozenset(re.findall(r"sha256:\w+", hashes)) for entry, hashes in ENTRY.findall(text)
    }


def installed_for_running() -> set[str]:
    """What the package needs with the extras of the image, as the installed packages say it."""
    extras = re.findall(r"--extra (\w+)", (ROOT / "requirements-runtime.lock").read_text())
    never = {
        canonicalize_name(Requirement(one).name)
        for one in PYPROJECT["tool"]["uv"]["override-dependencies"]
    }
    found: set[tuple[str, str]] = set()
    waiting = {("footy-assets", extra) for extra in ("", *extras)}
    while waiting:
        found.add(one := waiting.pop())
        for text in distribution(one[0]).requires or ():
            needed = Requirement(text)
            marker = needed.marker or Marker("python_version > '3'")
            name = canonicalize_name(needed.name)
            if name not in never and marker.evaluate({"extra": one[1]}):
                waiting |= {(name, extra) for extra in ("", *needed.extras)} - found
    return {name for name, _ in found} - {"footy-assets"}


def test_the_image_installs_what_development_has_and_nothing_of_its_tools() -> None:
    runtime, development = locked("requirements-runtime.lock"), locked("requirements.lock")
    assert len(runtime) > 100
    assert runtime.items() <= development.items()
    here = {
        canonicalize_name(requirement.name)
        for requirement in map(Requirement, runtime)
        if requirement.marker is None or requirement.marker.evaluate()
    }
    assert here == installed_for_running()


def test_the_build_takes_its_tools_from_the_lock() -> None:
    text = DOCKERFILE.read_text()
    for tool in re.findall(r"'/\^(\w+)==", text):
        assert any(entry.startswith(f"{tool}==") for entry in locked("requirements.lock"))
    installs = re.findall(r"pip (?:sync|install)[^&]*", text)
    assert all("--require-hashes" in one or "--no-deps" in one for one in installs)


def test_the_build_sees_what_the_wheel_is_made_of_and_no_secret() -> None:
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    assert "*" in lines
    allowed = {line[1:] for line in lines if line.startswith("!")}
    assert all((ROOT / name).exists() for name in allowed)
    assert not allowed & {"deploy", ".env", ".footy", ".git", "footy_assets_tests"}


def test_hadolint_finds_nothing_in_the_dockerfile() -> None:
    run("hadolint", DOCKERFILE)
