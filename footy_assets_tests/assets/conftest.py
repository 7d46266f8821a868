"""A Dagster instance, a simulated provider and the resources that reach them."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import dagster as dg
import pytest
from pymongo.database import Database

from footy_assets.clock import ManualClock, ScaledClock
from footy_assets.sim import SimServer, World, make_season_days
from footy_assets.store.matchdays import MatchdayStore
from resources.clock import ClockResource
from resources.football import FootballResource
from resources.mongo import MongoResource

FIRST_DAY = date(2025, 5, 1)


@dataclass
class Setting:
    world: World
    sim: SimServer
    store: MatchdayStore
    resources: dict[str, Any]
    instance: dg.DagsterInstance

    def days(self) -> list[str]:
        return [day.isoformat() for day in self.world.days]


@pytest.fixture
def past_days(
    database: Database[dict[str, Any]], mongo_uri: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Setting]:
    """Three matchdays that are over, seen from the day after the last."""
    monkeypatch.setenv("FOOTY_TRACKED_TEAMS", "*")
    monkeypatch.setenv("FOOTY_SOURCES", "none")
    world = make_season_days(first_day=FIRST_DAY, days=3, matches_per_day=3)
    day_after = world.ends_at + timedelta(days=1)
    with (
        SimServer(world, ManualClock(day_after)) as sim,
        dg.DagsterInstance.ephemeral() as instance,
    ):
        resources = {
            "mongo": MongoResource(uri=mongo_uri, database_name=database.name),
            "football": FootballResource(url=sim.url),
            "clock": ClockResource(spec=ScaledClock(day_after, 1.0, time.time()).spec()),
        }
        yield Setting(world, sim, MatchdayStore(database), resources, instance)
