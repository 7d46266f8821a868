"""Starts and stops Dagster's code server, webserver and daemon."""

import os
import signal
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from socket import AF_UNIX
from socket import socket as Socket
from tempfile import TemporaryDirectory

import yaml
from pydantic import SecretStr

from footy_assets.dagster_internals import DAEMON_MODULE
from footy_assets.errors import Unavailable
from footy_assets.runtime.home import Home, read_packaged
from resources.embedded.process import OwnedProcess

READY_SECONDS = 120.0
GRACE_SECONDS = 15.0
MODULE = "footy_assets.definitions"
# The kernel's limit is 107 bytes on Linux and 103 on macOS.
LONGEST_SOCKET_PATH = 100


def start_code_server(home: Home, env: Mapping[str, str], socket: Path) -> OwnedProcess:
    """One code server for both: otherwise daemon and webserver would each load the code,
    and the daemon again every minute. It runs any code it receives, so it listens on a socket
    that only this user can reach."""
    arguments = code_server_arguments(home, socket)
    return _start(home, env, "code-server", *arguments, module="footy_assets.runtime.code_server")


def code_server_arguments(home: Home, socket: Path) -> list[str]:
    """Also writes the workspace file, which leads the daemon and the webserver to the socket."""
    location = read_location()
    workspace = {"load_from": [{"grpc_server": {"socket": str(socket)} | location}]}
    home.workspace.write_text(yaml.safe_dump(workspace))
    return [
        *("api", "grpc", "--socket", str(socket)),
        *("--module-name", MODULE, "--location-name", location["location_name"]),
    ]


def start_webserver(home: Home, env: Mapping[str, str]) -> OwnedProcess:
    return _start(home, env, "webserver", module="footy_assets.runtime.webserver")


def start_daemon(home: Home, env: Mapping[str, str]) -> OwnedProcess:
    return _start(home, env, "daemon", "run", "-w", str(home.workspace), module=DAEMON_MODULE)


def _start(
    home: Home, env: Mapping[str, str], name: str, *arguments: str, module: str
) -> OwnedProcess:
    return OwnedProcess.start(
        f"the Dagster {name}",
        [sys.executable, "-m", module, *arguments],
        log=home.logs / f"{name}.log",
        env=env,
        die_with_parent=True,
    )


def read_location() -> dict[str, str]:
    """The name of the code location in `workspace.yaml`."""
    workspace = yaml.safe_load(read_packaged("workspace.yaml"))
    return {"location_name": workspace["load_from"][0]["python_module"]["location_name"]}


@contextmanager
def code_server_socket(home: Home) -> Iterator[Path]:
    """A path in the home, or in a private temporary folder where that would be too long."""
    inside = home.code_server_socket
    if len(os.fsencode(inside)) <= LONGEST_SOCKET_PATH:
        inside.unlink(missing_ok=True)
        yield inside
        return
    with TemporaryDirectory(prefix="footy-", ignore_cleanup_errors=True) as folder:
        yield Path(folder) / "code-server.sock"


def wait_for_code_server(process: OwnedProcess, socket: Path) -> None:
    def answers() -> bool:
        with Socket(AF_UNIX) as probe:
            return probe.connect_ex(str(socket)) == 0

    process.wait_until_ready(answers, READY_SECONDS, Unavailable)


def wait_for_webserver(process: OwnedProcess, url: str, token: SecretStr | None) -> None:
    bearer = {"Authorization": f"Bearer {token.get_secret_value()}"} if token else {}
    request = urllib.request.Request(f"{url}/server_info", headers=bearer)

    def answers() -> bool:
        with suppress(OSError), urllib.request.urlopen(request, timeout=2):
            return True
        return False

    process.wait_until_ready(answers, READY_SECONDS, Unavailable)


def stop_with_children(processes: list[OwnedProcess]) -> None:
    """Terminates all, waits once, then kills what is left of their sessions."""
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process.identity.pid, signal.SIGTERM)
    deadline = time.monotonic() + GRACE_SECONDS
    for process in processes:
        process.identity.wait_gone(max(0.0, deadline - time.monotonic()))
    for process in processes:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.identity.pid, signal.SIGKILL)
        process.popen.wait()
