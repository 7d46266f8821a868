"""A pipeline's core on real servers: MongoDB, the simulated provider over HTTP, a clock by hand."""

from collections.abc import Iterator

import pytest
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.sim import SimServer, World, make_world
from footy_assets.store.collections import Document, ensure_indexes
from footy_assets.store.matchdays import MatchdayStore
from footy_assets_tests.operations.bench import Bench, never_wait
from resources.api_football.client import ApiFootball


@pytest.fixture(scope="session")
def world() -> World:
    return make_world()


@pytest.fixture(scope="session")
def shared_sim(world: World) -> Iterator[SimServer]:
    with SimServer(world, ManualClock(world.starts_at)) as running:
        yield running


@pytest.fixture
def clock(world: World) -> ManualClock:
    return ManualClock(world.starts_at)


@pytest.fixture
def sim(shared_sim: SimServer, clock: ManualClock) -> SimServer:
    """The one provider of this process as if it had just started."""
    shared_sim.reset()
    shared_sim.clock = clock
    return shared_sim


@pytest.fixture
def store(database: Database[Document]) -> MatchdayStore:
    ensure_indexes(database)
    return MatchdayStore(database)


@pytest.fixture
def feed(sim: SimServer) -> Iterator[ApiFootball]:
    with ApiFootball(sim.url, None, sleep=never_wait) as client:
        yield client


@pytest.fixture
def bench(store: MatchdayStore, sim: SimServer, feed: ApiFootball, clock: ManualClock) -> Bench:
    return Bench(store, sim, feed, clock)
