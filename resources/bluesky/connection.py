"""Bluesky as the settings say."""

from collections.abc import Iterator
from contextlib import contextmanager

from footy_assets.settings import Settings
from resources.bluesky.source import BlueskySource
from resources.pace import Pace, Turns


@contextmanager
def open_bluesky(settings: Settings, turns: Turns | None = None) -> Iterator[BlueskySource]:
    clock = settings.make_clock()
    pace = Pace("Bluesky", settings.bluesky_requests_per_15_minutes, clock, turns=turns)
    with BlueskySource(settings.bluesky_url, clock=clock, pace=pace) as source:
        yield source
