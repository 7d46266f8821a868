"""Past seasons on real servers: MongoDB, the simulated provider over HTTP, a manual clock."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import pytest
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.history.progress import season_status
from footy_assets.history.rules.key import LeagueSeason
from footy_assets.history.rules.limits import HistoryRules
from footy_assets.history.rules.tiers import Tier
from footy_assets.history.sourcing import HistoryWork, WorkReport
from footy_assets.history.start import start
from footy_assets.history.store.quota import SharedQuota
from footy_assets.history.store.seasons import HistoryStore
from footy_assets.operator_actions import OperatorAction
from footy_assets.sim import ProviderRequest, Quota, SimServer, clubs_of, make_world
from footy_assets.store.audit import AuditLog
from footy_assets.store.collections import Document
from footy_assets.store.leases import Leases
from footy_assets.store.rate_limit import SharedRateLimit
from resources.api_football.client import ApiFootball
from resources.mongo.connection import connect

KEY = LeagueSeason(39, 2023)
FOREVER = 10**9
VENUES = sorted(club.venue_id for club in clubs_of(39))
FIRST_VENUE = str(VENUES[0])
LAST_VENUE = str(VENUES[-1])
FIRST_TWO = (Tier.SEASON, Tier.VENUE)


# The clock is manual: a wait of hours needs no renewal.
LEASE_SECONDS = 7_200.0


@dataclass
class Sourcing:
    store: HistoryStore
    sim: SimServer
    clock: ManualClock
    work: HistoryWork
    by: OperatorAction
    # The requests that the provider received; for the shared season, those of its load.
    requests: list[ProviderRequest] = field(default_factory=list)

    def source(self, patience: float = FOREVER, key: LeagueSeason = KEY, **more: Any) -> WorkReport:
        start(self.store, self.clock, key, "a test")
        return self.work.run(key, patience=patience, **more)

    def status(self) -> Any:
        return season_status(self.store, self.clock, KEY, self.work.rules)

    def requested(self, path: str) -> list[dict[str, str]]:
        return [one.params for one in self.requests if one.path == path]


def query_string(params: dict[str, str]) -> str:
    return "&".join(f"{name}={value}" for name, value in params.items())


@contextmanager
def sourcing_on(
    database: Database[Document], sim: SimServer, clock: ManualClock
) -> Iterator[Sourcing]:
    store = HistoryStore(database)
    # All tests of this process share the provider, which keeps its quota.
    sim.quota = Quota()
    with ApiFootball(sim.url, None) as feed:
        leases, turns = Leases(database), SharedRateLimit(database)
        work = HistoryWork(
            store,
            feed,
            clock,
            HistoryRules(),
            leases,
            turns,
            SharedQuota(database),
            lease_seconds=LEASE_SECONDS,
        )
        by = OperatorAction(AuditLog(database), clock, "me", "a test")
        yield Sourcing(store, sim, clock, work, by, sim.requests)
    sim.quota = Quota()


@pytest.fixture
def sourcing(
    database: Database[Document], sim: SimServer, clock: ManualClock
) -> Iterator[Sourcing]:
    with sourcing_on(database, sim, clock) as found:
        yield found


@pytest.fixture(scope="session")
def loaded_season(mongo_uri: str, shared_sim: SimServer) -> Iterator[Sourcing]:
    """A complete season, loaded once, read by many tests."""
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
