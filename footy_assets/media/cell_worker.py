"""The process that decodes for a `DecodingCell`: `python -m footy_assets.media.cell_worker`.

It loads the decoder once, and then forks for each file: the copy confines itself, reads that one
file, answers and ends. So a file can harm only its own copy, and no file pays for the start.
"""

import io
import json
import os
import pkgutil
import select
import signal
import socket
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

import av
import cv2

from footy_assets.clip_limits import ClipRules
from footy_assets.media.cell_messages import (
    playable_answer,
    probe_answer,
    rendition_answer,
    scan_answer,
    to_line,
    unreadable_answer,
    unwritable_answer,
    written_answer,
)
from footy_assets.media.confinement import ProcessLimits, confine
from footy_assets.media.decode import Scan, scan_if_accepted
from footy_assets.media.errors import OutputUnwritable, VideoUnreadable
from footy_assets.media.mp4_output import Mp4Output
from footy_assets.media.playable import make_playable_file
from footy_assets.media.probe import DecodeLimits, probe_file
from footy_assets.media.rendition import describe_file, make_rendition_file

REQUEST_BYTES = 65_536
# The file, the memory for its pictures or the file for its MP4, and the pipe for the answer.
FILES_PER_REQUEST = 3


def serve(connection: socket.socket) -> None:
    """Work on one request after the other, until the other side is gone."""
    ended, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    while True:
        content, files, _, _ = socket.recv_fds(connection, REQUEST_BYTES, FILES_PER_REQUEST)
        if not content:
            return
        copy = os.fork()
        if copy == 0:
            signal.set_wakeup_fd(-1)
            for inherited in (connection.fileno(), ended, wake):
                os.close(inherited)
            _work(json.loads(content), *files)
        for file in files:
            os.close(file)
        status, peak = _wait(copy, connection, ended)
        connection.sendall(to_line({"status": status, "peak": peak}))


def _wait(copy: int, connection: socket.socket, ended: int) -> tuple[int, int]:
    """The exit code of a copy, negative for a signal, and the most memory that it had, in bytes.
    Kills it if the other side is gone."""
    poll = select.poll()
    poll.register(ended, select.POLLIN)
    poll.register(connection, select.POLLIN)
    while True:
        for file, _ in poll.poll():
            if file == ended:
                os.read(ended, 512)
                pid, status, used = os.wait4(copy, os.WNOHANG)
                if pid:
                    unit = 1 if sys.platform == "darwin" else 1024
                    return os.waitstatus_to_exitcode(status), used.ru_maxrss * unit
            else:
                # Nothing is said while a copy works: this is the end of the connection.
                os.kill(copy, signal.SIGKILL)
                os.waitpid(copy, 0)
                raise SystemExit


def _work(request: Mapping[str, Any], file: int, output: int, answer: int) -> None:
    """In the copy: never returns."""
    with suppress(BaseException):
        limits = ProcessLimits(**request["process_limits"])
        protections = confine(limits)

        def say(message: Mapping[str, Any]) -> None:
            os.write(answer, to_line(message))

        if request["work"] == "protections":
            say({"protections": protections})
        else:
            with io.FileIO(file) as opened:
                say(_read(request, opened, output, say))
        os._exit(0)
    os._exit(1)


def _read(
    request: Mapping[str, Any],
    file: BinaryIO | io.FileIO,
    output: int,
    say: Callable[[Mapping[str, Any]], None],
) -> dict[str, Any]:
    path, limits = Path(request["name"]), DecodeLimits(**request["limits"])

    def report(part: float) -> None:
        say({"progress": part})

    try:
        if request["work"] == "probe":
            return probe_answer(probe_file(path, file, limits))
        if request["work"] == "make_playable":
            mp4 = Mp4Output(output)
            method = make_playable_file(path, file, mp4, limits, report)
            return playable_answer(method, mp4.size)
        if request["work"] == "make_rendition":
            mp4 = Mp4Output(output)
            make_rendition_file(path, file, mp4, limits, report)
            return written_answer(mp4.size)
        if request["work"] == "describe_rendition":
            return rendition_answer(*describe_file(path, file, limits))
        rules = ClipRules(**request["rules"]) if request["rules"] else None
        found = scan_if_accepted(path, file, rules, request["stills_at"], limits, report)
        return scan_answer(found, output) if isinstance(found, Scan) else probe_answer(found)
    except VideoUnreadable as error:
        return unreadable_answer(error)
    except OutputUnwritable as error:
        return unwritable_answer(error)


def load_everything() -> None:
    """PyAV loads parts of itself at their first use, when a confined process can open no file."""
    for module in pkgutil.walk_packages(av.__path__, "av."):
        if not module.name.endswith("__main__"):
            import_module(module.name)


if __name__ == "__main__":
    load_everything()
    cv2.setNumThreads(1)
    with socket.socket(fileno=0) as connection:
        serve(connection)
