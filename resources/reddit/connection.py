"""r/soccer, opened from the settings."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from footy_assets.clock import Clock
from footy_assets.settings import Settings
from resources.clip_hosts.table import ClipHosts
from resources.reddit.client import RedditSite
from resources.reddit.feed import FeedStore, SoccerFeed
from resources.sites.rate_limit import RateLimit


@contextmanager
def open_reddit(
    settings: Settings, clock: Clock, rate_limit: RateLimit, feeds: FeedStore
) -> Iterator[RedditSite]:
    every = timedelta(seconds=settings.reddit_feed_seconds)
    feed = SoccerFeed(settings.reddit_url, clock, rate_limit, feeds, every)
    with RedditSite(feed, ClipHosts(settings.clip_hosts)) as site:
        yield site
