"""The set-up of `./footy`: what it fetches is pinned; what it installs as root is said first."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TOOLS = (
    *("sh", "cat", "cksum", "dirname", "flock", "head", "mkdir", "readlink", "rm", "sed", "tail"),
    *("chmod", "cp"),
)
# Stand-ins that say what they were asked for, and where.
SAY = '#!/bin/sh\necho "ran: $(basename "$0") $* in $PWD" >&3\n'
PYTHON = f"""{SAY}
case "$*" in
*"-m venv "*) shift 2; mkdir -p "$1/bin"; cp "$0" "$1/bin/python" ;;
*"pip install"*) while [ $# -gt 1 ]; do shift; done; cat "$1" >&3
    printf '#!/bin/sh\\necho uv %s\\n' "$UV" >"${{0%python}}uv"; chmod +x "${{0%python}}uv" ;;
*ensurepip* | *"pip --version"*) exit "$NO_PIP" ;;
esac
"""

# Makes an environment whose packages load, but for two programs among them.
UV_FOR = """#!/bin/sh
case "$1" in
--version) echo "uv {pinned}" ;;
venv) while [ $# -gt 1 ]; do shift; done; packages=$1/lib/python3.11/site-packages
    mkdir -p "$1/bin"
    printf '#!/bin/sh\\n' >"$1/bin/python"
    chmod +x "$1/bin/python"
    for program in fiftyone/db/bin/mongod playwright/driver/node; do
        mkdir -p "$packages/${{program%/*}}"
        printf '#!/bin/sh\\nexit 127\\n' >"$packages/$program"
        chmod +x "$packages/$program"
    done ;;
esac
"""


@pytest.fixture
def setup(tmp_path: Path) -> Callable[..., tuple[str, str]]:
    """Runs `./footy doctor` of an empty checkout, from a foreign folder, as root on Debian."""
    checkout, programs, foreign = (tmp_path / name for name in ("checkout", "bin", "foreign"))
    for folder in (checkout / "footy_assets", programs, foreign):
        folder.mkdir(parents=True)
    for name in ("footy", "requirements.lock", "pyproject.toml", "footy_assets/__init__.py"):
        shutil.copy(ROOT / name, checkout / name)
    for name in (*TOOLS, "basename"):
        (programs / name).symlink_to(shutil.which(name) or f"/bin/{name}")
    stubs = {"apt-get": SAY, "curl": SAY, "python3": PYTHON, "id": "#!/bin/sh\necho 0\n"}
    for name, text in stubs.items():
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)

    def run(no_pip: bool = False, **env: str) -> tuple[str, str]:
        """What it said, with what it ran, in order; and the pinned version of uv."""
        pinned = pinned_uv()
        record = os.open(tmp_path / "record", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        given = {"PATH": str(programs), "NO_PIP": str(int(no_pip)), "UV": pinned, **env}
        subprocess.run(
            ["/bin/sh", "-c", f'exec "{checkout}/footy" doctor 3>>"{tmp_path}/record" 2>&3'],
            cwd=foreign,
            env=given,
            stdin=subprocess.DEVNULL,
            check=False,
            timeout=60,
        )
        os.close(record)
        return (tmp_path / "record").read_text(), pinned

    return run


def pinned_uv() -> str:
    pinned = re.search(r"^uv==(\S+)", (ROOT / "requirements.lock").read_text(), re.MULTILINE)
    assert pinned
    return pinned[1]


def test_uv_has_the_version_and_the_hashes_of_the_lock(
    setup: Callable[..., tuple[str, str]],
) -> None:
    said, pinned = setup()
    assert f"installing uv {pinned}" in said
    assert "pip install --quiet --require-hashes -r" in said
    assert f"uv=={pinned} " in said
    assert "--hash=sha256:" in said
    assert "python3-venv" not in said
    assert "ran: curl" not in said


def test_no_program_runs_in_the_folder_that_one_stands_in(
    setup: Callable[..., tuple[str, str]],
) -> None:
    """Python would load a `venv.py` of it, uv a `uv.toml`."""
    said, _ = setup()
    places = set(re.findall(r"ran: python.* in (\S+)", said))
    assert {Path(place).name for place in places} == {"checkout"}


def test_what_apt_would_install_as_root_is_said_first(
    setup: Callable[..., tuple[str, str]],
) -> None:
    said, _ = setup(no_pip=True)
    announced = said.index("as root: apt-get install python3-venv")
    assert announced < said.index("ran: apt-get install")
    assert "FOOTY_NO_APT=1 refuses" in said


def test_apt_can_be_refused(setup: Callable[..., tuple[str, str]]) -> None:
    said, pinned = setup(no_pip=True, FOOTY_NO_APT="1")
    assert "ran: apt-get" not in said
    assert "not installing python3-venv" in said
    assert f"pip install uv=={pinned}" in said, "and says what to do instead"


def test_libraries_that_programs_of_the_packages_miss_are_installed(
    setup: Callable[..., tuple[str, str]], tmp_path: Path
) -> None:
    (tmp_path / "bin/uv").write_text(UV_FOR.format(pinned=pinned_uv()))
    (tmp_path / "bin/uv").chmod(0o755)
    said, _ = setup()
    assert "as root: apt-get install libcurl4 (which the embedded MongoDB needs)" in said
    assert "libgl1" not in said, "OpenCV loads"
    assert "or set FOOTY_MONGO_URI" in said, "it still does not load"
    assert "as root: apt-get install libatomic1 (which Playwright needs)" in said
    assert "Install libatomic" in said


def test_nothing_is_piped_from_the_network_into_a_shell() -> None:
    assert not re.search(r"\b(curl|wget)\b", (ROOT / "footy").read_text())
    pages = [ROOT / "footy", ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/*.md")]
    for path in (*pages, *ROOT.glob(".github/**/*.yml"), *ROOT.glob(".ci/*")):
        text = path.read_text()
        assert not re.search(r"\|\s*(sudo\s+)?(ba)?sh\b", text), path
