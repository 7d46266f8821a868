"""Opens a window in which the user logs in to X, and waits until the login is done."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Page, sync_playwright

from footy_assets.errors import BadInput, LoginLost
from footy_assets.search.rules.site import Progress
from footy_assets.settings import Settings
from resources.browser.launch import BrowserOptions, launch
from resources.x.page_state import PageState, has_session_cookie

TIMEOUT_SECONDS = 900.0
POLL_MS = 500.0
# A file in the profile that marks a completed login.
DONE = "footy-logged-in"
NO_SCREEN_FIX = (
    "Log in on a machine with a screen, export the cookies of x.com to a file, "
    "and set FOOTY_X_COOKIES_FILE to it here"
)

# Acts in the window in place of the user, in tests.
User = Callable[[Page], None]


def has_screen() -> bool:
    if sys.platform.startswith("linux"):
        return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    return True


def has_login(profile: Path) -> bool:
    """Whether a login with this profile was ever completed."""
    return (profile / DONE).is_file()


def log_in_interactively(
    settings: Settings,
    on_progress: Progress,
    *,
    timeout: float = TIMEOUT_SECONDS,
    headless: bool = False,
    user: User | None = None,
) -> None:
    """Return when X shows the user's account. Raises `LoginLost` if the window closes before."""
    if not headless and not has_screen():
        raise BadInput("there is no screen to open a window on", NO_SCREEN_FIX)
    base_url = settings.x_url.rstrip("/")
    options = BrowserOptions(settings.x_profile, settings.browser_path, headless, blocked=())
    with options.profile_folder() as folder, sync_playwright() as playwright:
        context = launch(playwright, options, folder)
        try:
            page = context.pages[0] if context.pages else context.new_page()
            page.goto(f"{base_url}/login")
            on_progress("Log in to X in the window. It closes when you are done.")
            if user is not None:
                user(page)
            _wait_for_account(page, base_url, timeout)
            (folder / DONE).touch()
        except PlaywrightError as error:
            if "closed" not in error.message:
                raise LoginLost(f"X cannot be opened ({error.message.splitlines()[0]})") from error
            raise LoginLost("the window was closed before the login was done") from error
        finally:
            # Also writes the cookies to the profile.
            context.close()


def _wait_for_account(page: Page, base_url: str, timeout: float) -> None:
    until = monotonic() + timeout
    while monotonic() < until:
        state = PageState(page)
        if state.account and not state.login_wall and has_session_cookie(page, base_url):
            return
        page.wait_for_timeout(POLL_MS)
    raise LoginLost(f"nobody logged in within {timeout / 60:.0f} minutes")
