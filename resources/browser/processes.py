"""The processes of a browser, found by its profile."""

from contextlib import suppress
from pathlib import Path

import psutil

MEGABYTE = 1024 * 1024


def processes_using(profile: Path) -> list[psutil.Process]:
    """Chromium's main processes with this profile."""
    wanted = f"--user-data-dir={profile}"
    return [
        process
        for process in psutil.process_iter(["cmdline"])
        if wanted in (process.info["cmdline"] or ())
    ]


def process_tree(profile: Path) -> list[psutil.Process]:
    """The browser with this profile and all its child processes."""
    found = set(processes_using(profile))
    for process in list(found):
        with suppress(psutil.NoSuchProcess):
            found.update(process.children(recursive=True))
    return list(found)


def resident_megabytes(process: psutil.Process) -> float:
    with suppress(psutil.Error):
        return process.memory_info().rss / MEGABYTE
    return 0.0


def kill_using(profile: Path) -> int:
    """SIGKILL: a browser that hangs ignores other signals."""
    processes = processes_using(profile)
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    return len(processes)
