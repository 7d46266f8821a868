"""Measures percentiles, the CPU of processes, and writes to the database."""

import math
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from statistics import median

import psutil
from pymongo import monitoring
from pymongo.database import Database

from footy_assets.store.collections import Document

# A commit is a separate command: the one that waits for the journal.
WRITE_COMMANDS = frozenset({"insert", "update", "delete", "findAndModify", "commitTransaction"})
WRITE_COUNTERS = ("insert", "update", "delete")
SESSION_WRITES = ("Refreshed", "Ended")
CPUCLOCK_SCHED = 2


def cpu_seconds(pid: int) -> float:
    """CPU seconds that a process has used so far, to the nanosecond (Linux)."""
    return time.clock_gettime((~pid << 3) | CPUCLOCK_SCHED)


def p95(values: Sequence[float]) -> float:
    """The 95th percentile (nearest rank)."""
    return sorted(values)[math.ceil(0.95 * len(values)) - 1]


def p50(values: Sequence[float]) -> float:
    return float(median(values))


class WriteCounter(monitoring.CommandListener):
    """Counts the write commands of this process to MongoDB, and the documents they write."""

    def __init__(self) -> None:
        self.commands = 0
        self.documents = 0

    def started(self, event: monitoring.CommandStartedEvent) -> None:
        if event.command_name in WRITE_COMMANDS:
            self.commands += 1

    def succeeded(self, event: monitoring.CommandSucceededEvent) -> None:
        if event.command_name in WRITE_COMMANDS:
            self.documents += int(event.reply.get("n", 0))

    def failed(self, event: monitoring.CommandFailedEvent) -> None:
        pass


@dataclass(frozen=True, slots=True)
class ServerFigures:
    """The counters of the MongoDB server, to check `WriteCounter` against.

    Every five minutes the server stores the sessions in use, and counts one write for each.
    """

    writes: int
    bytes_in: int
    sessions_stored_at: datetime
    sessions_stored: int

    @classmethod
    def read(cls, database: Database[Document]) -> "ServerFigures":
        status = database.client.admin.command("serverStatus")
        writes = sum(int(status["opcounters"][name]) for name in WRITE_COUNTERS)
        sessions = status["logicalSessionRecordCache"]
        return cls(
            writes,
            int(status["network"]["bytesIn"]),
            sessions["lastSessionsCollectionJobTimestamp"],
            sum(int(sessions[f"lastSessionsCollectionJobEntries{one}"]) for one in SESSION_WRITES),
        )

    def writes_since(self, before: "ServerFigures") -> int:
        """Without those of the server itself."""
        stored = self.sessions_stored if self.sessions_stored_at != before.sessions_stored_at else 0
        return self.writes - before.writes - stored


class CpuMeter:
    """The CPU usage of some processes and of the whole machine, since this object was made."""

    def __init__(self, pids: Mapping[str, int]) -> None:
        self._pids = pids
        self._wall = time.monotonic()
        self._machine = _machine_cpu_seconds()
        self._used = {name: cpu_seconds(pid) for name, pid in pids.items()}

    def percent(self) -> dict[str, float]:
        """In percent of one core, without processes that have been replaced meanwhile."""
        wall = time.monotonic() - self._wall
        busy = {"whole machine": 100 * (_machine_cpu_seconds() - self._machine) / wall}
        for name, pid in self._pids.items():
            with suppress(OSError):
                busy[name] = 100 * (cpu_seconds(pid) - self._used[name]) / wall
        return busy


def tree_cpu_seconds(pid: int) -> float:
    """CPU seconds of a process, of those that it started, and of those of them that ended and were
    waited for."""
    used = 0.0
    for process in _tree(pid):
        with suppress(psutil.NoSuchProcess):
            spent = process.cpu_times()
            used += spent.user + spent.system + spent.children_user + spent.children_system
    return used


def tree_megabytes(pid: int) -> float:
    """The memory of a process and those that it started: what several of them share counts once."""
    used = 0.0
    for process in _tree(pid):
        with suppress(psutil.Error):
            used += process.memory_full_info().pss
    return used / 1e6


def _tree(pid: int) -> list[psutil.Process]:
    """A process and those that it started; none if it is gone."""
    try:
        root = psutil.Process(pid)
        return [root, *root.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def _machine_cpu_seconds() -> float:
    """CPU seconds of all processes on all cores (Linux), without idle and I/O wait."""
    spent = psutil.cpu_times()
    return spent.user + spent.nice + spent.system + spent.irq + spent.softirq + spent.steal
