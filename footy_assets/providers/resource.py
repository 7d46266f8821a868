"""The provider that leads, as a Dagster resource."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

from footy_assets.providers.connection import open_provider
from footy_assets.settings import Settings, settings_of
from resources.clock import ClockResource
from resources.from_settings import as_field, setting
from resources.mongo.resource import MongoResource
from resources.provider.connection import OpenProvider
from resources.provider.resource import ProviderResource

SETTINGS = (
    *("provider", "providers_file", "espn_url", "home", "tracked_leagues", "browser_path"),
    # Says who asks, also to ESPN.
    "wikidata_contact",
)


class LeadResource(ProviderResource):
    """L1: the provider that FOOTY_PROVIDER or the providers file names as the lead. The address
    and the key are API-Football's, which also has the past seasons."""

    mongo: MongoResource
    clock: ClockResource
    provider: str | None = setting("provider")
    providers_file: str | None = setting("providers_file")
    espn_url: str = setting("espn_url")
    home: str = setting("home")
    tracked_leagues: str = setting("tracked_leagues")
    browser_path: str | None = setting("browser_path")
    wikidata_contact: str | None = setting("wikidata_contact")

    @classmethod
    def from_settings(cls, settings: Settings, mongo: MongoResource, clock: ClockResource) -> Self:
        fields: dict[str, Any] = {name: as_field(settings, name) for name in SETTINGS}
        return cls(
            url=settings.api_football_url,
            key=as_field(settings, "api_football_key"),
            timeout_seconds=settings.api_football_timeout_seconds,
            mongo=mongo,
            clock=clock,
            **fields,
        )

    @contextmanager
    def open(self) -> Iterator[OpenProvider]:
        values = {name: getattr(self, name) for name in SETTINGS} | {
            "api_football_url": self.url,
            "api_football_key": self.key,
            "api_football_timeout_seconds": self.timeout_seconds,
            "clock": self.clock.spec,
        }
        settings = settings_of(**{k: value for k, value in values.items() if value is not None})
        with open_provider(settings, self.mongo.database, self.clock.clock()) as provider:
            yield provider
