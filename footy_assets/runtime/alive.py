"""Whether one part of footy works, for the health checks of containers: quick, and without changes.

Nothing heavy is imported: the check runs every few seconds.
"""

import http.client
import subprocess
import sys
import time
from pathlib import Path
from socket import AF_UNIX
from socket import socket as Socket

from pydantic import SecretStr

from footy_assets.runtime.home import Home
from footy_assets.settings import Settings

ANSWER_SECONDS = 5.0
# The module of Dagster's daemon loads for seconds before it looks.
DAEMON_SECONDS = 60.0
# Celery's heartbeat comes every two seconds, and not while the broker is out of reach.
HEARTBEAT_SECONDS = 60.0
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}
UI_PATH = "/server_info"
# Reads the database.
WEB_PATH = "/api/v1/dates"


def failure_of(part: str, settings: Settings) -> str | None:
    """Why the part does not work; None if it does."""
    home, token = Home(settings.home), settings.api_token
    if part == "web":
        return http_failure(settings.api_host, settings.api_port, WEB_PATH, token)
    if part == "dagster-ui":
        return http_failure(settings.dagster_host, settings.dagster_port, UI_PATH, token)
    if part == "code-server":
        return _socket_failure(home.code_server_socket)
    if part == "daemon":
        return _daemon_failure(settings, home)
    return heartbeat_failure(home, time.time())


def http_failure(host: str, port: int, path: str, token: SecretStr | None) -> str | None:
    headers = {} if token is None else {"Authorization": f"Bearer {token.get_secret_value()}"}
    connection = http.client.HTTPConnection(
        EVERYWHERE.get(host, host), port, timeout=ANSWER_SECONDS
    )
    try:
        connection.request("GET", path, headers=headers)
        status = connection.getresponse().status
    except (OSError, http.client.HTTPException) as error:
        return f"does not answer on port {port}: {error}"
    finally:
        connection.close()
    return None if status < 400 else f"answers {status} on port {port}"


def _socket_failure(path: Path) -> str | None:
    with Socket(AF_UNIX) as probe:
        probe.settimeout(ANSWER_SECONDS)
        try:
            probe.connect(str(path))
        except OSError as error:
            return f"{path}: {error.strerror or error}"
    return None


def _daemon_failure(settings: Settings, home: Home) -> str | None:
    """By the heartbeats of all daemons, which Dagster's own command reads."""
    from footy_assets.dagster_internals import DAEMON_MODULE
    from footy_assets.runtime.parts import part_environment

    command = [sys.executable, "-m", DAEMON_MODULE, "liveness-check"]
    done = subprocess.run(
        command,
        env=part_environment(settings, home),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=DAEMON_SECONDS,
        check=False,
    )
    return None if done.returncode == 0 else "a daemon has sent no heartbeat lately"


def heartbeat_failure(home: Home, now: float) -> str | None:
    """By the file that `footy worker` touches at each of its heartbeats to the broker."""
    try:
        seconds = now - home.heartbeat.stat().st_mtime
    except OSError:
        return "has not reached the broker yet"
    return None if seconds <= HEARTBEAT_SECONDS else f"last heartbeat {seconds:.0f} s ago"


def note_heartbeats(home: Home) -> None:
    """For `footy worker`: its process touches a file whenever it sends a heartbeat."""
    from celery.signals import heartbeat_sent

    def touch(**_: object) -> None:
        home.heartbeat.touch()

    heartbeat_sent.connect(touch, weak=False)
