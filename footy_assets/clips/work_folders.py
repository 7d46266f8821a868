"""H8: the folder of each batch, deleted at its end; the next start deletes what a crash left.

The process of a folder holds its lock, which the system releases when the process ends.
"""

import fcntl
import os
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

# Under the home.
WORK = "work"
LOCK = ".lock"


@dataclass(slots=True)
class WorkFolder:
    """`<root>/<fixture>/<run>`, locked until `remove`."""

    path: Path
    _lock: int | None

    @classmethod
    def make(cls, root: Path, fixture_id: int, run_id: str) -> "WorkFolder":
        path = root / str(fixture_id) / run_id
        while True:
            with suppress(FileNotFoundError):
                # A sweep may delete the folder until it is locked.
                path.mkdir(parents=True, exist_ok=True)
                lock = _open_lock(path)
                fcntl.flock(lock, fcntl.LOCK_EX)
                if _is_still_locked(path, lock):
                    return cls(path, lock)
                os.close(lock)

    def remove(self) -> None:
        """Also removes the match's folder if it is empty. A second call changes nothing."""
        lock, self._lock = self._lock, None
        if lock is not None:
            _remove(self.path)
            os.close(lock)


def sweep_leftovers(root: Path) -> int:
    """Remove the folders of processes that ended; how many."""
    swept = 0
    for path in root.glob("*/*/"):
        try:
            lock = _open_lock(path)
        except OSError:
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_still_locked(path, lock):
                _remove(path)
                swept += 1
        except BlockingIOError:
            continue
        finally:
            os.close(lock)
    return swept


def _open_lock(path: Path) -> int:
    return os.open(path / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _is_still_locked(path: Path, lock: int) -> bool:
    try:
        return (path / LOCK).stat().st_ino == os.fstat(lock).st_ino
    except FileNotFoundError:
        return False


def _remove(path: Path) -> None:
    shutil.rmtree(path, ignore_errors=True)
    with suppress(OSError):
        path.parent.rmdir()
