"""The sites where fans post, opened from the settings."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from footy_assets.clock import Clock
from footy_assets.search.rules.site import VideoSite
from footy_assets.settings import Settings
from footy_assets.site_name import SiteName
from resources.bluesky.connection import open_bluesky
from resources.browser.session import BrowserSession
from resources.reddit.connection import open_reddit
from resources.sites.rate_limit import RateLimit
from resources.sites.site_gate import FeedStore
from resources.telegram.connection import open_telegram
from resources.x.client import RecordBrowser, keep_no_figures
from resources.x.connection import open_browser, x_site


@contextmanager
def open_sites(
    settings: Settings,
    clock: Clock,
    rate_limit: RateLimit,
    feeds: FeedStore,
    record: RecordBrowser = keep_no_figures,
) -> Iterator[tuple[VideoSite, ...]]:
    """SE5: every configured site that is searched over the network. The browser starts with the
    first search on X."""
    with (
        open_browser(settings) as browser,
        open_sites_with(browser, settings, clock, rate_limit, feeds, record) as sites,
    ):
        yield sites


@contextmanager
def open_sites_with(
    browser: BrowserSession,
    settings: Settings,
    clock: Clock,
    rate_limit: RateLimit,
    feeds: FeedStore,
    record: RecordBrowser = keep_no_figures,
) -> Iterator[tuple[VideoSite, ...]]:
    """`rate_limit` and `feeds` are shared by all processes."""
    with ExitStack() as stack:
        sites: list[VideoSite] = []
        for name in settings.sites:
            match name:
                case SiteName.X:
                    sites.append(x_site(settings, browser, clock, rate_limit, record))
                case SiteName.BLUESKY if not settings.listens_to_bluesky:
                    sites.append(stack.enter_context(open_bluesky(settings, clock, rate_limit)))
                case SiteName.REDDIT:
                    reddit = open_reddit(settings, clock, rate_limit, feeds)
                    sites.append(stack.enter_context(reddit))
                case SiteName.TELEGRAM:
                    telegram = open_telegram(settings, clock, rate_limit, feeds)
                    sites.append(stack.enter_context(telegram))
        yield tuple(sites)
