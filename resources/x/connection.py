"""X, opened from the settings."""

from collections.abc import Iterator
from contextlib import contextmanager

from footy_assets.clock import Clock
from footy_assets.settings import Settings
from resources.browser.launch import BrowserOptions
from resources.browser.session import BrowserSession
from resources.sites.rate_limit import RateLimit, RateLimiter
from resources.x.client import XSite
from resources.x.cookies import read_cookies
from resources.x.login import has_login
from resources.x.search_page import PageWaits


def browser_options(settings: Settings) -> BrowserOptions:
    """The user's profile or, with a cookies file, an empty one with those cookies."""
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


def x_site(
    settings: Settings, browser: BrowserSession, clock: Clock, rate_limit: RateLimit
) -> XSite:
    return XSite(
        browser,
        settings.x_url,
        clock=clock,
        limiter=RateLimiter("X", settings.x_requests_per_15_minutes, clock, rate_limit),
        limits=PageWaits(scrolls=settings.x_scrolls),
        # Without a login, no browser is started.
        has_login=lambda: settings.x_cookies_file is not None or has_login(settings.x_profile),
    )
