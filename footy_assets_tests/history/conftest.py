"""Sourcing on real servers: MongoDB, the simulated provider over HTTP, a clock by hand."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.history.key import LeagueSeason
from footy_assets.history.rules import HistoryRules
from footy_assets.operations.by_hand import ByHand
from footy_assets.operations.history import HistoryWork, WorkReport, start
from footy_assets.operations.history_seasons import status
from footy_assets.sim import Quota, SimServer
from footy_assets.store.audit import AuditLog
from footy_assets.store.collections import Document, ensure_indexes
from footy_assets.store.history import HistoryStore
from footy_assets.store.leases import Leases
from footy_assets.store.turns import SharedTurns
from resources.api_football.client import ApiFootball

KEY = LeagueSeason(39, 2023)
FOREVER = 10**9


@dataclass
class Sourcing:
    store: HistoryStore
    sim: SimServer
    clock: ManualClock
    work: HistoryWork
    by: ByHand

    def source(self, patience: float = FOREVER, key: LeagueSeason = KEY, **more: Any) -> WorkReport:
        start(self.store, self.clock, key, "a test")
        return self.work.run(key, patience=patience, **more)

    def status(self) -> Any:
        return status(self.store, self.clock, KEY, self.work.rules)

    def asked(self, path: str) -> list[dict[str, str]]:
        return [one.params for one in self.sim.requests if one.path == path]


@pytest.fixture
def sourcing(
    database: Database[Document], sim: SimServer, clock: ManualClock
) -> Iterator[Sourcing]:
    ensure_indexes(database)
    store = HistoryStore(database)
    # The provider is shared by all tests of this process, and keeps the quota it was given.
    sim.quota = Quota()
    with ApiFootball(sim.url, None) as feed:
        work = HistoryWork(
            store, feed, clock, HistoryRules(), Leases(database), SharedTurns(database)
        )
        yield Sourcing(store, sim, clock, work, ByHand(AuditLog(database), clock, "me", "a test"))
    sim.quota = Quota()
