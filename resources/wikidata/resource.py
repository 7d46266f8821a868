"""Wikidata as a Dagster resource."""

from contextlib import AbstractContextManager
from typing import Self

from dagster import ConfigurableResource
from pydantic import Field

from footy_assets.settings import Settings
from resources.run_scoped import RunScoped
from resources.wikidata.client import Wikidata


class WikidataResource(RunScoped[Wikidata], ConfigurableResource["WikidataResource"]):
    """Wikidata's action API."""

    url: str = Field(description="Wikidata's api.php.")
    contact: str | None = Field(default=None, description="Your address, for the User-Agent.")

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        return cls(url=settings.wikidata_url, contact=settings.wikidata_contact)

    def open(self) -> AbstractContextManager[Wikidata]:
        return Wikidata(self.url, self.contact)

    @property
    def client(self) -> Wikidata:
        return self.value
