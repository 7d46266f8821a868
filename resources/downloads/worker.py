"""The process that downloads: `python -m resources.downloads.worker`.

It loads yt-dlp once and forks for each download. The copy limits itself, downloads one video,
answers and ends. It ends at its time limit by the kernel's timer, and when nobody waits for it.
"""

import resource
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
from resources.worker_process import end_after, end_with, send, serve

MEBIBYTE = 1 << 20
# Beyond what the process has when it starts. A download streams to disk: it needs little.
MEMORY_BYTES = 384 * MEBIBYTE
CPU_SECONDS = 60
OPEN_FILES = 64


def work(job: Mapping[str, Any], client: socket.socket) -> None:
    """One download, in a process that ends with it."""
    # A clock that all processes of a machine share.
    started = {"started": time.monotonic()}
    limit_this_process(job["max_bytes"], job["seconds"])
    Thread(target=end_with, args=(client,), daemon=True).start()
    send(client, started)
    send(client, answer_for(job, lambda: send(client, {"progress": True})))


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
    end_after(seconds)


def _address_space() -> int:
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:
        return 4096 * MEBIBYTE
    return pages * resource.getpagesize()


if __name__ == "__main__":
    load_extractors()
    serve(socket.socket(fileno=sys.stdin.fileno()), work)
