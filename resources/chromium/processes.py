"""The operating system's view of a browser: which processes use a profile."""

import os
import signal
from contextlib import suppress
from pathlib import Path

PROC = Path("/proc")


def pids_using(profile: Path) -> list[int]:
    """Chromium's processes on this profile. Where there is no /proc none are found."""
    wanted = f"--user-data-dir={profile}".encode()
    found = []
    for entry in PROC.glob("[0-9]*"):
        with suppress(OSError):
            if wanted in (entry / "cmdline").read_bytes().split(b"\0"):
                found.append(int(entry.name))
    return sorted(found)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def kill_using(profile: Path) -> int:
    """End them hard; a browser that hangs answers to nothing else."""
    pids = pids_using(profile)
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return len(pids)
