"""Wikidata, opened from the settings."""

from collections.abc import Iterator
from contextlib import contextmanager

from footy_assets.settings import Settings
from resources.wikidata.client import Wikidata


@contextmanager
def open_wikidata(settings: Settings) -> Iterator[Wikidata]:
    with Wikidata(settings.wikidata_url, settings.wikidata_contact) as client:
        yield client
