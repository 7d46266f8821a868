"""The servers that several machines share, from Debian's packages: PostgreSQL and RabbitMQ."""

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from resources.embedded.ports import LOOPBACK, free_ports

FOLDERS = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
INITDB = shutil.which("initdb") or next((str(one / "initdb") for one in FOLDERS), None)
# Debian's own commands on the path change the user and its home.
RABBITMQ = shutil.which("rabbitmq-server", path="/usr/lib/rabbitmq/bin")
# A run may take longer than RabbitMQ lets a task be without its acknowledgement.
RABBITMQ_CONFIG = "consumer_timeout = 43200000\nlog.console = false\n"
START_SECONDS = 90.0


@dataclass(frozen=True)
class Postgres:
    folder: Path
    port: int

    @property
    def url(self) -> str:
        return f"postgresql://footy@{LOOPBACK}:{self.port}/postgres"

    def start(self) -> None:
        options = f"-p {self.port} -k {self.folder} -c listen_addresses={LOOPBACK} -c fsync=off"
        self._control("-o", options, "-l", str(self.folder / "log"), "-w", "start")

    def stop(self) -> None:
        self._control("-m", "immediate", "-w", "stop")

    def _control(self, *arguments: str) -> None:
        assert INITDB is not None
        control = str(Path(INITDB).with_name("pg_ctl"))
        _run_as("postgres", self.folder, control, "-D", str(self.folder / "data"), *arguments)


@contextmanager
def postgres_server() -> Iterator[Postgres]:
    assert INITDB is not None, "no PostgreSQL here: apt-get install postgresql"
    with _folder_of("postgres") as folder:
        server = Postgres(folder, free_ports(1)[0])
        settings = ("-U", "footy", "-A", "trust", "-E", "UTF8", "--no-sync")
        _run_as("postgres", folder, INITDB, "-D", str(folder / "data"), *settings)
        server.start()
        try:
            yield server
        finally:
            server.stop()


@dataclass(frozen=True)
class RabbitMQ:
    folder: Path
    port: int
    environment: dict[str, str]

    @property
    def url(self) -> str:
        return f"amqp://guest:guest@{LOOPBACK}:{self.port}//"

    def start(self) -> None:
        assert RABBITMQ is not None
        _run_as("rabbitmq", self.folder, RABBITMQ, "-detached", environment=self.environment)
        deadline = time.monotonic() + START_SECONDS
        while not self._answers("check_port_connectivity"):
            assert time.monotonic() < deadline, f"RabbitMQ did not start; see {self.folder}"

    def stop(self) -> None:
        """Kills it, with the server of names that it started."""
        mine = [one for one in psutil.process_iter(["cmdline"]) if self._is_mine(one)]
        for process in mine:
            process.kill()
        psutil.wait_procs(mine)
        _run_as("rabbitmq", self.folder, "epmd", "-kill", environment=self.environment, check=False)

    def _is_mine(self, process: psutil.Process) -> bool:
        return str(self.folder) in " ".join(process.info["cmdline"] or ())

    def _answers(self, check: str) -> bool:
        tool = Path(str(RABBITMQ)).with_name("rabbitmq-diagnostics")
        found = _run_as(
            "rabbitmq", self.folder, str(tool), check, environment=self.environment, check=False
        )
        return found.returncode == 0


@contextmanager
def rabbitmq_server() -> Iterator[RabbitMQ]:
    assert RABBITMQ is not None, "no RabbitMQ here: apt-get install rabbitmq-server"
    with _folder_of("rabbitmq") as folder:
        (folder / "rabbitmq.conf").write_text(RABBITMQ_CONFIG)
        port, between, names = free_ports(3)
        environment = {
            "HOME": str(folder),
            "RABBITMQ_NODENAME": f"footy{port}@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": LOOPBACK,
            "RABBITMQ_NODE_PORT": str(port),
            "RABBITMQ_DIST_PORT": str(between),
            "ERL_EPMD_PORT": str(names),
            "ERL_EPMD_ADDRESS": LOOPBACK,
            "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq"),
            "RABBITMQ_MNESIA_BASE": str(folder / "data"),
            "RABBITMQ_LOG_BASE": str(folder / "log"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
            "RABBITMQ_PID_FILE": str(folder / "pid"),
        }
        server = RabbitMQ(folder, port, environment)
        server.start()
        try:
            yield server
        finally:
            server.stop()


@contextmanager
def _folder_of(user: str) -> Iterator[Path]:
    """A folder that this user may enter: neither server runs as root."""
    folder = Path(tempfile.mkdtemp(prefix=f"footy-{user}-"))
    if os.geteuid() == 0:
        owner = pwd.getpwnam(user)
        os.chown(folder, owner.pw_uid, owner.pw_gid)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run_as(
    user: str,
    folder: Path,
    *command: str,
    environment: dict[str, str] | None = None,
    check: bool = True,
) -> subprocess.CompletedProcess[bytes]:
    as_user = {"user": user} if os.geteuid() == 0 else {}
    return subprocess.run(
        command,
        check=check,
        cwd=folder,
        env=os.environ | (environment or {}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL if not check else None,
        **as_user,  # type: ignore[call-overload]
    )
