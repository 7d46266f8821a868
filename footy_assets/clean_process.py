"""Starts modules of this package as processes that know nothing of the environment but what they
need: it may hold keys."""

import os
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

# A library path may be what makes OpenCV load.
KEPT_VARIABLES = ("LD_LIBRARY_PATH", "PYTHONDONTWRITEBYTECODE")
PACKAGES = Path(__file__).resolve().parents[1]


def start_clean_process(
    module: str,
    connection: socket.socket,
    environment: Mapping[str, str],
    keep: tuple[str, ...] = (),
) -> subprocess.Popen[bytes]:
    """`connection` is its standard input. It has `environment`, and the variables in `keep` as they
    are here. It leads a session of its own, so that what it forks can be ended with it."""
    kept = {name: os.environ[name] for name in (*KEPT_VARIABLES, *keep) if name in os.environ}
    return subprocess.Popen(
        [sys.executable, "-s", "-P", "-m", module],
        stdin=connection.fileno(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env={**kept, "PYTHONPATH": str(PACKAGES), **environment},
        start_new_session=True,
    )
