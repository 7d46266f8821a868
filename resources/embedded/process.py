"""A child process: started with default signal handling, awaited until ready, ended reliably."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from footy_assets.errors import Unavailable
from footy_assets.private_files import PRIVATE_UMASK

POLL_SECONDS = 0.03
LOG_TAIL_LINES = 5
LOG_LINE_LENGTH = 300
PR_SET_PDEATHSIG = 1
NEW_LOG = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
ENDED = (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)


@dataclass(frozen=True)
class ProcessIdentity:
    """A pid and its start time, so that a reused pid is not taken for the same process."""

    pid: int
    born: str

    def is_alive(self) -> bool:
        return _start_time(self.pid) == self.born

    def end(self, grace_seconds: float) -> None:
        """SIGTERM, then SIGKILL after the grace period; returns when the process has ended."""
        if grace_seconds > 0:
            self._signal(signal.SIGTERM)
            if self.wait_gone(grace_seconds):
                return
        self._signal(signal.SIGKILL)
        self.wait_gone(10.0)

    def _signal(self, number: signal.Signals) -> None:
        if self.is_alive():
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def wait_gone(self, seconds: float) -> bool:
        """Wait up to this long for the process to end; True if it has."""
        deadline = time.monotonic() + seconds
        while self.is_alive():
            if time.monotonic() > deadline:
                return False
            time.sleep(POLL_SECONDS)
        with suppress(ChildProcessError):
            os.waitpid(self.pid, os.WNOHANG)
        return True


@dataclass(frozen=True)
class OwnedProcess:
    name: str
    popen: "subprocess.Popen[bytes]"
    identity: ProcessIdentity
    log: Path

    @classmethod
    def start(
        cls,
        name: str,
        command: Sequence[str | Path],
        *,
        log: Path,
        env: Mapping[str, str] | None = None,
        die_with_parent: bool = False,
    ) -> "OwnedProcess":
        """Start `command` in its own session with its output in `log`; the previous log is kept."""
        if log.exists():
            log.replace(log.with_suffix(".previous.log"))
        parent = os.getpid()
        with os.fdopen(os.open(log, NEW_LOG, 0o600), "wb") as output:
            popen = subprocess.Popen(
                [str(part) for part in command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=log.parent,
                env=env,
                start_new_session=True,
                preexec_fn=lambda: _prepare_child(parent if die_with_parent else None),
            )
        return cls(name, popen, ProcessIdentity(popen.pid, _start_time(popen.pid) or "gone"), log)

    def wait_until_ready(
        self,
        is_ready: Callable[[], bool],
        within_seconds: float,
        failure: type[Unavailable] = Unavailable,
    ) -> None:
        """Poll `is_ready` until True; on failure, end the process and quote its log."""
        deadline = time.monotonic() + within_seconds
        try:
            while not is_ready():
                code = self.popen.poll()
                if code is not None:
                    raise self._not_ready(failure, f"ended at once with code {code}")
                if time.monotonic() > deadline:
                    raise self._not_ready(failure, f"was not ready within {within_seconds:g} s")
                time.sleep(POLL_SECONDS)
        except BaseException:
            self.stop(grace_seconds=0)
            raise

    def stop(self, grace_seconds: float) -> None:
        self.identity.end(grace_seconds)
        self.popen.poll()

    def _not_ready(self, failure: type[Unavailable], what: str) -> Unavailable:
        return failure(f"{self.name} {what}; its log: {log_tail(self.log)}", f"See {self.log}")


def log_tail(log: Path) -> str:
    text = log.read_text(errors="replace") if log.exists() else ""
    lines = [line.strip()[:LOG_LINE_LENGTH] for line in text.splitlines() if line.strip()]
    return " | ".join(lines[-LOG_TAIL_LINES:]) or "nothing"


def _prepare_child(die_with: int | None) -> None:
    os.umask(PRIVATE_UMASK)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, set())
    if die_with is not None and sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != die_with:
            os._exit(1)


def _start_time(pid: int) -> str | None:
    """When the process started, in hundredths of a second since boot; None if it has ended.

    psutil's own creation time moves when the system's clock is set; the time since boot does not.
    A killed process shows as a zombie while its last threads still hold its files and ports.
    """
    try:
        process = psutil.Process(pid)
        with process.oneshot():
            if process.status() in ENDED and process.num_threads() <= 1:
                return None
            return str(round((process.create_time() - psutil.boot_time()) * 100))
    except psutil.NoSuchProcess:
        return None
