"""How Chromium is kept from the rest of the machine: its sandbox, and a user of its own.

Chromium refuses its sandbox to root. So where we are root, it runs as a user that owns nothing but
the browser's profile.
"""

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PROBE_SECONDS = 20.0
# No account has this id, and no file but those of the browser belongs to it.
BROWSER_UID = 60_999
NOBODY = 65_534
# Ours alone: the browser needs no key, and what it runs comes from other people's pages.
PRIVATE_VARIABLES = ("FOOTY_", "AWS_", "DAGSTER_", "S3_")


@dataclass(frozen=True, slots=True)
class Isolation:
    """`uid` is the user that Chromium runs as; None: the same as ours."""

    sandbox: bool
    uid: int | None = None

    def describe(self) -> str:
        sandbox = "sandboxed" if self.sandbox else "not sandboxed"
        return sandbox if self.uid is None else f"{sandbox}, as the user {self.uid}"

    def prefix(self) -> list[str]:
        """What stands before a command to run it as this user."""
        if self.uid is None:
            return []
        ids = f"--reuid={self.uid}", f"--regid={self.uid}"
        return ["setpriv", *ids, "--clear-groups", "--"]

    def write_launcher(self, executable: Path, folder: Path) -> Path:
        """The program that Playwright starts: Chromium, or a script that starts it as its user."""
        if self.uid is None:
            return executable
        launcher = folder / "chromium"
        launcher.write_text(f'#!/bin/sh\nexec {" ".join(self.prefix())} "{executable}" "$@"\n')
        launcher.chmod(0o700)
        return launcher

    def environment(self, profile: Path) -> dict[str, str]:
        env = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(PRIVATE_VARIABLES)
        }
        if self.uid is None:
            return env
        return env | {"HOME": str(profile), "XDG_RUNTIME_DIR": str(profile), "USER": "footy"}


@cache
def best_isolation(executable: Path, headless: bool = True) -> Isolation:
    """The strongest that this machine allows. A window stays with the user whose screen it is."""
    if os.geteuid() != 0:
        return Isolation(_has_sandbox(executable, Isolation(False)))
    other = Isolation(False, _free_uid())
    if not headless or not _can_run(executable, other):
        return Isolation(False)
    return Isolation(_has_sandbox(executable, other), other.uid)


def _free_uid() -> int:
    try:
        pwd.getpwuid(BROWSER_UID)
    except KeyError:
        return BROWSER_UID
    return NOBODY


def _can_run(executable: Path, isolation: Isolation) -> bool:
    """Whether that user may run Chromium and reach the folder of temporary files."""
    temporary = os.statvfs(tempfile.gettempdir())
    if shutil.which("setpriv") is None or temporary.f_flag & os.ST_NOEXEC:
        return False
    script = 'test -x "$1" && exec "$0" --version'
    return _succeeds(isolation, "sh", "-c", script, str(executable), tempfile.gettempdir())


def _has_sandbox(executable: Path, isolation: Isolation) -> bool:
    """Chromium's sandbox needs user namespaces, or a helper that is setuid root."""
    if sys.platform != "linux":
        return True
    helpers = [executable.resolve().parent / name for name in ("chrome-sandbox", "chrome_sandbox")]
    helpers += [Path("/usr/lib/chromium/chrome-sandbox")]
    if any(helper.is_file() and helper.stat().st_mode & 0o4000 for helper in helpers):
        return True
    # Some systems allow a new user namespace, but nothing in it.
    return _succeeds(isolation, "unshare", "--user", "--net", "true")


def _succeeds(isolation: Isolation, *command: str) -> bool:
    try:
        done = subprocess.run(
            [*isolation.prefix(), *command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PROBE_SECONDS,
            check=False,
            cwd="/",
            env=isolation.environment(Path(tempfile.gettempdir())),
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
