"""What `benchmarks.chaos` does to a running stack, and how each fault ends."""

import os
import shutil
import signal
import struct
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import psutil

from footy_assets.sim import SimServer

HOME_BYTES = 3 * 1024**3
JUMP_SECONDS = 600
SHIM = Path(__file__).with_name("jumping_clock.c")


@dataclass(frozen=True)
class Fault:
    """`begin` returns what it did, for the log; `end` undoes it `seconds` later."""

    name: str
    begin: Callable[[], str]
    end: Callable[[], None] = lambda: None
    seconds: float = 0.0


@dataclass
class JumpingClock:
    """The time of day of all Python processes that start with `environment`."""

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        compiler = shutil.which("cc") or shutil.which("gcc")
        if compiler is None:
            return
        library = self.folder / "jumping_clock.so"
        subprocess.run(
            [compiler, "-O2", "-shared", "-fPIC", "-o", library, SHIM, "-ldl"], check=True
        )
        self.set(0)
        self.environment = {"LD_PRELOAD": str(library), "JUMPING_CLOCK": str(self._file)}

    @property
    def _file(self) -> Path:
        return self.folder / "offset"

    def set(self, seconds: int) -> None:
        # In place: the file is mapped.
        with self._file.open("r+b" if self._file.exists() else "wb") as file:
            file.write(struct.pack("q", seconds))


@dataclass
class FullDisk:
    """A disk of the stack's own, which can be filled."""

    folder: Path

    @contextmanager
    def mounted(self) -> Iterator[bool]:
        """Whether it could be mounted; that needs root."""
        self.folder.mkdir(parents=True, exist_ok=True)
        options = f"size={HOME_BYTES},mode=0700"
        command = ["mount", "-t", "tmpfs", "-o", options, "footy-chaos", str(self.folder)]
        mounted = os.geteuid() == 0 and subprocess.run(command).returncode == 0
        try:
            yield mounted
        finally:
            if mounted:
                subprocess.run(["umount", "-l", str(self.folder)], check=True)

    def fill(self) -> str:
        block = b"\0" * 1024**2
        with suppress(OSError), self._ballast.open("ab", buffering=0) as file:
            while file.write(block):
                pass
        # What other processes free meanwhile is taken too, by smaller blocks.
        with suppress(OSError), self._ballast.open("ab", buffering=0) as file:
            while file.write(b"\0"):
                pass
        return f"{shutil.disk_usage(self.folder).free} bytes free"

    def free(self) -> None:
        self._ballast.unlink(missing_ok=True)

    @property
    def _ballast(self) -> Path:
        return self.folder / "ballast"


@dataclass
class Victims:
    """The processes of a stack. `main` itself is spared: nobody would restart it."""

    main: psutil.Process
    chance: Random

    def kill_one(self) -> str:
        with suppress(psutil.NoSuchProcess):
            victim = self.chance.choice(self.main.children(recursive=True))
            said = describe(victim)
            victim.kill()
            return said
        return "it was gone already"

    def freeze(self, program: str) -> str:
        """Stops a server as if the network to it were gone: connections open and stay silent."""
        found = self._named(program)
        for process in found:
            with suppress(psutil.NoSuchProcess):
                process.send_signal(signal.SIGSTOP)
        return f"{len(found)} process(es) frozen"

    def thaw(self, program: str) -> None:
        for process in self._named(program):
            with suppress(psutil.NoSuchProcess):
                process.send_signal(signal.SIGCONT)

    def _named(self, program: str) -> list[psutil.Process]:
        found = []
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                if process.name() == program and process.uids().real == os.getuid():
                    found.append(process)
        family = {self.main.pid, *(child.pid for child in self.main.children(recursive=True))}
        return [process for process in found if process.pid in family or self._of_home(process)]

    def _of_home(self, process: psutil.Process) -> bool:
        with suppress(psutil.Error):
            return self.main.environ().get("FOOTY_HOME", "?") in " ".join(process.cmdline())
        return False


def describe(process: psutil.Process) -> str:
    """The module or program, without paths."""
    with suppress(psutil.Error):
        words = process.cmdline()
        if "-m" in words:
            return words[words.index("-m") + 1]
        return f"{process.name()} {Path(words[1]).name if len(words) > 1 else ''}".strip()
    return "a process"


def all_faults(
    victims: Victims, provider: SimServer, disk: FullDisk | None, clock: JumpingClock
) -> list[Fault]:
    """Those that this machine can have."""

    def provider_away() -> str:
        provider.stop()
        return "connections are refused"

    def provider_back() -> None:
        provider.start()

    def jump() -> str:
        seconds = victims.chance.choice((-JUMP_SECONDS, JUMP_SECONDS))
        clock.set(seconds)
        return f"{seconds:+d} s"

    faults = [
        Fault("kill -9 of a child", victims.kill_one),
        Fault("S3 away", lambda: victims.freeze("weed"), lambda: victims.thaw("weed"), 25),
        Fault("MongoDB away", lambda: victims.freeze("mongod"), lambda: victims.thaw("mongod"), 25),
        Fault("provider away", provider_away, provider_back, 25),
    ]
    if disk is not None:
        faults.append(Fault("disk full", disk.fill, disk.free, 60))
    if clock.environment:
        faults.append(Fault("clock jumps", jump, lambda: clock.set(0), 90))
    return faults
