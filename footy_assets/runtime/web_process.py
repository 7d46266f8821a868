"""Starts the web app as a child process."""

import socket
import sys
from collections.abc import Mapping
from contextlib import suppress

from footy_assets.errors import Unavailable
from footy_assets.runtime.home import Home
from resources.embedded.process import OwnedProcess

READY_SECONDS = 60.0


def start_web_app(home: Home, env: Mapping[str, str]) -> OwnedProcess:
    return OwnedProcess.start(
        "the web app",
        [sys.executable, "-m", "footy_assets.gallery"],
        log=home.logs / "web.log",
        env=env,
        die_with_parent=True,
    )


def wait_for_web_app(process: OwnedProcess, host: str, port: int) -> None:
    def answers() -> bool:
        with suppress(OSError), socket.create_connection((host, port), timeout=1.0):
            return True
        return False

    process.wait_until_ready(answers, READY_SECONDS, Unavailable)
