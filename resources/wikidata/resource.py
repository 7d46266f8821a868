"""Wikidata as a Dagster resource."""

from collections.abc import Iterator
from contextlib import contextmanager

from dagster import ConfigurableResource, InitResourceContext
from pydantic import Field, PrivateAttr

from footy_assets.settings import load_settings
from resources.wikidata.client import Wikidata
from resources.wikidata.connection import open_wikidata


class WikidataResource(ConfigurableResource["WikidataResource"]):
    """Wikidata's action API. What is left out comes from the settings."""

    url: str | None = Field(default=None, description="Wikidata's api.php.")

    _client: Wikidata | None = PrivateAttr(default=None)

    @contextmanager
    def yield_for_execution(self, context: InitResourceContext) -> Iterator["WikidataResource"]:
        settings = load_settings(**({"wikidata_url": self.url} if self.url else {}))
        with open_wikidata(settings) as client:
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
