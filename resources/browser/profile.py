"""The profile of a browser: a permanent one that keeps a login, or a temporary one."""

import fcntl
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import structlog

from footy_assets.errors import SiteUnavailable

TEMPORARY_PREFIX = "footy-browser-"
PROFILE_WAIT_SECONDS = 10.0
# Chromium makes these again.
NOT_COPIED = ("Cache", "Code Cache", "GPUCache", "Crashpad", "SingletonLock", "SingletonSocket")

log = structlog.get_logger()


@contextmanager
def temporary_profile(uid: int | None = None) -> Iterator[Path]:
    """An empty profile that is deleted at the end; it belongs to `uid` if that is given."""
    sweep_leftovers()
    with tempfile.TemporaryDirectory(
        prefix=f"{TEMPORARY_PREFIX}{os.getpid()}-", ignore_cleanup_errors=True
    ) as folder:
        if uid is None:
            yield Path(folder)
            return
        # The other user may pass, to its profile inside.
        Path(folder).chmod(0o711)
        profile = Path(folder) / "profile"
        profile.mkdir(mode=0o700)
        os.chown(profile, uid, uid)
        yield profile


@contextmanager
def permanent_profile(profile: Path, uid: int | None = None) -> Iterator[Path]:
    """The profile, for one browser at a time. Another user works on a copy, because no one else
    can reach FOOTY_HOME; at the end the copy replaces the profile."""
    profile.mkdir(parents=True, exist_ok=True, mode=0o700)
    with _locked(profile.with_name(f"{profile.name}.lock")):
        if uid is None:
            yield profile
            return
        with temporary_profile(uid) as copy:
            copy_profile(profile, copy, uid)
            yield copy
            _replace(profile, copy)


def sweep_leftovers() -> None:
    """Delete temporary profiles of killed processes: they hold cookies of a login."""
    for folder in Path(tempfile.gettempdir()).glob(f"{TEMPORARY_PREFIX}*-*"):
        owner = folder.name.removeprefix(TEMPORARY_PREFIX).split("-")[0]
        if owner.isdigit() and not psutil.pid_exists(int(owner)):
            shutil.rmtree(folder, ignore_errors=True)


def copy_profile(profile: Path, to: Path, uid: int | None = None) -> None:
    """Copy folders and plain files. A link is not followed: the browser may have made it, to a
    file that only we may read."""
    for place, folders, names, handle in os.fwalk(profile, follow_symlinks=False):
        target = to / Path(place).relative_to(profile)
        target.mkdir(mode=0o700, exist_ok=True)
        folders[:] = [name for name in folders if name not in NOT_COPIED]
        for name in names:
            if name not in NOT_COPIED:
                _copy_file(name, handle, target / name)
        if uid is not None:
            for path in (target, *target.iterdir()):
                os.chown(path, uid, uid, follow_symlinks=False)


def _copy_file(name: str, folder: int, target: Path) -> None:
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        opened = os.open(name, flags, dir_fd=folder)
    except OSError:
        return
    with os.fdopen(opened, "rb") as content:
        if stat.S_ISREG(os.fstat(opened).st_mode):
            with target.open("wb") as copy:
                os.fchmod(copy.fileno(), 0o600)
                shutil.copyfileobj(content, copy)


def _replace(profile: Path, copy: Path) -> None:
    """Put the copy in the profile's place. If that fails, the profile stays as it was."""
    fresh = profile.with_name(f"{profile.name}.fresh")
    former = profile.with_name(f"{profile.name}.former")
    try:
        for left in (fresh, former):
            shutil.rmtree(left, ignore_errors=True)
        copy_profile(copy, fresh)
        profile.rename(former)
        fresh.rename(profile)
        shutil.rmtree(former, ignore_errors=True)
    except OSError as error:
        log.warning("profile_not_saved", profile=str(profile), reason=str(error))


@contextmanager
def _locked(lock: Path) -> Iterator[None]:
    with lock.open("w") as held:
        give_up = time.monotonic() + PROFILE_WAIT_SECONDS
        while True:
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > give_up:
                    raise SiteUnavailable(
                        f"another browser uses the profile {lock.with_suffix('').name}",
                        "Close the window of `footy login`, or wait for the other search to end",
                    ) from None
                time.sleep(0.1)
        yield
