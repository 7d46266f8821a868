"""The football provider as a Dagster resource."""

from collections.abc import Iterator
from contextlib import contextmanager

from dagster import ConfigurableResource
from pydantic import Field

from footy_assets.clock import parse_clock
from footy_assets.matchday.rules.feed import Feed
from footy_assets.providers.rules.rosters import RosterFeed
from footy_assets.search.rules.team_facts import TeamDirectory
from resources.api_football.client import ApiFootball
from resources.api_football.plan import shared_plan
from resources.api_football.rosters import ApiFootballRosters
from resources.provider.connection import OpenProvider
from resources.run_scoped import RunScoped


class ProviderResource(RunScoped[OpenProvider], ConfigurableResource["ProviderResource"]):
    """API-Football v3. Give the key as `EnvVar`: Dagster shows a resource's fields in its UI."""

    url: str = Field(description="Base address of API-Football v3.")
    key: str | None = Field(default=None, description="Your API-Football key.")
    timeout_seconds: float = Field(default=30.0, description="How long one request may take.")
    clock_spec: str | None = Field(
        default=None, description="START@SPEED@ANCHOR. Unset: the system's clock."
    )

    @contextmanager
    def open(self) -> Iterator[OpenProvider]:
        with ApiFootball(
            self.url,
            self.key,
            timeout=self.timeout_seconds,
            clock=parse_clock(self.clock_spec),
            plan=shared_plan(self.url, self.key),
        ) as client:
            yield OpenProvider(client, client, ApiFootballRosters(client), client)

    @property
    def feed(self) -> Feed:
        return self.value.feed

    @property
    def teams(self) -> TeamDirectory:
        return self.value.teams

    @property
    def rosters(self) -> RosterFeed:
        return self.value.rosters

    @property
    def api_football(self) -> ApiFootball:
        return self.value.api_football
