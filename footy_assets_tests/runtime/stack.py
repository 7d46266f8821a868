"""The whole stack as a process of the test's, and how to be sure that it is gone."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import psutil

from footy_assets_tests.waiting import wait_until

FOOTY = Path(sys.executable).with_name("footy")
GONE_WITHIN_SECONDS = 3.0
KILLED_WITHIN_SECONDS = 20.0
# Longer than each part may take by the product's own limits: it then says itself which did.
STARTED_WITHIN_SECONDS = 240.0
# Where a test names no stream of posts. Fans of simulated sites post about goals only.
NOWHERE = {"FOOTY_JETSTREAM_URLS": "ws://127.0.0.1:9", "FOOTY_CANARY_MINUTES": "0"}
UI = re.compile(r"Dagster UI: (http://\S+)")
GALLERY = re.compile(r"Gallery: (http://\S+)")


class Stack:
    """`footy up` or `footy demo`, with what it printed so far."""

    def __init__(
        self,
        home: Path,
        *arguments: str,
        command: Path = FOOTY,
        environ: Mapping[str, str] = os.environ,
        cwd: Path | None = None,
        **env: str,
    ) -> None:
        clean = {key: value for key, value in environ.items() if not key.startswith("FOOTY_")}
        self.output = home.with_suffix(f".{time.monotonic_ns()}.log")
        with self.output.open("wb") as log:
            self.process = subprocess.Popen(
                [command, *arguments],
                cwd=cwd,
                env=clean
                | {"FOOTY_HOME": str(home), "FOOTY_DAGSTER_PORT": "0", "FOOTY_API_PORT": "0"}
                | NOWHERE
                | env,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def said(self) -> str:
        return self.output.read_text(errors="replace")

    def wait_until(self, happened: Callable[[], bool], seconds: float) -> None:
        def happened_in_time() -> bool:
            assert self.process.poll() is None, self.said[-4000:]
            return happened()

        wait_until(happened_in_time, seconds, every=0.2, explain=lambda: self.said[-4000:])

    def ui(self, seconds: float = STARTED_WITHIN_SECONDS) -> str:
        self.wait_until(lambda: UI.search(self.said) is not None, seconds)
        found = UI.search(self.said)
        assert found
        return found[1]

    def gallery(self) -> str:
        """Told before the Dagster UI is."""
        self.ui()
        found = GALLERY.search(self.said)
        assert found
        return found[1]

    def goals(self, **wanted: str) -> list[dict[str, Any]]:
        """As the web app tells them: a command for each look would take a core for itself."""
        answer = httpx.get(f"{self.gallery()}/api/v1/events", params=wanted, timeout=20)
        found: list[dict[str, Any]] = answer.raise_for_status().json()["items"]
        return found

    def family(self) -> list[psutil.Process]:
        try:
            me = psutil.Process(self.process.pid)
            return [me, *me.children(recursive=True)]
        except psutil.NoSuchProcess:
            return []

    def running(self, module: str) -> list[psutil.Process]:
        """Those of its processes that run a Python module, or a command of ours."""
        found = []
        for process in self.family():
            with suppress(psutil.NoSuchProcess):
                if module in process.cmdline():
                    found.append(process)
        return found

    def kill_everything(self) -> None:
        """kill -9, all at once, as a power cut would, and gone when this returns.

        All are stopped first: one that still ran could start another between two looks.
        """
        stopped: set[psutil.Process] = set()
        while found := set(self.family()) - stopped:
            for process in found:
                with suppress(psutil.NoSuchProcess):
                    process.suspend()
            stopped |= found
        for process in stopped:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        self.process.wait(KILLED_WITHIN_SECONDS)
        _, alive = psutil.wait_procs(stopped, timeout=KILLED_WITHIN_SECONDS)
        assert not alive, alive

    def stop(self, number: int = signal.SIGINT, seconds: float = 60.0) -> int:
        """Ask it to stop; what it had started must be gone when it is.

        Python's own helper process ends only after it, by itself.
        """
        family = self.family()
        self.process.send_signal(number)
        code = self.process.wait(seconds)
        _, alive = psutil.wait_procs(family, timeout=GONE_WITHIN_SECONDS)
        left = [p for p in alive if p.is_running() and p.status() != psutil.STATUS_ZOMBIE]
        assert not left, left
        return code
