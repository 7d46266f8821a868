"""The football provider as a Dagster resource."""

from collections.abc import Iterator
from contextlib import contextmanager

from dagster import ConfigurableResource, InitResourceContext
from pydantic import Field, PrivateAttr

from footy_assets.settings import load_settings
from resources.api_football.client import ApiFootball
from resources.api_football.connection import open_football


class FootballResource(ConfigurableResource["FootballResource"]):
    """API-Football v3. What is left out comes from the settings; the key always does."""

    url: str | None = Field(default=None, description="Base address of API-Football v3.")

    _feed: ApiFootball | None = PrivateAttr(default=None)

    @contextmanager
    def yield_for_execution(self, context: InitResourceContext) -> Iterator["FootballResource"]:
        settings = load_settings(**({"api_football_url": self.url} if self.url else {}))
        with open_football(settings) as feed:
            self._feed = feed
            try:
                yield self
            finally:
                self._feed = None

    @property
    def feed(self) -> ApiFootball:
        if self._feed is None:
            raise RuntimeError("FootballResource has a feed only while Dagster executes with it")
        return self._feed
