"""The process that downloads: `python -m resources.downloads.worker`.

It loads yt-dlp once and forks for each download. The copy limits itself, downloads one video,
answers and ends. It ends at its time limit by the kernel's timer, and when nobody waits for it.
"""

import json
import os
import resource
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any

from footy_assets.errors import DownloadCause, DownloadFailed
from resources.clip_hosts.table import ClipHosts
from resources.downloads.fetch import fetch_video, load_extractors
from resources.downloads.guard import NetworkRule
from resources.downloads.hosts import allowed_hosts

MEBIBYTE = 1 << 20
# Beyond what the process has when it starts. A download streams to disk: it needs little.
MEMORY_BYTES = 384 * MEBIBYTE
CPU_SECONDS = 60
OPEN_FILES = 64
# A copy whose client is gone.
ABANDONED = 3


def serve(connection: socket.socket) -> None:
    """Fork for each socket that is handed over, until the other side is gone."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    load_extractors()
    while True:
        content, (*handed,), _, _ = socket.recv_fds(connection, 1, 1)
        if not content:
            break
        if os.fork() == 0:
            connection.close()
            _work(socket.socket(fileno=handed[0]))
        os.close(handed[0])
    os.killpg(0, signal.SIGKILL)


def _work(client: socket.socket) -> None:
    """One download, in a process that ends with it."""
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        with client.makefile("rb") as lines:
            job = json.loads(lines.readline())
        # A clock that all processes of a machine share.
        started = {"started": time.monotonic()}
        limit_this_process(job["max_bytes"], job["seconds"])
        Thread(target=_end_with, args=(client,), daemon=True).start()
        _send(client, started)
        _send(client, answer_for(job, lambda: _send(client, {"progress": True})))
    finally:
        os._exit(0)


def answer_for(job: Mapping[str, Any], on_progress: Callable[[], None]) -> dict[str, Any]:
    clip_host = ClipHosts(job["clip_hosts"]).host_of(job["url"])
    hosts = (*(clip_host.allowed if clip_host else allowed_hosts()), *job["hosts"])
    rule = NetworkRule(hosts, job["max_received"], job["private_addresses"])
    try:
        path = fetch_video(
            job["url"],
            Path(job["into"]),
            job["name"],
            job["max_bytes"],
            rule,
            on_progress,
            clip_host,
            job["height"],
            job["cookies"],
        )
        answer: dict[str, Any] = {"path": str(path)}
    except DownloadFailed as error:
        answer = _failure(str(error), error.cause, error.retryable)
    except MemoryError:
        answer = _failure("takes more memory than a download may", DownloadCause.TOO_LARGE)
    except Exception as error:
        answer = _failure(f"{type(error).__name__}: {error}", DownloadCause.UNREADABLE)
    return {**answer, "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}


def _failure(message: str, cause: DownloadCause, retryable: bool = False) -> dict[str, Any]:
    return {"failed": message[:500], "cause": cause, "retryable": retryable}


def limit_this_process(max_bytes: int, seconds: float) -> None:
    for name, value in (
        (resource.RLIMIT_AS, _address_space() + MEMORY_BYTES),
        (resource.RLIMIT_FSIZE, max_bytes + MEBIBYTE),
        (resource.RLIMIT_CPU, CPU_SECONDS),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_CORE, 0),
    ):
        # macOS has no limit of memory.
        with suppress(OSError, ValueError):
            resource.setrlimit(name, (value, value))
    # Its default action ends the process, whatever it is doing.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds)


def _address_space() -> int:
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:
        return 4096 * MEBIBYTE
    return pages * resource.getpagesize()


def _end_with(client: socket.socket) -> None:
    """End this process when the other side closes the connection."""
    with suppress(OSError):
        client.recv(1)
    os._exit(ABANDONED)


def _send(client: socket.socket, message: Mapping[str, Any]) -> None:
    client.sendall(json.dumps(message).encode() + b"\n")


if __name__ == "__main__":
    serve(socket.socket(fileno=sys.stdin.fileno()))
