"""The feeds that are read for all searches, opened from the settings. Imports no browser."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from footy_assets.clock import Clock
from footy_assets.settings import Settings
from footy_assets.site_name import SiteName
from resources.reddit.connection import soccer_feed
from resources.sites.rate_limit import RateLimit
from resources.sites.shared_feed import SharedFeed
from resources.sites.site_gate import FeedStore
from resources.telegram.connection import channel_feeds


@contextmanager
def open_feeds(
    settings: Settings, clock: Clock, rate_limit: RateLimit, feeds: FeedStore
) -> Iterator[tuple[SharedFeed[Any], ...]]:
    """SE5: the feeds of the configured sites that are read for all searches."""
    with ExitStack() as stack:
        opened: list[SharedFeed[Any]] = []
        if SiteName.REDDIT in settings.sites:
            opened.append(soccer_feed(settings, clock, rate_limit, feeds))
        if SiteName.TELEGRAM in settings.sites:
            opened += channel_feeds(settings, clock, rate_limit, feeds)
        yield tuple(stack.enter_context(feed) for feed in opened)
