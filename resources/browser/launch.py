"""Launches Chromium: its flags, its profile, and what it must not load."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import structlog
from playwright.sync_api import BrowserContext, Page, Playwright, sync_playwright
from playwright.sync_api import Error as PlaywrightError

from footy_assets.errors import BinaryMissing, FootyError, SiteUnavailable
from resources.browser.binary import find_browser
from resources.browser.isolation import best_isolation
from resources.browser.profile import permanent_profile, temporary_profile

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

log = structlog.get_logger()


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
        executable = find_browser(self.executable)
        uid = best_isolation(executable, self.headless).uid if executable else None
        chosen = (
            temporary_profile(uid) if not self.profile else permanent_profile(self.profile, uid)
        )
        with chosen as folder:
            yield folder


def launch(playwright: Playwright, options: BrowserOptions, folder: Path) -> BrowserContext:
    executable = find_browser(options.executable)
    if executable is None:
        raise BinaryMissing(
            "there is no Chromium on this machine",
            "Install chromium, run `playwright install chromium`, or set FOOTY_BROWSER_PATH",
        )
    isolation = best_isolation(executable, options.headless)
    if not isolation.sandbox:
        log.warning("browser_not_sandboxed", fix="See `footy doctor`")
    try:
        context = playwright.chromium.launch_persistent_context(
            str(folder),
            executable_path=str(isolation.write_launcher(executable, folder.parent)),
            env={**isolation.environment(folder)},
            headless=options.headless,
            args=list(FLAGS),
            chromium_sandbox=isolation.sandbox,
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


def failure_to_open(options: BrowserOptions) -> str | None:
    """Why no page opens, in a browser that is started as searches start it. A browser that prints
    its version may still not start: its sandbox or the memory that its processes share may fail."""
    try:
        with options.profile_folder() as folder, sync_playwright() as playwright:
            context = launch(playwright, options, folder)
            first_page(context, ()).goto("about:blank")
            context.close()
    except (FootyError, PlaywrightError, OSError) as error:
        return str(error)
    return None


def first_page(context: BrowserContext, blocked: tuple[str, ...]) -> Page:
    page = context.pages[0] if context.pages else context.new_page()
    if blocked:
        network = context.new_cdp_session(page)
        network.send("Network.enable")
        network.send("Network.setBlockedURLs", {"urls": list(blocked)})
    return page
