"""A server that several processes share: the first one starts it, the last one stops it.

Each user holds a shared lock on `users.lock`; starting and stopping happen under an exclusive
lock on `lifecycle.lock`. The kernel drops both with their process, so kill -9 leaves nothing
locked: a server that outlived its users is found through `server.json`, checked and reused.
"""

import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from footy_assets.errors import BadInput, Unavailable
from footy_assets.private_files import make_private_folder, tighten, write_private
from resources.embedded.process import OwnedProcess, ProcessIdentity

LIFECYCLE_SECONDS = 120.0
ANSWER_SECONDS = 10.0
START_ATTEMPTS = 3
LOCK_POLL_SECONDS = 0.02

Ports = dict[str, int]
Server = TypeVar("Server")
ServerMade = TypeVar("ServerMade", covariant=True)


class Recipe(Protocol[ServerMade]):
    """How a kind of server is started, checked, described and stopped."""

    name: str

    def choose_ports(self, last: Ports) -> Ports:
        """Free ports; the last ones again if possible."""
        ...

    def launch(self, folder: Path, ports: Ports, *, die_with_parent: bool) -> OwnedProcess: ...

    def make_ready(self, process: OwnedProcess, folder: Path, ports: Ports) -> None:
        """Return when it works; end it and raise `Unavailable` if it does not in time."""
        ...

    def answers(self, folder: Path, ports: Ports) -> bool: ...

    def describe(self, folder: Path, ports: Ports, pid: int) -> ServerMade: ...

    def stop(self, process: ProcessIdentity, ports: Ports) -> None: ...


@dataclass(frozen=True)
class ServerRecord:
    """`server.json`: the process that serves this folder, and its ports."""

    process: ProcessIdentity
    ports: Ports
    folder: str

    @classmethod
    def read(cls, path: Path) -> "ServerRecord | None":
        try:
            found: dict[str, Any] = json.loads(path.read_text())
            process = ProcessIdentity(int(found["pid"]), str(found["born"]))
            ports = {str(name): int(port) for name, port in found["ports"].items()}
            return cls(process, ports, str(found["folder"]))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def write(self, path: Path) -> None:
        content = {
            "pid": self.process.pid,
            "born": self.process.born,
            "ports": self.ports,
            "folder": self.folder,
        }
        write_private(path, json.dumps(content))


class SharedServer(Generic[Server]):
    """One user's hold on a shared server: a context manager, or `acquire()` and `release()`."""

    def __init__(
        self, recipe: Recipe[Server], folder: Path, *, die_with_parent: bool = False
    ) -> None:
        self._recipe = recipe
        self._folder = folder.absolute()
        self._die_with_parent = die_with_parent
        self._hold: int | None = None

    def __enter__(self) -> Server:
        return self.acquire()

    def __exit__(self, *error: object) -> None:
        self.release()

    def acquire(self) -> Server:
        """Join the server that runs in this folder, or start one."""
        if self._hold is not None:
            raise RuntimeError(f"{self._recipe.name} is already held; release it first")
        self._make_folder()
        with self._lifecycle():
            record = self._running() or self._start()
            self._hold = _open_lock(self._folder / "users.lock")
            fcntl.flock(self._hold, fcntl.LOCK_SH)
        return self._recipe.describe(self._folder, record.ports, record.process.pid)

    def release(self) -> None:
        """Release the server; the last user stops it."""
        if self._hold is None:
            return
        hold, self._hold = self._hold, None
        try:
            with self._lifecycle():
                try:
                    fcntl.flock(hold, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    return
                record = self._recorded()
                if record is not None:
                    self._recipe.stop(record.process, record.ports)
        finally:
            _unlock(hold)

    def is_alive(self) -> bool:
        """Whether the server's process runs; also True while nobody uses it."""
        record = self._recorded()
        return self._hold is None or (record is not None and record.process.is_alive())

    def revive(self) -> None:
        """Restart the server if it ended while in use."""
        if not self.is_alive():
            self.replace_if_silent()

    def replace_if_silent(self) -> None:
        """Restart the server if it does not answer, also if its process still runs."""
        with self._lifecycle():
            if self._running() is None:
                self._start()

    def _running(self) -> ServerRecord | None:
        """The running server, if it answers in time; one that does not is ended."""
        record = self._recorded()
        if record is None:
            return None
        deadline = time.monotonic() + ANSWER_SECONDS
        while record.process.is_alive():
            if self._recipe.answers(self._folder, record.ports):
                return record
            if time.monotonic() > deadline:
                record.process.end(grace_seconds=0)
            time.sleep(LOCK_POLL_SECONDS)
        return None

    def _start(self) -> ServerRecord:
        last = self._recorded()
        ports = self._recipe.choose_ports(last.ports if last else {})
        for _ in range(START_ATTEMPTS - 1):
            try:
                return self._start_on(ports)
            except Unavailable:
                others = self._recipe.choose_ports(ports)
                if others == ports:
                    raise
                ports = others
        return self._start_on(ports)

    def _start_on(self, ports: Ports) -> ServerRecord:
        """The record is written before waiting, so that a crash leaves no unknown server."""
        process = self._recipe.launch(self._folder, ports, die_with_parent=self._die_with_parent)
        record = ServerRecord(process.identity, ports, str(self._folder))
        record.write(self._record_path)
        self._recipe.make_ready(process, self._folder, ports)
        return record

    @property
    def _record_path(self) -> Path:
        return self._folder / "server.json"

    def _recorded(self) -> ServerRecord | None:
        """The record, unless it was copied here with another home's data."""
        record = ServerRecord.read(self._record_path)
        return record if record and record.folder == str(self._folder) else None

    def _make_folder(self) -> None:
        try:
            for folder in (self._folder.parent, self._folder):
                if make_private_folder(folder):
                    tighten(self._folder)
        except OSError as error:
            raise BadInput(
                f"{self._folder} cannot be made: {error.strerror}",
                "Set FOOTY_HOME to a folder that you may write to",
            ) from error

    @contextmanager
    def _lifecycle(self) -> Iterator[None]:
        lock = _open_lock(self._folder / "lifecycle.lock")
        deadline = time.monotonic() + LIFECYCLE_SECONDS
        try:
            while not _try_lock(lock):
                if time.monotonic() > deadline:
                    raise Unavailable(
                        f"another process has been starting or stopping {self._recipe.name} "
                        f"in {self._folder} for {LIFECYCLE_SECONDS:g} s",
                        "End that process and try again",
                    )
                time.sleep(LOCK_POLL_SECONDS)
            yield
        finally:
            _unlock(lock)


def _open_lock(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise BadInput(
            f"{path} cannot be opened: {error.strerror}",
            "Set FOOTY_HOME to a folder that you may write to",
        ) from error


def _try_lock(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _unlock(lock: int) -> None:
    """Unlock before closing: a forked child may hold the same open file."""
    try:
        fcntl.flock(lock, fcntl.LOCK_UN)
    finally:
        os.close(lock)
