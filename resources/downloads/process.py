"""Downloads in processes of their own: giving up ends them."""

import json
import select
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import Any

from footy_assets.errors import DownloadCause, DownloadUnavailable
from resources.worker_process import END_SECONDS, WorkerProcess

WORKER = "resources.downloads.worker"
READ_BYTES = 65_536
ANSWER_BYTES = 100_000
# For starting; the time of the download itself is limited by its process.
START_SECONDS = 30.0
SILENCE_SECONDS = 0.2
DOWNLOAD_ENVIRONMENT = {"YTDLP_NO_PLUGINS": "1"}


class DownloadProcess(WorkerProcess):
    """Starts the process of `worker` at the first use, and ends it and its copies with `close`.

    Several threads may use it.
    """

    def __init__(self) -> None:
        super().__init__(WORKER, DOWNLOAD_ENVIRONMENT)

    def run(
        self,
        job: Mapping[str, Any],
        on_progress: Callable[[], None],
        on_silence: Callable[[], None] = lambda: None,
    ) -> dict[str, Any]:
        """The answer of the worker. Raises `DownloadUnavailable` when the process is ended; an
        exception of `on_progress` or `on_silence` ends it, too."""
        with ExitStack() as stack:
            try:
                ours = stack.enter_context(self.started(job))
            except OSError as error:
                raise _ended() from error
            return _answer(ours, float(job["seconds"]), on_progress, on_silence)


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
