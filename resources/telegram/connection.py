"""Telegram, opened from the settings."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from footy_assets.clock import Clock
from footy_assets.settings import Settings
from resources.sites.rate_limit import RateLimit
from resources.sites.shared_feed import FeedParts
from resources.sites.site_gate import FeedStore
from resources.telegram.client import TelegramSite
from resources.telegram.feed import ChannelFeed


@contextmanager
def open_telegram(
    settings: Settings, clock: Clock, rate_limit: RateLimit, feeds: FeedStore
) -> Iterator[TelegramSite]:
    with TelegramSite(channel_feeds(settings, clock, rate_limit, feeds)) as site:
        yield site


def channel_feeds(
    settings: Settings, clock: Clock, rate_limit: RateLimit, feeds: FeedStore
) -> tuple[ChannelFeed, ...]:
    every = timedelta(seconds=settings.telegram_feed_seconds)
    parts = FeedParts(settings.telegram_url, clock, rate_limit, feeds, every)
    return tuple(ChannelFeed(channel, parts) for channel in settings.telegram_channels)
