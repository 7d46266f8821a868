"""A command starts fast: it imports its own module and nothing that it does not need."""

import subprocess
import sys

import pytest

from footy_assets_tests.fixtures.command import Footy

pytestmark = pytest.mark.slow

SLOW_TO_LOAD = {"cv2", "av", "playwright", "yt_dlp", "boto3", "scipy", "onnxruntime", "dagster"}
COMMANDS = ["fixtures", "events", "poll", "audit", "triggers", "history", "sources", "settings"]
LOAD = """
import sys
from footy_assets.cli.loading import Commands
for command in sys.argv[1:]:
    Commands()[command]
    print(*sys.modules)
"""


@pytest.fixture(scope="module")
def loaded_with() -> dict[str, set[str]]:
    """The modules of one process after each command: what none of them loads is in no line."""
    process = subprocess.run(
        [sys.executable, "-c", LOAD, *COMMANDS], capture_output=True, text=True, check=True
    )
    lines = process.stdout.splitlines()
    return {command: set(line.split()) for command, line in zip(COMMANDS, lines, strict=True)}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_without_videos_loads_nothing_for_videos(
    command: str, loaded_with: dict[str, set[str]]
) -> None:
    assert not SLOW_TO_LOAD & loaded_with[command]


def test_a_misspelt_command_gets_a_suggestion(footy: Footy) -> None:
    done = footy("evens")
    assert done.returncode == 2
    assert "No such command 'evens'" in done.stderr
    assert "events" in done.stderr
