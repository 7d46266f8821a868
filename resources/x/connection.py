"""X as the settings say."""

from collections.abc import Iterator
from contextlib import contextmanager

from footy_assets.settings import Settings
from resources.chromium.launch import BrowserOptions
from resources.chromium.session import BrowserSession
from resources.pace import Pace, Turns
from resources.x.cookies import read_cookies
from resources.x.login import has_login
from resources.x.source import XSource
from resources.x.visit import Limits


def browser_options(settings: Settings) -> BrowserOptions:
    """The user's profile; with a cookies file, an empty one that gets those cookies."""
    cookies = settings.x_cookies_file
    if cookies is None:
        return BrowserOptions(settings.x_profile, settings.browser_path)
    return BrowserOptions(
        executable=settings.browser_path, cookies=lambda: read_cookies(cookies, settings.x_url)
    )


@contextmanager
def open_browser(settings: Settings) -> Iterator[BrowserSession]:
    with BrowserSession(
        browser_options(settings), jobs_per_browser=settings.x_searches_per_browser
    ) as session:
        yield session


def x_source(settings: Settings, browser: BrowserSession, turns: Turns | None = None) -> XSource:
    clock = settings.make_clock()
    return XSource(
        browser,
        settings.x_url,
        clock=clock,
        pace=Pace("X", settings.x_requests_per_15_minutes, clock, turns=turns),
        limits=Limits(scrolls=settings.x_scrolls),
        # A browser is dear to start only to be shown the door.
        has_login=lambda: settings.x_cookies_file is not None or has_login(settings.x_profile),
    )
