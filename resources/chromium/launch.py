"""Starting a Chromium: its flags, its profile, what it must not load."""

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

from playwright.sync_api import BrowserContext, Page, Playwright
from playwright.sync_api import Error as PlaywrightError

from footy_assets.errors import BinaryMissing, SourceUnavailable
from resources.browser import find_browser
from resources.chromium.processes import is_alive

# Quiet: no calls home, no first-run pages, no GPU.
FLAGS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--mute-audio",
)
# Posts are read, not looked at. Blocked inside the browser: Playwright's own routing would
# switch its cache off, and a site's scripts would be loaded again for every search.
HEAVY = (
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
NAMELESS = "footy-browser-"
WAIT_FOR_PROFILE = 10.0


@dataclass(frozen=True, slots=True)
class BrowserOptions:
    """`profile` keeps a login; without one each browser starts empty, with `cookies` put in.
    Cookies are secrets: they are never shown."""

    profile: Path | None = None
    executable: Path | None = None
    headless: bool = True
    blocked: tuple[str, ...] = HEAVY
    cookies: Callable[[], list[Any]] | None = None

    @contextmanager
    def profile_folder(self) -> Iterator[Path]:
        """The folder, for one browser at a time; a nameless one goes when it is done."""
        if self.profile is None:
            sweep_leftovers()
            with tempfile.TemporaryDirectory(
                prefix=f"{NAMELESS}{os.getpid()}-", ignore_cleanup_errors=True
            ) as folder:
                yield Path(folder)
            return
        self.profile.mkdir(parents=True, exist_ok=True, mode=0o700)
        with _alone(self.profile.with_name(f"{self.profile.name}.lock")):
            yield self.profile


def sweep_leftovers() -> None:
    """Profiles of processes that were killed: they hold a login's cookies."""
    for folder in Path(tempfile.gettempdir()).glob(f"{NAMELESS}*-*"):
        owner = folder.name.removeprefix(NAMELESS).split("-")[0]
        if owner.isdigit() and not is_alive(int(owner)):
            shutil.rmtree(folder, ignore_errors=True)


def start(playwright: Playwright, options: BrowserOptions, folder: Path) -> BrowserContext:
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
            # A page's worker could answer its calls unseen.
            service_workers="block" if options.headless else None,
            timeout=START_SECONDS * 1000,
            viewport={"width": 1280, "height": 1600} if options.headless else None,
            no_viewport=None if options.headless else True,
        )
    except PlaywrightError as error:
        told = (error.message.splitlines() or ["no reason given"])[0]
        raise SourceUnavailable(
            f"the browser did not start ({told})", "Run `footy doctor`"
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
def _alone(lock: Path) -> Iterator[None]:
    with lock.open("w") as held:
        give_up = time.monotonic() + WAIT_FOR_PROFILE
        while True:
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > give_up:
                    raise SourceUnavailable(
                        f"another browser uses the profile {lock.with_suffix('').name}",
                        "Close the window of `footy login`, or wait for the other search to end",
                    ) from None
                time.sleep(0.1)
        yield
