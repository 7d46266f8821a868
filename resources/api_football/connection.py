"""Opens API-Football with the settings."""

from collections.abc import Iterator
from contextlib import contextmanager

from footy_assets.settings import Settings
from resources.api_football.client import ApiFootball
from resources.api_football.plan import shared_plan


@contextmanager
def open_football(settings: Settings) -> Iterator[ApiFootball]:
    secret = settings.api_football_key
    url, key = settings.api_football_url, secret.get_secret_value() if secret else None
    with ApiFootball(
        url,
        key,
        timeout=settings.api_football_timeout_seconds,
        clock=settings.make_clock(),
        plan=shared_plan(url, key),
    ) as feed:
        yield feed
