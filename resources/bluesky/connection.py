"""Bluesky, opened from the settings: its search, where one is configured, and its stream."""

from collections.abc import Iterator
from contextlib import contextmanager

from footy_assets.clock import Clock
from footy_assets.settings import Settings
from resources.bluesky.client import BlueskySite
from resources.bluesky.jetstream import Jetstream
from resources.sites.rate_limit import RateLimit, RateLimiter


@contextmanager
def open_bluesky(settings: Settings, clock: Clock, rate_limit: RateLimit) -> Iterator[BlueskySite]:
    """The search of FOOTY_BLUESKY_URL, which must be set."""
    assert settings.bluesky_url is not None
    limiter = RateLimiter("Bluesky", settings.bluesky_requests_per_15_minutes, clock, rate_limit)
    with BlueskySite(settings.bluesky_url, clock=clock, limiter=limiter) as site:
        yield site


def open_jetstream(settings: Settings) -> Jetstream:
    return Jetstream(settings.jetstream_urls)
