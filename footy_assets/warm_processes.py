"""Processes that this one has inherited from the process it was forked from.

Whoever forks starts them first, with `start_warm_process`. Every fork has the same connection to
one, through which it hands over a connection of its own: the process forks for each. So what is
started once serves all runs, and what one run does in there ends with its connection. A process
that inherits none starts its own.
"""

import os
import socket
import subprocess
from collections.abc import Mapping
from contextlib import suppress

from footy_assets.clean_process import start_clean_process

_inherited: dict[str, tuple[socket.socket, subprocess.Popen[bytes]]] = {}


def start_warm_process(
    module: str, environment: Mapping[str, str], keep: tuple[str, ...] = (), niceness: int = 0
) -> None:
    """It ends when no process is left that has inherited it."""
    ours, theirs = socket.socketpair()
    with theirs:
        process = start_clean_process(module, theirs, environment, keep)
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, process.pid, niceness)
    _inherited[module] = ours, process


def hand_over(module: str, connection: socket.socket) -> bool:
    """Whether a warm process of this module takes the connection."""
    if module not in _inherited:
        return False
    try:
        socket.send_fds(_inherited[module][0], [b"+"], [connection.fileno()])
    except OSError:
        # It was killed: all that follow start their own.
        return False
    return True
