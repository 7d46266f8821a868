"""Wikidata as a Dagster resource."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self

from dagster import ConfigurableResource, InitResourceContext
from pydantic import Field, PrivateAttr

from footy_assets.settings import Settings
from resources.wikidata.client import Wikidata


class WikidataResource(ConfigurableResource["WikidataResource"]):
    """Wikidata's action API."""

    url: str = Field(description="Wikidata's api.php.")
    contact: str | None = Field(default=None, description="Your address, for the User-Agent.")

    _client: Wikidata | None = PrivateAttr(default=None)

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        return cls(url=settings.wikidata_url, contact=settings.wikidata_contact)

    @contextmanager
    def yield_for_execution(self, context: InitResourceContext) -> Iterator["WikidataResource"]:
        with Wikidata(self.url, self.contact) as client:
            self._client = client
            try:
                yield self
            finally:
                self._client = None

    @property
    def client(self) -> Wikidata:
        if self._client is None:
            raise RuntimeError("WikidataResource has a client only while Dagster executes with it")
        return self._client
