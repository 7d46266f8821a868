"""The files that deploy footy, and the tools that check them."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
SCRIPTS = Path(sys.executable).parent


def run(*command: str | Path, **env: str) -> str:
    """The output of a command that must succeed; a tool of the environment by its name alone."""
    program = SCRIPTS / command[0]
    done = subprocess.run(
        [program if program.exists() else command[0], *command[1:]],
        cwd=ROOT,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def load(path: Path) -> Any:
    return yaml.safe_load(path.read_text())
