from collections.abc import Iterator

import httpx
import pytest

from footy_assets.clock import ManualClock
from footy_assets.sim import SimServer, World, make_world


@pytest.fixture(scope="session")
def world() -> World:
    return make_world()


@pytest.fixture(scope="session")
def shared_server(world: World) -> Iterator[SimServer]:
    with SimServer(world, ManualClock(world.starts_at)) as running:
        yield running


@pytest.fixture
def clock(world: World) -> ManualClock:
    return ManualClock(world.starts_at)


@pytest.fixture
def server(shared_server: SimServer, clock: ManualClock) -> SimServer:
    """The one server of this process as if it had just started: starting each time is slow."""
    shared_server.reset()
    shared_server.clock = clock
    return shared_server


@pytest.fixture
def provider(server: SimServer) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, timeout=5) as client:
        yield client
