"""The clock as a Dagster resource, so that a matchday can be replayed at any speed."""

from dagster import ConfigurableResource
from pydantic import Field

from footy_assets.clock import Clock, parse_clock
from footy_assets.settings import load_settings


class ClockResource(ConfigurableResource[Clock]):
    spec: str | None = Field(default=None, description="START@SPEED@ANCHOR; unset: FOOTY_CLOCK.")

    def clock(self) -> Clock:
        return parse_clock(self.spec or load_settings().clock)
