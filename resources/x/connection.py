"""X, opened from the settings."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from footy_assets.clock import Clock
from footy_assets.providers.rules.recovery import BrowserLimits
from footy_assets.search.rules.renditions import RenditionLimits
from footy_assets.settings import Settings
from resources.browser.launch import BrowserOptions
from resources.browser.session import BrowserSession
from resources.sites.rate_limit import RateLimit, RateLimiter
from resources.x.client import RecordBrowser, XSite, keep_no_figures
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
    with BrowserSession(browser_options(settings), limits=_browser_limits(settings)) as session:
        yield session


def _browser_limits(settings: Settings) -> BrowserLimits:
    """L6: as those of a provider's browser, with the searches as tasks."""
    return BrowserLimits(
        uptime=timedelta(hours=settings.browser_uptime_hours),
        tasks=settings.x_searches_per_browser,
        processes=settings.browser_processes,
        megabytes=float(settings.browser_megabytes),
    )


def x_site(
    settings: Settings,
    browser: BrowserSession,
    clock: Clock,
    rate_limit: RateLimit,
    record: RecordBrowser = keep_no_figures,
) -> XSite:
    return XSite(
        browser,
        settings.x_url,
        clock=clock,
        limiter=RateLimiter("X", settings.x_requests_per_15_minutes, clock, rate_limit),
        limits=PageWaits(scrolls=settings.x_scrolls),
        # Without a login, no browser is started.
        has_login=lambda: settings.x_cookies_file is not None or has_login(settings.x_profile),
        record=record,
        renditions=RenditionLimits(settings.clip_height, settings.download_bytes),
    )
