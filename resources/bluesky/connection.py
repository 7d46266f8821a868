"""Bluesky, opened from the settings."""

from collections.abc import Iterator
from contextlib import contextmanager

from footy_assets.clock import Clock
from footy_assets.settings import Settings
from resources.bluesky.client import BlueskySite
from resources.sites.rate_limit import RateLimit, RateLimiter


@contextmanager
def open_bluesky(settings: Settings, clock: Clock, rate_limit: RateLimit) -> Iterator[BlueskySite]:
    limiter = RateLimiter("Bluesky", settings.bluesky_requests_per_15_minutes, clock, rate_limit)
    with BlueskySite(settings.bluesky_url, clock=clock, limiter=limiter) as site:
        yield site
