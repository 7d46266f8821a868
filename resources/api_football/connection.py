"""Opens API-Football with the settings."""

from collections.abc import Iterator
from contextlib import contextmanager

from footy_assets.settings import Settings
from resources.api_football.client import ApiFootball


@contextmanager
def open_football(settings: Settings) -> Iterator[ApiFootball]:
    key = settings.api_football_key
    with ApiFootball(
        settings.api_football_url,
        key.get_secret_value() if key else None,
        timeout=settings.api_football_timeout_seconds,
    ) as feed:
        yield feed
