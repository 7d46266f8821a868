"""A command starts fast: it imports its own module and nothing that it does not need."""

import subprocess
import sys

import pytest

from footy_assets_tests.fixtures.command import Footy

pytestmark = pytest.mark.slow

SLOW_TO_LOAD = {"cv2", "av", "playwright", "yt_dlp", "boto3", "scipy", "onnxruntime", "dagster"}
LOAD = """
import sys
from footy_assets.cli.loading import Commands
Commands()[sys.argv[1]]
print(*sys.modules)
"""


@pytest.mark.parametrize(
    "command", ["fixtures", "events", "poll", "audit", "triggers", "history", "sources", "settings"]
)
def test_a_command_without_videos_loads_nothing_for_videos(command: str) -> None:
    process = subprocess.run(
        [sys.executable, "-c", LOAD, command], capture_output=True, text=True, check=True
    )
    assert not SLOW_TO_LOAD & set(process.stdout.split())


def test_a_misspelt_command_gets_a_suggestion(footy: Footy) -> None:
    done = footy("evens")
    assert done.returncode == 2
    assert "No such command 'evens'" in done.stderr
    assert "events" in done.stderr
