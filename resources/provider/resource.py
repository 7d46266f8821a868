"""The football provider as a Dagster resource."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self

from dagster import ConfigurableResource, InitResourceContext
from pydantic import Field, PrivateAttr

from footy_assets.settings import Settings
from resources.api_football.client import ApiFootball
from resources.from_settings import as_field


class ProviderResource(ConfigurableResource["ProviderResource"]):
    """API-Football v3. Give the key as `EnvVar`: Dagster shows a resource's fields in its UI."""

    url: str = Field(description="Base address of API-Football v3.")
    key: str | None = Field(default=None, description="Your API-Football key.")
    timeout_seconds: float = Field(default=30.0, description="How long one request may take.")

    _feed: ApiFootball | None = PrivateAttr(default=None)

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        return cls(
            url=settings.api_football_url,
            key=as_field(settings, "api_football_key"),
            timeout_seconds=settings.api_football_timeout_seconds,
        )

    @contextmanager
    def yield_for_execution(self, context: InitResourceContext) -> Iterator["ProviderResource"]:
        with ApiFootball(self.url, self.key, timeout=self.timeout_seconds) as feed:
            self._feed = feed
            try:
                yield self
            finally:
                self._feed = None

    @property
    def feed(self) -> ApiFootball:
        if self._feed is None:
            raise RuntimeError("ProviderResource has a feed only while Dagster executes with it")
        return self._feed
