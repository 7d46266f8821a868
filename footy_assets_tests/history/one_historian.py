"""Another process that sources a season, and may be killed at any moment."""

import time

from pymongo import MongoClient

from footy_assets.clock import SystemClock
from footy_assets.errors import Busy
from footy_assets.history.key import LeagueSeason
from footy_assets.history.rules import HistoryRules
from footy_assets.logs import configure_logs
from footy_assets.operations.history import Ended, HistoryWork
from footy_assets.operations.history_start import start
from footy_assets.store.history import HistoryStore
from footy_assets.store.leases import Leases
from footy_assets.store.turns import SharedTurns
from resources.api_football.client import ApiFootball

KEY = LeagueSeason(39, 2023)
LEASE_SECONDS = 0.3
# The rest of a season is many batches.
AT_ONCE = 2


def source(uri: str, name: str, provider: str) -> None:
    """All of the season; a lease that a killed process held, or that we lost, is waited for."""
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
            SharedTurns(database),
            lease_seconds=LEASE_SECONDS,
        )
        start(work.store, clock, KEY, "a process")
        ended = None
        while ended is not Ended.COMPLETED:
            try:
                ended = work.run(KEY, patience=600).ended
            except Busy:
                time.sleep(0.02)
