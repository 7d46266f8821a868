"""A process that loads a season and may be killed at any time."""

import time

from pymongo import MongoClient

from footy_assets.clock import SystemClock
from footy_assets.errors import Busy
from footy_assets.history.rules.key import LeagueSeason
from footy_assets.history.rules.limits import HistoryRules
from footy_assets.history.sourcing import Ended, HistoryWork
from footy_assets.history.start import start
from footy_assets.history.store.quota import SharedQuota
from footy_assets.history.store.seasons import HistoryStore
from footy_assets.logs import configure_logs
from footy_assets.store.leases import Leases
from footy_assets.store.rate_limit import SharedRateLimit
from resources.api_football.client import ApiFootball

KEY = LeagueSeason(39, 2023)
LEASE_SECONDS = 0.3
# The rest of a season is many batches.
AT_ONCE = 2


def source(uri: str, name: str, provider: str) -> None:
    """Loads the season; waits for a lease that a killed process holds."""
    configure_logs("error")
    clock = SystemClock()
    with MongoClient(uri, tz_aware=True) as client, ApiFootball(provider, None) as feed:
        database = client[name]
        work = HistoryWork(
            HistoryStore(database),
            feed,
            clock,
            HistoryRules(at_once=AT_ONCE),
            Leases(database),
            SharedRateLimit(database),
            SharedQuota(database),
            lease_seconds=LEASE_SECONDS,
        )
        start(work.store, clock, KEY, "a process")
        ended = None
        while ended is not Ended.COMPLETED:
            try:
                ended = work.run(KEY, patience=600).ended
            except Busy:
                time.sleep(0.02)
