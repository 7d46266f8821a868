"""A second provider and a score page besides the main one, on loopback."""

from collections.abc import Iterator

import pytest
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.sim import World
from footy_assets.sim.lens_server import LensServer
from footy_assets.sim.other_providers import OtherProviders
from footy_assets.store.collections import Document
from footy_assets_tests.providers.harness import (
    ProvidersHarness,
    providers_harness,
    set_clock_after_kickoff,
)


@pytest.fixture(scope="session")
def shared_providers(world: World) -> Iterator[OtherProviders]:
    with OtherProviders(world, ManualClock(world.starts_at)) as running:
        yield running


@pytest.fixture
def other_providers(
    shared_providers: OtherProviders, world: World, clock: ManualClock
) -> OtherProviders:
    shared_providers.world, shared_providers.clock = world, clock
    shared_providers.reset()
    return shared_providers


@pytest.fixture
def main(world: World, clock: ManualClock) -> Iterator[LensServer]:
    with LensServer(world, clock) as running:
        yield running


@pytest.fixture
def three_providers(
    database: Database[Document], world: World, clock: ManualClock
) -> Iterator[ProvidersHarness]:
    with providers_harness(database, world, clock) as harness:
        harness.ingest()
        set_clock_after_kickoff(harness, minutes=2)
        yield harness
