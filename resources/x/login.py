"""A window in which the user logs in to X. We only look whether it is done."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Page, sync_playwright

from footy_assets.discovery.sources import Progress
from footy_assets.errors import BadInput, LoginLost
from footy_assets.settings import Settings
from resources.chromium.launch import BrowserOptions, start
from resources.x.wall import Shown, has_session_cookie

PATIENCE_SECONDS = 900.0
GLANCE_MS = 500.0
# Left in the profile by a login that was done.
DONE = "footy-logged-in"
NO_SCREEN_FIX = (
    "Log in on a machine with a screen, export the cookies of x.com to a file, "
    "and set FOOTY_X_COOKIES_FILE to it here"
)

# What a person does in the window; a test is that person, nobody else.
Person = Callable[[Page], None]


def has_screen() -> bool:
    if sys.platform.startswith("linux"):
        return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    return True


def has_login(profile: Path) -> bool:
    """Whether someone has logged in with this profile, ever."""
    return (profile / DONE).is_file()


def log_in_by_hand(
    settings: Settings,
    say: Progress,
    *,
    patience: float = PATIENCE_SECONDS,
    headless: bool = False,
    person: Person | None = None,
) -> None:
    """Returns when X shows the user's account. Raises `LoginLost` if the window goes before."""
    if not headless and not has_screen():
        raise BadInput("there is no screen to open a window on", NO_SCREEN_FIX)
    base_url = settings.x_url.rstrip("/")
    options = BrowserOptions(settings.x_profile, settings.browser_path, headless, blocked=())
    with options.profile_folder() as folder, sync_playwright() as playwright:
        context = start(playwright, options, folder)
        try:
            page = context.pages[0] if context.pages else context.new_page()
            page.goto(f"{base_url}/login")
            say("log in to X in the window; it closes by itself when you are done")
            if person is not None:
                person(page)
            _wait(page, base_url, patience)
            (folder / DONE).touch()
        except PlaywrightError as error:
            if "closed" not in error.message:
                raise LoginLost(f"X cannot be opened ({error.message.splitlines()[0]})") from error
            raise LoginLost("the window was closed before the login was done") from error
        finally:
            # Also writes the cookies to the profile.
            context.close()


def _wait(page: Page, base_url: str, patience: float) -> None:
    until = monotonic() + patience
    while monotonic() < until:
        shown = Shown(page)
        if shown.account and not shown.wall and has_session_cookie(page, base_url):
            return
        page.wait_for_timeout(GLANCE_MS)
    raise LoginLost(f"nobody logged in within {patience / 60:.0f} minutes")
