"""What footy keeps is for its user alone."""

import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from footy_assets.errors import BadInput
from footy_assets.private_files import make_private_folder, tighten, write_private
from footy_assets.runtime.home import Home

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user")


@pytest.fixture
def public_folder() -> Iterator[Path]:
    """One that other users can enter, unlike pytest's own."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def modes(folder: Path) -> set[int]:
    found = (folder, *folder.rglob("*"))
    return {stat.S_IMODE(path.lstat().st_mode) & 0o077 for path in found if not path.is_symlink()}


def old_home(home: Path) -> None:
    """As an earlier version left it."""
    for folder in ("dagster/history", "logs", "mongo/data"):
        (home / folder).mkdir(parents=True)
        (home / folder).chmod(0o755)
    for file in ("dagster/history/runs.db", "logs/web.log", "mongo/data/x.wt", "sources.yaml"):
        (home / file).write_text("")
        (home / file).chmod(0o644)
    home.chmod(0o755)


def read_as_another_user(path: Path) -> bool:
    done = subprocess.run(
        ["ls", str(path)], user=65534, group=65534, extra_groups=[], cwd="/",
        capture_output=True, check=False,
    )  # fmt: skip
    return done.returncode == 0


def test_a_home_of_an_earlier_version_is_taken_from_others_at_start(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    old_home(home.path)
    (home.path / "up.json").symlink_to("/etc/hostname")
    before = Path("/etc/hostname").stat().st_mode
    (home.path / "mine.txt").write_text("")
    (home.path / "mine.txt").chmod(0o644)
    home.prepare()
    (home.path / "mine.txt").unlink()
    assert modes(home.path) == {0}
    assert Path("/etc/hostname").stat().st_mode == before, "links are not followed"


@needs_root
def test_another_user_cannot_read_a_home(public_folder: Path) -> None:
    home = Home(public_folder / "home")
    old_home(home.path)
    assert read_as_another_user(home.path), "as it was"
    home.prepare()
    assert not read_as_another_user(home.path)
    assert not read_as_another_user(home.path / "logs")


def test_a_command_creates_nothing_that_others_can_read(tmp_path: Path) -> None:
    home = tmp_path / "home"
    code = (
        "import sys\nfrom pathlib import Path\nimport footy_assets.cli.app as cli\n"
        f"home = Path({str(home)!r})\n"
        "cli.app = lambda **_: home.mkdir() or (home / 'file').touch()\n"
        "cli.main()"
    )
    subprocess.run([sys.executable, "-c", code], check=True, umask=0o022)
    assert modes(home) == {0}


def test_a_secret_is_never_readable_by_others(tmp_path: Path) -> None:
    write_private(tmp_path / "secret", "s3cret")
    assert stat.S_IMODE((tmp_path / "secret").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["secret"]


def test_a_folder_that_all_users_share_is_no_home(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    with pytest.raises(BadInput, match="all users share"):
        make_private_folder(shared)
    assert stat.S_IMODE(shared.stat().st_mode) == 0o1777


@needs_root
def test_a_folder_of_another_user_is_no_home(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    os.chown(theirs, 65534, -1)
    with pytest.raises(BadInput, match="belongs to another user"):
        make_private_folder(theirs)


def test_what_is_not_there_needs_no_tightening(tmp_path: Path) -> None:
    tighten(tmp_path / "nothing")
