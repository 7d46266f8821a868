"""Files and folders that only their owner can read."""

import os
import stat
from pathlib import Path

from footy_assets.errors import BadInput

PRIVATE_UMASK = 0o077
FOR_OTHERS = stat.S_IRWXG | stat.S_IRWXO
ROOT_UID = 0


def make_private_by_default() -> None:
    """What this process and its children create from now on is for its user alone."""
    os.umask(PRIVATE_UMASK)


def write_private(path: Path, text: str) -> None:
    """Write a secret; nobody else can read it at any moment, and a crash leaves no half of it."""
    fresh = path.with_name(f"{path.name}.fresh")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
    fresh.replace(path)


def is_foreign(about: os.stat_result) -> bool:
    """Whether a file or folder belongs to neither the user nor root, so cannot be trusted."""
    return about.st_uid not in (os.geteuid(), ROOT_UID)


def make_private_folder(folder: Path) -> bool:
    """Create the folder, or take it from others; True if others could read it before."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    about = folder.stat()
    if is_foreign(about):
        raise BadInput(
            f"{folder} belongs to another user (uid {about.st_uid})",
            "Set FOOTY_HOME to a folder of your own",
        )
    if about.st_mode & stat.S_ISVTX:
        raise BadInput(
            f"{folder} is a folder that all users share",
            "Set FOOTY_HOME to a folder of its own, for example one inside it",
        )
    if about.st_uid != os.geteuid() or not about.st_mode & FOR_OTHERS:
        return False
    folder.chmod(stat.S_IMODE(about.st_mode) & ~FOR_OTHERS)
    return True


def tighten(path: Path) -> None:
    """Take a file, or a folder with all that is in it, from others. Links are not followed."""
    _tighten_one(path)
    if path.is_dir() and not path.is_symlink():
        for place, folders, names, handle in os.fwalk(path, follow_symlinks=False):
            for name in (*folders, *names):
                _tighten_one(Path(place) / name, handle, name)


def _tighten_one(path: Path, folder: int | None = None, name: str | None = None) -> None:
    try:
        about = os.stat(name or path, dir_fd=folder, follow_symlinks=False)
        if about.st_mode & FOR_OTHERS and not stat.S_ISLNK(about.st_mode):
            mode = stat.S_IMODE(about.st_mode) & ~FOR_OTHERS
            os.chmod(name or path, mode, dir_fd=folder)
    except OSError:
        # Gone meanwhile, or another user's, which the folder above keeps from others.
        return
