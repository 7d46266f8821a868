"""How much of the machine a browser uses: its process and all it has started."""

from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

PROC = Path("/proc")
MEGABYTE = 1024 * 1024
PAGE_BYTES = 4096


def family(pids: Iterable[int]) -> list[int]:
    """These and their descendants: only a browser's first process names its profile."""
    children: dict[int, list[int]] = defaultdict(list)
    for entry in PROC.glob("[0-9]*"):
        with suppress(OSError, IndexError, ValueError):
            # The name, in brackets, may hold anything; the parent is the second field after it.
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            children[parent].append(int(entry.name))
    found: list[int] = []
    waiting = list(pids)
    while waiting:
        pid = waiting.pop()
        found.append(pid)
        waiting += children[pid]
    return sorted(set(found))


def resident_megabytes(pid: int) -> float:
    with suppress(OSError, IndexError, ValueError):
        return int((PROC / str(pid) / "statm").read_text().split()[1]) * PAGE_BYTES / MEGABYTE
    return 0.0
