"""Sourcing on real servers: MongoDB, the simulated provider over HTTP, a clock by hand."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import pytest
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.history.key import LeagueSeason
from footy_assets.history.rules import HistoryRules
from footy_assets.operations.by_hand import ByHand
from footy_assets.operations.history import HistoryWork, WorkReport
from footy_assets.operations.history_seasons import status
from footy_assets.operations.history_start import start
from footy_assets.sim import ProviderRequest, Quota, SimServer, make_world
from footy_assets.store.audit import AuditLog
from footy_assets.store.collections import Document
from footy_assets.store.history import HistoryStore
from footy_assets.store.leases import Leases
from footy_assets.store.turns import SharedTurns
from resources.api_football.client import ApiFootball
from resources.mongo_connection import connect

KEY = LeagueSeason(39, 2023)
FOREVER = 10**9


# Time is by hand: whoever waits for hours need not wake up to renew.
LEASE_SECONDS = 7_200.0


@dataclass
class Sourcing:
    store: HistoryStore
    sim: SimServer
    clock: ManualClock
    work: HistoryWork
    by: ByHand
    # What the provider was asked; of a season for many tests, what it had been asked then.
    requests: list[ProviderRequest] = field(default_factory=list)

    def source(self, patience: float = FOREVER, key: LeagueSeason = KEY, **more: Any) -> WorkReport:
        start(self.store, self.clock, key, "a test")
        return self.work.run(key, patience=patience, **more)

    def status(self) -> Any:
        return status(self.store, self.clock, KEY, self.work.rules)

    def asked(self, path: str) -> list[dict[str, str]]:
        return [one.params for one in self.requests if one.path == path]


@contextmanager
def sourcing_on(
    database: Database[Document], sim: SimServer, clock: ManualClock
) -> Iterator[Sourcing]:
    store = HistoryStore(database)
    # The provider is shared by all tests of this process, and keeps the quota it was given.
    sim.quota = Quota()
    with ApiFootball(sim.url, None) as feed:
        leases, turns = Leases(database), SharedTurns(database)
        work = HistoryWork(
            store, feed, clock, HistoryRules(), leases, turns, lease_seconds=LEASE_SECONDS
        )
        by = ByHand(AuditLog(database), clock, "me", "a test")
        yield Sourcing(store, sim, clock, work, by, sim.requests)
    sim.quota = Quota()


@pytest.fixture
def sourcing(
    database: Database[Document], sim: SimServer, clock: ManualClock
) -> Iterator[Sourcing]:
    with sourcing_on(database, sim, clock) as found:
        yield found


@pytest.fixture(scope="session")
def whole(mongo_uri: str, shared_sim: SimServer) -> Iterator[Sourcing]:
    """A season that was sourced undisturbed, to look at for many tests."""
    world = make_world()
    clock = ManualClock(world.starts_at)
    shared_sim.world, shared_sim.clock = world, clock
    shared_sim.reset()
    with connect(mongo_uri, f"whole_{uuid4().hex}") as database:
        with sourcing_on(database, shared_sim, clock) as found:
            found.source()
            found.requests = list(shared_sim.requests)
            shared_sim.reset()
            yield found
        database.client.drop_database(database.name)
