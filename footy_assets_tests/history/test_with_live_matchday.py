"""Y10: a live matchday and a season at the same time, on one small quota."""

import time
from datetime import datetime, timedelta
from threading import Thread

import pytest
from pymongo.database import Database

from footy_assets.clock import ScaledClock
from footy_assets.history.rules.key import LeagueSeason
from footy_assets.history.rules.limits import HistoryRules
from footy_assets.history.sourcing import HistoryWork, WorkReport
from footy_assets.history.start import start
from footy_assets.history.store.quota import SharedQuota
from footy_assets.history.store.seasons import HistoryStore
from footy_assets.matchday.ingest import Ingest
from footy_assets.matchday.monitor import CycleReport, run_cycle
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.matchday.tracking import TrackingPolicy
from footy_assets.sim import Quota, SimServer, make_world
from footy_assets.store.collections import Document
from footy_assets.store.leases import Leases
from footy_assets.store.rate_limit import SharedRateLimit
from footy_assets_tests.policies import polling_policy
from resources.api_football.client import ApiFootball

pytestmark = pytest.mark.slow

SPEED = 60.0
TICK = timedelta(seconds=30)
PER_MINUTE = 30
KEY = LeagueSeason(39, 2023)


def test_y10_the_live_matchday_keeps_its_polls_and_its_share(database: Database[Document]) -> None:
    """Thirty requests a minute: fifteen are the live pipeline's, whatever history would like."""
    world = make_world()
    clock = ScaledClock(world.starts_at + timedelta(minutes=70), SPEED, time.time())
    quota = Quota(per_day=10_000, per_minute=PER_MINUTE)
    with SimServer(world, clock, quota=quota) as sim:
        done: list[WorkReport] = []
        history = Thread(target=lambda: done.append(source(database, sim, clock)), daemon=True)
        matches = MatchdayStore(database)
        ticks: list[datetime] = []
        cycles: list[CycleReport] = []
        with ApiFootball(sim.url, None) as feed:
            Ingest(matches, feed, clock, TrackingPolicy(teams="*")).day(world.day)
            history.start()
            due = clock.now()
            while history.is_alive() and len(ticks) < 60:
                clock.sleep((due - clock.now()).total_seconds())
                ticks.append(clock.now())
                cycles.append(run_cycle(matches, feed, clock, polling_policy()))
                due += TICK
        history.join(timeout=60)
        requests = list(sim.requests)
    (report,) = done
    assert report.ended == "completed"
    assert report.failed == 0
    # It took minutes, so both ran at the same time.
    assert len(ticks) >= 8
    assert not [failure for cycle in cycles for failure in cycle.failures]
    assert all(cycle.sighted for cycle in cycles)
    live = [one for one in requests if "ids" in one.params or "date" in one.params]
    # Counted from the first on: a request that a busy machine sends late counts for its minute.
    others = sorted(one.at for one in requests if one not in live)
    first = others[0].replace(second=0, microsecond=0)
    for number, at in enumerate(others, 1):
        minutes = (at - first) // timedelta(minutes=1) + 1
        assert number <= minutes * PER_MINUTE // 2


def source(database: Database[Document], sim: SimServer, clock: ScaledClock) -> WorkReport:
    store = HistoryStore(database)
    with ApiFootball(sim.url, None) as feed:
        work = HistoryWork(
            store,
            feed,
            clock,
            HistoryRules(),
            Leases(database),
            SharedRateLimit(database),
            SharedQuota(database),
        )
        start(store, clock, KEY, "a test")
        return work.run(KEY, patience=600)
