"""The simulated provider as a client sees it."""

from collections.abc import Iterator

import httpx
import pytest

from footy_assets.clock import ManualClock
from footy_assets.sim import SimServer, World
from footy_assets.sim.other_providers import OtherProviders


@pytest.fixture
def server(sim: SimServer) -> SimServer:
    return sim


@pytest.fixture
def provider(server: SimServer) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, timeout=30) as client:
        yield client


@pytest.fixture(scope="session")
def shared_others(world: World) -> Iterator[OtherProviders]:
    with OtherProviders(world, ManualClock(world.starts_at)) as running:
        yield running


@pytest.fixture
def others(shared_others: OtherProviders, world: World, clock: ManualClock) -> OtherProviders:
    shared_others.world, shared_others.clock = world, clock
    shared_others.reset()
    return shared_others
