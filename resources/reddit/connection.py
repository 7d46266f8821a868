"""r/soccer, opened from the settings."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from footy_assets.clock import Clock
from footy_assets.settings import Settings
from resources.clip_hosts.table import ClipHosts
from resources.reddit.client import RedditSite
from resources.reddit.feed import SoccerFeed
from resources.sites.rate_limit import RateLimit
from resources.sites.shared_feed import FeedParts
from resources.sites.site_gate import FeedStore


@contextmanager
def open_reddit(
    settings: Settings, clock: Clock, rate_limit: RateLimit, feeds: FeedStore
) -> Iterator[RedditSite]:
    feed = soccer_feed(settings, clock, rate_limit, feeds)
    with RedditSite(feed, ClipHosts(settings.clip_hosts)) as site:
        yield site


def soccer_feed(
    settings: Settings, clock: Clock, rate_limit: RateLimit, feeds: FeedStore
) -> SoccerFeed:
    every = timedelta(seconds=settings.reddit_feed_seconds)
    return SoccerFeed(FeedParts(settings.reddit_url, clock, rate_limit, feeds, every))
