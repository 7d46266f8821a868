"""Counting what a piece of work costs: time, CPU of a process, writes to the database."""

import math
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from statistics import median

import psutil
from pymongo import monitoring
from pymongo.database import Database

from footy_assets.store.collections import Document

# A transaction's commit is a command of its own, and the one that waits for the journal.
WRITE_COMMANDS = frozenset({"insert", "update", "delete", "findAndModify", "commitTransaction"})
WRITE_COUNTERS = ("insert", "update", "delete")
CPUCLOCK_SCHED = 2


def cpu_seconds(pid: int) -> float:
    """CPU that any process of ours has used so far, to the nanosecond (Linux)."""
    return time.clock_gettime((~pid << 3) | CPUCLOCK_SCHED)


def p95(values: Sequence[float]) -> float:
    """The value that 95 of 100 do not exceed (nearest rank)."""
    return sorted(values)[math.ceil(0.95 * len(values)) - 1]


def p50(values: Sequence[float]) -> float:
    return float(median(values))


class WriteCounter(monitoring.CommandListener):
    """Sees every command that this process sends to MongoDB."""

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
    """What the server itself counted: the listener's cross-check."""

    writes: int
    bytes_in: int

    @classmethod
    def read(cls, database: Database[Document]) -> "ServerFigures":
        status = database.client.admin.command("serverStatus")
        writes = sum(int(status["opcounters"][name]) for name in WRITE_COUNTERS)
        return cls(writes, int(status["network"]["bytesIn"]))


class CpuMeter:
    """How busy each of some processes, and the machine as a whole, were since the start."""

    def __init__(self, pids: Mapping[str, int]) -> None:
        self._pids = pids
        self._wall = time.monotonic()
        self._machine = _machine_cpu_seconds()
        self._used = {name: cpu_seconds(pid) for name, pid in pids.items()}

    def percent(self) -> dict[str, float]:
        """In percent of one core; a process that has been replaced meanwhile is left out."""
        wall = time.monotonic() - self._wall
        busy = {"whole machine": 100 * (_machine_cpu_seconds() - self._machine) / wall}
        for name, pid in self._pids.items():
            with suppress(OSError):
                busy[name] = 100 * (cpu_seconds(pid) - self._used[name]) / wall
        return busy


def _machine_cpu_seconds() -> float:
    """All cores, all processes (Linux): everything but idle and waiting for disks."""
    spent = psutil.cpu_times()
    return spent.user + spent.nice + spent.system + spent.irq + spent.softirq + spent.steal
