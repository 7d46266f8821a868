"""FOOTY_HOME: the folder of all local state."""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from footy_assets.errors import AlreadyRunning, BadInput
from footy_assets.private_files import make_private_folder, tighten, write_private

LOCK = "supervisor.lock"
# What footy keeps in a home. Only this is taken from other users: the folder may have more in it.
OURS = (
    *("dagster", "worker", "logs", "mongo", "s3", "work", "tables", "x-profile", "demo", "footage"),
    *("up.json", LOCK, "sources.yaml", ".env"),
)


def read_packaged(name: str) -> str:
    """`dagster.yaml` or `workspace.yaml` of this version, in a checkout and when installed.

    Beside this module are links to the files at the top of the checkout; a wheel has the content.
    """
    return (files(__package__) / name).read_text(encoding="utf-8")


@dataclass(frozen=True)
class Home:
    path: Path

    @property
    def dagster(self) -> Path:
        return self.path / "dagster"

    @property
    def logs(self) -> Path:
        return self.path / "logs"

    @property
    def workspace(self) -> Path:
        """Points the webserver and the daemon to the code server."""
        return self.dagster / "workspace.yaml"

    @property
    def code_server_socket(self) -> Path:
        return self.dagster / "code-server.sock"

    @property
    def record(self) -> Path:
        """What the supervisor started, for the next one to clean up."""
        return self.path / "up.json"

    @property
    def worker(self) -> Path:
        """The Dagster instance of `footy worker`, which may share this home with `footy up`."""
        return self.path / "worker"

    @property
    def heartbeat(self) -> Path:
        """Touched whenever `footy worker` sends a heartbeat to the broker."""
        return self.worker / "heartbeat"

    def prepare(self, config: str | None = None) -> None:
        """Create the folders and the Dagster instance's `dagster.yaml`, for the user alone."""
        config = config or read_packaged("dagster.yaml")
        with self.writing():
            make_private_folder(self.path)
            for name in OURS:
                tighten(self.path / name)
            for folder in (self.dagster, self.logs):
                folder.mkdir(exist_ok=True, mode=0o700)
            write_private(self.dagster / "dagster.yaml", config)

    def prepare_worker(self, config: str) -> None:
        """Create the folders and the `dagster.yaml` of `footy worker`, for the user alone."""
        with self.writing():
            make_private_folder(self.path)
            make_private_folder(self.worker)
            write_private(self.worker / "dagster.yaml", config)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Raises `BadInput` if files of this home cannot be written in the block."""
        try:
            yield
        except OSError as error:
            raise BadInput(
                f"{self.path} cannot be used: {error.strerror}",
                "Set FOOTY_HOME to a writable folder",
            ) from error

    def read_record(self) -> dict[str, Any]:
        try:
            record = json.loads(self.record.read_text())
        except (OSError, ValueError):
            return {}
        return record if isinstance(record, dict) else {}

    def write_record(self, record: dict[str, Any]) -> None:
        write_private(self.record, json.dumps(record))

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Holds the lock of this home: one supervisor at a time. It ends with the process."""
        with self.writing():
            make_private_folder(self.path)
            lock = os.open(self.path / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                ui = self.read_record().get("ui", "unknown")
                raise AlreadyRunning(
                    f"footy already runs in {self.path} (Dagster UI: {ui})",
                    "Stop it first, or set FOOTY_HOME to another folder",
                ) from None
            yield
        finally:
            os.close(lock)
