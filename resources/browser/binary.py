"""Finds Chromium: the configured one, the system's, or Playwright's."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

SYSTEM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
START_SECONDS = 30.0
PLAYWRIGHT_CACHES = (".cache/ms-playwright", "Library/Caches/ms-playwright")
PLAYWRIGHT_BINARIES = (
    "chromium-*/chrome-linux*/chrome",
    "chromium-*/chrome-mac*/*.app/Contents/MacOS/*",
)


def find_browser(configured: Path | None = None) -> Path | None:
    if configured is not None:
        return configured if os.access(configured, os.X_OK) else None
    for name in SYSTEM_NAMES:
        if found := shutil.which(name):
            return Path(found)
    folders = [Path.home() / cache for cache in PLAYWRIGHT_CACHES]
    if own := os.environ.get("PLAYWRIGHT_BROWSERS_PATH"):
        folders.insert(0, Path(own))
    for folder in folders:
        for pattern in PLAYWRIGHT_BINARIES:
            if binaries := sorted(folder.glob(pattern)):
                return binaries[-1]
    return None


def failure_to_start(browser: Path) -> str | None:
    """Why the browser does not even print its version, for example without a library."""
    return _failure([browser, "--version"])


def failure_of_driver() -> str | None:
    """The same of the program through which Playwright speaks to a browser."""
    return _failure([sys.executable, "-m", "playwright", "--version"])


def _failure(command: list[Path | str]) -> str | None:
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=START_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode == 0:
        return None
    said = (done.stderr or done.stdout).strip().splitlines()
    return said[-1] if said else f"it ended with code {done.returncode}"
