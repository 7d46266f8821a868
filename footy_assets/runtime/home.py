"""The folder where all local state lives."""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from footy_assets.errors import AlreadyRunning, BadInput
from footy_assets.settings import project_root


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
        """Where the running webserver and daemon find the code server."""
        return self.dagster / "workspace.yaml"

    @property
    def record(self) -> Path:
        """What the supervisor started, for whoever comes after it."""
        return self.path / "up.json"

    def prepare(self) -> None:
        """Make the folders, and give Dagster the checkout's `dagster.yaml`."""
        config = project_root() / "dagster.yaml"
        if not config.is_file():
            raise BadInput(
                f"there is no dagster.yaml in {project_root()}",
                "Run footy from its checkout, as ./footy",
            )
        try:
            for folder in (self.dagster, self.logs):
                folder.mkdir(parents=True, exist_ok=True)
            (self.dagster / "dagster.yaml").write_text(config.read_text())
        except OSError as error:
            raise BadInput(
                f"{self.path} cannot be used: {error.strerror}",
                "Set FOOTY_HOME to a folder that you may write to",
            ) from error

    def read_record(self) -> dict[str, Any]:
        try:
            record = json.loads(self.record.read_text())
        except (OSError, ValueError):
            return {}
        return record if isinstance(record, dict) else {}

    def write_record(self, record: dict[str, Any]) -> None:
        fresh = self.record.with_suffix(".fresh")
        fresh.write_text(json.dumps(record))
        fresh.replace(self.record)

    @contextmanager
    def owned(self) -> Iterator[None]:
        """One supervisor at a time; the lock goes with its process, however that ends."""
        self.path.mkdir(parents=True, exist_ok=True)
        lock = os.open(self.path / "supervisor.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
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
