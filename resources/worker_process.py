"""A process of our own package that forks for each job: giving up on a job ends its copy."""

import json
import os
import signal
import socket
import subprocess
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from threading import Lock
from typing import Any

from footy_assets.clean_process import start_clean_process
from footy_assets.warm_processes import hand_over

END_SECONDS = 5.0
# Where the certificates are that it trusts.
KEPT_VARIABLES = ("SSL_CERT_FILE", "SSL_CERT_DIR")
# A copy whose client is gone.
ABANDONED = 3

# -- the side that has jobs -------------------------------------------------------------------


class WorkerProcess:
    """Starts a module at the first job, unless there is a warm process of it, and ends it and its
    copies with `close`.

    Several threads may use it.
    """

    def __init__(self, module: str, environment: Mapping[str, str] | None = None) -> None:
        self._module, self._environment = module, dict(environment or {})
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: socket.socket | None = None
        self._end: weakref.finalize[..., WorkerProcess] | None = None

    def close(self) -> None:
        with self._lock:
            if self._end is not None:
                self._end()
            self._process = self._connection = self._end = None

    @contextmanager
    def started(self, job: Mapping[str, Any]) -> Iterator[socket.socket]:
        """The connection to a copy that has this job; closing it ends the copy. Raises `OSError`
        if the process has ended."""
        ours, theirs = socket.socketpair()
        with ours:
            with theirs:
                self._hand_over(theirs)
            ours.sendall(json.dumps(job).encode() + b"\n")
            yield ours

    def _hand_over(self, theirs: socket.socket) -> None:
        if hand_over(self._module, theirs):
            return
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                self._start()
            assert self._connection is not None
            socket.send_fds(self._connection, [b"+"], [theirs.fileno()])

    def _start(self) -> None:
        if self._end is not None:
            self._end()
        ours, theirs = socket.socketpair()
        with theirs:
            process = start_clean_process(self._module, theirs, self._environment, KEPT_VARIABLES)
        self._process, self._connection = process, ours
        self._end = weakref.finalize(self, _end, process, ours)


def _end(process: subprocess.Popen[bytes], connection: socket.socket) -> None:
    connection.close()
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(END_SECONDS)


# -- the process that does them ---------------------------------------------------------------


def serve(connection: socket.socket, work: Callable[[Any, socket.socket], None]) -> None:
    """Fork for each socket that is handed over, until the other side is gone."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        content, (*handed,), _, _ = socket.recv_fds(connection, 1, 1)
        if not content:
            break
        if os.fork() == 0:
            connection.close()
            _work(socket.socket(fileno=handed[0]), work)
        os.close(handed[0])
    os.killpg(0, signal.SIGKILL)


def _work(client: socket.socket, work: Callable[[Any, socket.socket], None]) -> None:
    """One job, in a process that ends with it."""
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        with client.makefile("rb") as lines:
            job = json.loads(lines.readline())
        work(job, client)
    finally:
        os._exit(0)


def end_after(seconds: float) -> None:
    """The default action of the kernel's timer ends the process, whatever it is doing."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds)


def end_with(client: socket.socket) -> None:
    """End this process when the other side closes the connection; for a thread."""
    with suppress(OSError):
        client.recv(1)
    os._exit(ABANDONED)


def send(client: socket.socket, message: Mapping[str, Any]) -> None:
    client.sendall(json.dumps(message).encode() + b"\n")
