"""Opens API-Football with the settings."""

from collections.abc import Iterator
from contextlib import contextmanager

from footy_assets.settings import Settings
from resources.api_football.client import ApiFootball
from resources.api_football.plan import shared_plan


def make_football(settings: Settings) -> ApiFootball:
    """The caller closes it."""
    secret = settings.api_football_key
    url, key = settings.api_football_url, secret.get_secret_value() if secret else None
    return ApiFootball(
        url,
        key,
        timeout=settings.api_football_timeout_seconds,
        clock=settings.make_clock(),
        plan=shared_plan(url, key),
    )


@contextmanager
def open_football(settings: Settings) -> Iterator[ApiFootball]:
    with make_football(settings) as feed:
        yield feed
