"""Which `.env` files are read, and whether they can be trusted.

Settings name programs to run and servers that get keys. So the folder that a user happens to stand
in has no say in them.
"""

import stat
from collections.abc import Mapping
from pathlib import Path

from dotenv import dotenv_values

from footy_assets.errors import BadInput
from footy_assets.private_files import is_foreign

NAME = ".env"
DEFAULT_HOME = ".footy"
WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def find_env_files(
    environ: Mapping[str, str], checkout: Path | None, named: Path | None
) -> tuple[Path, ...]:
    """The files to read, of which the last wins: the checkout's, FOOTY_HOME's, the one named.

    Without a checkout, as in an installed package, FOOTY_HOME counts only where it is set.
    """
    of_checkout = _existing(checkout / NAME) if checkout else []
    of_name = _existing(named) if named else []
    if named and not of_name:
        raise BadInput(
            f"there is no settings file {named}",
            "Set FOOTY_ENV_FILE or --env-file to the file to read, or leave it out",
        )
    homes = [_read(path).get("FOOTY_HOME") for path in (*of_name, *of_checkout)]
    home = next(filter(None, [environ.get("FOOTY_HOME"), *homes]), None)
    if home is None and checkout is not None:
        home = str(checkout / DEFAULT_HOME)
    of_home = _existing(_expanded(home) / NAME) if home else []
    return (*of_checkout, *of_home, *of_name)


def _expanded(home: str) -> Path:
    try:
        return Path(home).expanduser()
    except RuntimeError:
        # No such user: the check of the setting says so.
        return Path(home)


def _existing(path: Path) -> list[Path]:
    """The file, if it is there; raises `BadInput` if it is unreadable or not the user's."""
    try:
        if not path.is_file():
            return []
        _require_own(path)
    except OSError:
        return []
    _read(path)
    return [path]


def _require_own(path: Path) -> None:
    """Nobody but the user and root may have written the file."""
    about = path.stat()
    if is_foreign(about):
        raise BadInput(
            f"{path} belongs to another user (uid {about.st_uid}), so its settings are not read",
            "Remove it, or make it yours with chown",
        )
    if about.st_mode & WRITABLE_BY_OTHERS:
        raise BadInput(
            f"{path} can be changed by other users, so its settings are not read",
            f"Run: chmod go-w {path}",
        )


def _read(path: Path) -> dict[str, str | None]:
    try:
        return dotenv_values(path)
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} cannot be read: {error}", "Write it as NAME=value lines") from error
