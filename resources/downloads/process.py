"""Downloads in processes of their own: giving up ends them."""

import json
import os
import select
import signal
import socket
import subprocess
import time
import weakref
from collections.abc import Callable, Mapping
from contextlib import suppress
from threading import Lock
from typing import Any

from footy_assets.clean_process import start_clean_process
from footy_assets.errors import DownloadCause, DownloadUnavailable

WORKER = "resources.downloads.worker"
READ_BYTES = 65_536
ANSWER_BYTES = 100_000
# For starting; the time of the download itself is limited by its process.
START_SECONDS = 30.0
END_SECONDS = 5.0
SILENCE_SECONDS = 0.2
# Where the certificates are that it trusts.
KEPT_VARIABLES = ("SSL_CERT_FILE", "SSL_CERT_DIR")


class DownloadProcess:
    """Starts the process of `worker` at the first use, and ends it and its copies with `close`.

    Several threads may use it.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: socket.socket | None = None
        self._end: weakref.finalize[..., DownloadProcess] | None = None

    def close(self) -> None:
        with self._lock:
            if self._end is not None:
                self._end()
            self._process = self._connection = self._end = None

    def run(
        self,
        job: Mapping[str, Any],
        on_progress: Callable[[], None],
        on_silence: Callable[[], None] = lambda: None,
    ) -> dict[str, Any]:
        """The answer of the worker. Raises `DownloadUnavailable` when the process is ended; an
        exception of `on_progress` or `on_silence` ends it, too."""
        ours, theirs = socket.socketpair()
        with ours:
            with theirs:
                self._hand_over(theirs)
            ours.sendall(json.dumps(job).encode() + b"\n")
            return _answer(ours, float(job["seconds"]), on_progress, on_silence)

    def _hand_over(self, theirs: socket.socket) -> None:
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                self._start()
            assert self._connection is not None
            try:
                socket.send_fds(self._connection, [b"+"], [theirs.fileno()])
            except OSError as error:
                raise _ended() from error

    def _start(self) -> None:
        if self._end is not None:
            self._end()
        ours, theirs = socket.socketpair()
        environment = {"YTDLP_NO_PLUGINS": "1"}
        with theirs:
            process = start_clean_process(WORKER, theirs, environment, KEPT_VARIABLES)
        self._process, self._connection = process, ours
        self._end = weakref.finalize(self, _end, process, ours)


def _end(process: subprocess.Popen[bytes], connection: socket.socket) -> None:
    connection.close()
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(END_SECONDS)


def _answer(
    ours: socket.socket,
    seconds: float,
    on_progress: Callable[[], None],
    on_silence: Callable[[], None],
) -> dict[str, Any]:
    received, deadline, started = b"", time.monotonic() + START_SECONDS, 0.0
    while time.monotonic() < deadline:
        if not select.select([ours], [], [], SILENCE_SECONDS)[0]:
            on_silence()
            continue
        try:
            content = ours.recv(READ_BYTES)
        except OSError as error:
            raise _ended() from error
        *lines, received = (received + content).split(b"\n")
        for line in lines:
            message: dict[str, Any] = json.loads(line)
            if "started" in message:
                started = float(message["started"])
                deadline = started + seconds + END_SECONDS
            elif "progress" not in message:
                return message
            on_progress()
        if not content:
            # The timer of the process ends it without a word.
            if started and time.monotonic() - started >= seconds:
                break
            raise _ended()
        if len(received) > ANSWER_BYTES:
            raise _ended()
    raise DownloadUnavailable(f"not done in {seconds:g} s", DownloadCause.TIMED_OUT)


def _ended() -> DownloadUnavailable:
    return DownloadUnavailable("the process that downloads ended", DownloadCause.UNAVAILABLE)
