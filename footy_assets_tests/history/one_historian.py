"""Another process that sources a season, and may be killed at any moment.

`python -m footy_assets_tests.history.one_historian URI DATABASE SIM_URL AT_ONCE` says `working`
when it begins and `completed` when all of it is there.
"""

import sys

from pymongo import MongoClient

from footy_assets.clock import SystemClock
from footy_assets.history.key import LeagueSeason
from footy_assets.history.rules import HistoryRules
from footy_assets.logs import configure_logs
from footy_assets.operations.history import HistoryWork, start
from footy_assets.store.history import HistoryStore
from footy_assets.store.leases import Leases
from footy_assets.store.turns import SharedTurns
from resources.api_football.client import ApiFootball

LEASE_SECONDS = 0.5


def main(uri: str, name: str, sim_url: str, at_once: str) -> None:
    configure_logs("error")
    clock, key = SystemClock(), LeagueSeason(39, 2023)
    with MongoClient(uri, tz_aware=True) as client, ApiFootball(sim_url, None) as feed:
        database = client[name]
        store = HistoryStore(database)
        work = HistoryWork(
            store,
            feed,
            clock,
            HistoryRules(at_once=int(at_once)),
            Leases(database),
            SharedTurns(database),
            lease_seconds=LEASE_SECONDS,
        )
        start(store, clock, key, "a process")
        sys.stdout.write("working\n")
        sys.stdout.flush()
        sys.stdout.write(f"{work.run(key, patience=600).ended}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
