"""What ends is started again, each part by itself, and nothing ends the whole."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from footy_assets.runtime.disk import DiskGuard
from footy_assets.runtime.doctor import dagster_stack
from footy_assets.runtime.home import Home
from footy_assets.runtime.restarts import LONGEST_WAIT_SECONDS, RestartBackoff, Restarts
from footy_assets.runtime.supervisor import DAEMON, Running
from footy_assets.runtime.time_of_day import TimeOfDay
from footy_assets.settings import settings_of
from resources.embedded.process import OwnedProcess


class Time:
    """Moves only by hand."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_the_waits_grow_to_a_minute_and_are_forgotten_after_five() -> None:
    time = Time()
    backoff = RestartBackoff(time)
    waits = [backoff.count_death() for _ in range(9)]
    assert waits == [0, 1, 2, 4, 8, 16, 32, 60, LONGEST_WAIT_SECONDS]
    assert backoff.keeps_failing
    time.now += 301
    assert not backoff.keeps_failing
    assert backoff.count_death() == 0


@pytest.fixture
def stack(tmp_path: Path) -> Running:
    home = Home(tmp_path / "home")
    home.prepare()
    said: list[str] = []
    restarts = Restarts(said.append, Time())
    return Running(home, "http://ui", "http://gallery", "", [], DiskGuard(home.path), restarts)


def program(stack: Running, name: str, code: str) -> Callable[[], OwnedProcess]:
    command = [sys.executable, "-S", "-c", code]
    return lambda: OwnedProcess.start(
        name, command, log=stack.home.logs / f"{name}.log", die_with_parent=True
    )


def kill(process: OwnedProcess) -> None:
    process.popen.kill()
    process.popen.wait()


def test_deaths_of_different_parts_end_nothing_and_each_comes_back_at_once(stack: Running) -> None:
    names = ("one", "two", "three", "four", "five")
    for name in names:
        stack.starters[name] = program(stack, name, "import time; time.sleep(600)")
        stack.start(name)
    for name in names:
        kill(stack.children[name])
        stack.revive()
        assert stack.children[name].popen.poll() is None
    assert stack.restarts.failing == {}
    for process in stack.children.values():
        kill(process)


def test_a_part_that_keeps_ending_is_said_and_tried_for_ever(stack: Running) -> None:
    time = stack.restarts.monotonic
    assert isinstance(time, Time)
    said: list[str] = []
    stack.restarts.on_progress = said.append
    stack.starters["daemon"] = program(stack, "daemon", "print('no luck'); raise SystemExit(3)")
    stack.start("daemon")
    started = {stack.children["daemon"].identity.pid}
    for _ in range(8):
        stack.children["daemon"].popen.wait()
        stack.revive()
        time.now += LONGEST_WAIT_SECONDS / 2
        stack.revive()
        time.now += LONGEST_WAIT_SECONDS / 2
        stack.revive()
        started.add(stack.children["daemon"].identity.pid)
    assert len(started) > 6, "more often than any budget"
    (sentence,) = said
    assert "daemon keeps ending" in sentence
    assert "code 3: no luck" in sentence
    found = dagster_stack(settings_of(home=stack.home.path))
    assert not found.ok
    assert "daemon keeps ending" in found.detail
    # It works again, and after five minutes it is believed.
    stack.starters["daemon"] = program(stack, "daemon", "import time; time.sleep(600)")
    stack.children["daemon"].popen.wait()
    for _ in range(3):
        time.now += LONGEST_WAIT_SECONDS
        stack.revive()
    time.now += 301
    stack.revive()
    assert said[1:] == ["daemon works again"]
    assert dagster_stack(settings_of(home=stack.home.path)).ok
    kill(stack.children["daemon"])


def test_a_part_that_cannot_be_started_is_no_trouble_for_the_others(stack: Running) -> None:
    def refuse() -> OwnedProcess:
        raise OSError(28, "No space left on device")

    for name in ("broken", "whole"):
        stack.starters[name] = program(stack, name, "import time; time.sleep(600)")
        kill(stack.start(name))
    stack.starters["broken"] = refuse
    stack.revive()
    assert stack.children["whole"].popen.poll() is None
    kill(stack.children["whole"])


def test_nothing_is_started_while_the_disk_is_full(
    stack: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    free = [0]
    stack.disk.on_progress = said.append
    monkeypatch.setattr(stack.disk, "free_mib", lambda: free[0])
    stack.starters["web"] = program(stack, "web", "import time; time.sleep(600)")
    first = stack.start("web")
    kill(first)
    stack.revive()
    stack.revive()
    assert stack.children["web"] is first
    assert len(said) == 1
    assert "The disk is full" in said[0]
    free[0] = 50
    stack.revive()
    assert stack.children["web"] is first, "not as soon as a few bytes are free"
    free[0] = 1000
    stack.revive()
    assert stack.children["web"].popen.poll() is None
    assert "room again" in said[1]
    kill(stack.children["web"])


LOGS_TO_A_FULL_DISK = """
import structlog
from footy_assets.logs import configure_logs
configure_logs("info")
for number in range(2000):
    structlog.get_logger().warning("a_line", number=number)
print("went on")
"""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_the_daemon_is_started_anew_when_the_time_of_day_is_set_back(stack: Running) -> None:
    now, monotonic = Time(), Time()
    stack.time_of_day = TimeOfDay(now, monotonic)
    for name in (DAEMON, "web"):
        stack.starters[name] = program(stack, name, "import time; time.sleep(600)")
        stack.start(name)
    first = dict(stack.children)
    try:
        stack.revive()
        # Three hours of sleep, a jump forward, and a correction of a few seconds change nothing.
        for later, of_day in ((10_800.0, 10_800.0), (1.0, 601.0), (1.0, -4.0)):
            monotonic.now += later
            now.now += of_day
            stack.revive()
        assert stack.children == first
        now.now -= 600
        stack.revive()
        assert stack.children[DAEMON] != first[DAEMON]
        assert stack.children["web"] == first["web"]
        again = dict(stack.children)
        stack.revive()
        assert stack.children == again
    finally:
        for process in (*first.values(), *stack.children.values()):
            kill(process)


def test_a_log_on_a_full_disk_raises_nothing() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", LOGS_TO_A_FULL_DISK],
            stdout=subprocess.PIPE,
            stderr=full,
            text=True,
            check=False,
        )
    assert done.stdout == "went on\n"


def test_waiting_for_room_ends_when_it_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    guard = DiskGuard(tmp_path, said.append)
    monkeypatch.setattr(guard, "free_mib", lambda: 0)
    guard.wait(stopped=lambda: bool(said))
    assert guard.is_full
