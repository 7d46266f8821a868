"""Launches Chromium: its flags, its profile, and what it must not load."""

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
from playwright.sync_api import BrowserContext, Page, Playwright
from playwright.sync_api import Error as PlaywrightError

from footy_assets.errors import BinaryMissing, SiteUnavailable
from resources.browser.binary import find_browser

# No background requests, no first-run pages, no GPU.
FLAGS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--mute-audio",
)
# Media are not needed to read posts. Blocked inside the browser: Playwright's own routing would
# disable its cache, and every search would load a site's scripts again.
MEDIA_URLS = (
    "*.mp4*",
    "*.m4s*",
    "*.m3u8*",
    "*.webm*",
    "*.ts",
    "*.jpg*",
    "*.jpeg*",
    "*.png*",
    "*.gif*",
    "*.webp*",
    "*.woff*",
    "*.ttf*",
    "*format=jpg*",
    "*format=png*",
    "*format=webp*",
)
START_SECONDS = 14.0
TEMPORARY_PREFIX = "footy-browser-"
PROFILE_WAIT_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class BrowserOptions:
    """`profile` keeps a login. Without one each browser starts empty, with `cookies`, which are
    secrets and never logged."""

    profile: Path | None = None
    executable: Path | None = None
    headless: bool = True
    blocked: tuple[str, ...] = MEDIA_URLS
    cookies: Callable[[], list[Any]] | None = None

    @contextmanager
    def profile_folder(self) -> Iterator[Path]:
        """The folder, for one browser at a time. A temporary one is deleted at the end."""
        if self.profile is None:
            sweep_leftovers()
            with tempfile.TemporaryDirectory(
                prefix=f"{TEMPORARY_PREFIX}{os.getpid()}-", ignore_cleanup_errors=True
            ) as folder:
                yield Path(folder)
            return
        self.profile.mkdir(parents=True, exist_ok=True, mode=0o700)
        with _locked(self.profile.with_name(f"{self.profile.name}.lock")):
            yield self.profile


def sweep_leftovers() -> None:
    """Delete temporary profiles of killed processes: they hold cookies of a login."""
    for folder in Path(tempfile.gettempdir()).glob(f"{TEMPORARY_PREFIX}*-*"):
        owner = folder.name.removeprefix(TEMPORARY_PREFIX).split("-")[0]
        if owner.isdigit() and not psutil.pid_exists(int(owner)):
            shutil.rmtree(folder, ignore_errors=True)


def launch(playwright: Playwright, options: BrowserOptions, folder: Path) -> BrowserContext:
    executable = find_browser(options.executable)
    if executable is None:
        raise BinaryMissing(
            "there is no Chromium on this machine",
            "Install chromium, run `playwright install chromium`, or set FOOTY_BROWSER_PATH",
        )
    try:
        context = playwright.chromium.launch_persistent_context(
            str(folder),
            executable_path=str(executable),
            headless=options.headless,
            args=list(FLAGS),
            # Chromium refuses its sandbox to root.
            chromium_sandbox=os.geteuid() != 0,
            # A service worker could answer requests without a response event.
            service_workers="block" if options.headless else None,
            timeout=START_SECONDS * 1000,
            viewport={"width": 1280, "height": 1600} if options.headless else None,
            no_viewport=None if options.headless else True,
        )
    except PlaywrightError as error:
        reason = (error.message.splitlines() or ["no reason given"])[0]
        raise SiteUnavailable(
            f"the browser did not start ({reason})", "Run `footy doctor`"
        ) from error
    if options.cookies is not None:
        context.add_cookies(options.cookies())
    return context


def first_page(context: BrowserContext, blocked: tuple[str, ...]) -> Page:
    page = context.pages[0] if context.pages else context.new_page()
    if blocked:
        network = context.new_cdp_session(page)
        network.send("Network.enable")
        network.send("Network.setBlockedURLs", {"urls": list(blocked)})
    return page


@contextmanager
def _locked(lock: Path) -> Iterator[None]:
    with lock.open("w") as held:
        give_up = time.monotonic() + PROFILE_WAIT_SECONDS
        while True:
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > give_up:
                    raise SiteUnavailable(
                        f"another browser uses the profile {lock.with_suffix('').name}",
                        "Close the window of `footy login`, or wait for the other search to end",
                    ) from None
                time.sleep(0.1)
        yield
