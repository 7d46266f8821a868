"""Y10: reservations are kept with any number of concurrent workers."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Barrier

from pymongo.database import Database

from footy_assets.history.rules.ledger import (
    Ledger,
)
from footy_assets.history.rules.quota import (
    left_today,
)
from footy_assets.history.store.quota import SharedQuota
from footy_assets.matchday.rules.pace import Quota
from footy_assets.store.collections import Document
from resources.mongo.connection import connect

NOW = datetime(2025, 5, 10, 6, 0, tzinfo=UTC)
LASTS = timedelta(minutes=1)
WORKERS = 6


def test_y10_concurrent_workers_never_reserve_more_than_the_share(
    mongo_uri: str, database: Database[Document]
) -> None:
    figures = Quota(day_limit=80, day_remaining=60)
    _, first = SharedQuota(database).reserve(1, NOW, LASTS)
    assert first is not None
    SharedQuota(database).settle(first, figures, 0, NOW)
    together = Barrier(WORKERS)

    def take(_: int) -> int:
        with connect(mongo_uri, database.name) as mine:
            quota = SharedQuota(mine)
            together.wait()
            taken = [quota.reserve(3, NOW, LASTS)[1] for _ in range(3)]
        return sum(one.requests for one in taken if one is not None)

    with ThreadPoolExecutor(WORKERS) as workers:
        assert sum(workers.map(take, range(WORKERS))) == left_today(figures, NOW) == 18


def test_y10_a_ledger_is_read_as_it_was_written(database: Database[Document]) -> None:
    quota = SharedQuota(database)
    assert quota.read() == Ledger()
    ledger, one = quota.reserve(8, NOW, LASTS)
    assert one is not None
    assert quota.read() == ledger
    quota.shrink(one, 0)
    assert quota.read().reservations == ()
