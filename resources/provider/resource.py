"""The football provider as a Dagster resource."""

from contextlib import AbstractContextManager
from typing import Self

from dagster import ConfigurableResource
from pydantic import Field

from footy_assets.clock import parse_clock
from footy_assets.settings import Settings
from resources.api_football.client import ApiFootball
from resources.api_football.plan import shared_plan
from resources.from_settings import as_field
from resources.run_scoped import RunScoped


class ProviderResource(RunScoped[ApiFootball], ConfigurableResource["ProviderResource"]):
    """API-Football v3. Give the key as `EnvVar`: Dagster shows a resource's fields in its UI."""

    url: str = Field(description="Base address of API-Football v3.")
    key: str | None = Field(default=None, description="Your API-Football key.")
    timeout_seconds: float = Field(default=30.0, description="How long one request may take.")
    clock_spec: str | None = Field(
        default=None, description="START@SPEED@ANCHOR. Unset: the system's clock."
    )

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        return cls(
            url=settings.api_football_url,
            key=as_field(settings, "api_football_key"),
            timeout_seconds=settings.api_football_timeout_seconds,
            clock_spec=settings.clock,
        )

    def open(self) -> AbstractContextManager[ApiFootball]:
        return ApiFootball(
            self.url,
            self.key,
            timeout=self.timeout_seconds,
            clock=parse_clock(self.clock_spec),
            plan=shared_plan(self.url, self.key),
        )

    @property
    def feed(self) -> ApiFootball:
        return self.value
