"""A pipeline's core on real servers: MongoDB, the simulated provider over HTTP, a clock by hand."""

from collections.abc import Iterator

import pytest
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.sim import SimServer
from footy_assets.store.collections import Document
from footy_assets.store.matchdays import MatchdayStore
from footy_assets_tests.operations.bench import Bench, never_wait
from resources.api_football.client import ApiFootball


@pytest.fixture
def store(database: Database[Document]) -> MatchdayStore:
    return MatchdayStore(database)


@pytest.fixture
def feed(sim: SimServer) -> Iterator[ApiFootball]:
    with ApiFootball(sim.url, None, sleep=never_wait) as client:
        yield client


@pytest.fixture
def bench(store: MatchdayStore, sim: SimServer, feed: ApiFootball, clock: ManualClock) -> Bench:
    return Bench(store, sim, feed, clock)
