"""The clock of `benchmarks.chaos`: Python's time of day jumps, that of other programs does not."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks.chaos_faults import JUMP_SECONDS, JumpingClock

NEEDS_A_COMPILER = pytest.mark.skipif(
    sys.platform != "linux" or not (shutil.which("cc") or shutil.which("gcc")),
    reason="needs Linux and a C compiler",
)


def seconds_ahead(command: list[str | Path], clock: JumpingClock) -> float:
    """What a program says the time is, compared with ours."""
    environment = {**os.environ, **clock.environment}
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return float(said.stdout) - time.time()


@NEEDS_A_COMPILER
def test_only_python_s_time_jumps_wherever_other_programs_lie(tmp_path: Path) -> None:
    """MongoDB is installed below `python3.11`; it waits until a time of day, and stood still."""
    clock = JumpingClock(tmp_path)
    clock.set(JUMP_SECONDS)
    ours = seconds_ahead([sys.executable, "-c", "import time; print(time.time())"], clock)
    assert ours == pytest.approx(JUMP_SECONDS, abs=60)
    program = tmp_path / "python3.11" / "server"
    program.parent.mkdir()
    shutil.copy(shutil.which("date") or "", program)
    assert seconds_ahead([program, "+%s"], clock) == pytest.approx(0, abs=60)
