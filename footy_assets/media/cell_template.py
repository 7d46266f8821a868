"""The process that has loaded the decoder for all cells, `python -m
footy_assets.media.cell_template`.

It forks for each connection that is handed over; the copy serves it as `cell_worker` does, and ends
with it. No file is read in here.
"""

import os
import signal
import socket
from contextlib import suppress

import cv2

from footy_assets.media.cell_worker import load_everything, serve


def serve_connections(control: socket.socket) -> None:
    """Until nobody is left who could hand one over. Ends every copy with it."""
    signal.signal(signal.SIGCHLD, _reap)
    while True:
        content, (*handed,), _, _ = socket.recv_fds(control, 1, 1)
        if not content:
            break
        if os.fork() == 0:
            _serve_one(control, handed[0])
        os.close(handed[0])
    os.killpg(0, signal.SIGKILL)


def _serve_one(control: socket.socket, handed: int) -> None:
    """In the copy: never returns."""
    try:
        control.close()
        with socket.socket(fileno=handed) as connection:
            serve(connection)
    finally:
        os._exit(0)


def _reap(*_: object) -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


if __name__ == "__main__":
    load_everything()
    cv2.setNumThreads(1)
    with socket.socket(fileno=0) as connection:
        serve_connections(connection)
