"""The clock as a Dagster resource, so that a matchday can be replayed at any speed."""

from dagster import ConfigurableResource
from pydantic import Field

from footy_assets.clock import Clock, parse_clock


class ClockResource(ConfigurableResource[Clock]):
    """The only clock of a run."""

    spec: str | None = Field(
        default=None, description="START@SPEED@ANCHOR. Unset: the system's clock."
    )

    def clock(self) -> Clock:
        return parse_clock(self.spec)
