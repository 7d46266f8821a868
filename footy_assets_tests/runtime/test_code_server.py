"""What run workers fork from."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from footy_assets.dagster_internals import RUN_WORKER_MODULE
from footy_assets.runtime.code_server import PRELOADED_FOR_CLIPS

pytestmark = pytest.mark.slow

THREADS = """
import importlib, psutil, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
print(psutil.Process().num_threads())
"""


def test_nothing_that_is_loaded_beforehand_starts_a_thread(tmp_path: Path) -> None:
    """A fork takes one thread along; what another one held at that moment would stay held. The
    thread of onnxruntime would send events to its makers, and keep them in the cache."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", THREADS, *PRELOADED_FOR_CLIPS, RUN_WORKER_MODULE],
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "XDG_CACHE_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split()[-1] == "1"
    assert [path.name for path in tmp_path.iterdir()] == ["footy"], "the networks are loaded"
