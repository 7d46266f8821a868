from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from threading import Barrier

import pytest
from pymongo.database import Database

from footy_assets.errors import Busy
from footy_assets.store.collections import LEASES, Document
from footy_assets.store.leases import Leases

YESTERDAY = datetime(2020, 1, 1, tzinfo=UTC)


def expire(database: Database[Document]) -> None:
    """Expires a lease, as if its holder had died long ago."""
    database[LEASES].update_many({}, {"$set": {"expires_at": YESTERDAY}})


def test_one_slot_is_held_by_one(database: Database[Document]) -> None:
    leases = Leases(database)
    with leases.hold("upload-1"):
        assert leases.held("upload-1")
        assert leases.take("upload-1") is None
        assert leases.take("upload-2") is not None, "another name is another lease"
    assert not leases.held("upload-1")
    assert leases.take("upload-1") is not None


def test_concurrent_takers_get_as_many_leases_as_there_are_slots(
    database: Database[Document],
) -> None:
    start = Barrier(8)

    def take(_: int) -> bool:
        start.wait()
        return Leases(database).take("vision", slots=3) is not None

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(take, range(8))) == 3


def test_an_expired_lease_can_be_taken(database: Database[Document]) -> None:
    leases = Leases(database)
    dead = leases.take("upload")
    assert dead is not None
    expire(database)
    taken = leases.take("upload")
    assert taken is not None
    assert not dead.renew(), "renewing a lost lease fails"
    leases.release(dead)
    assert leases.take("upload") is None, "a former holder cannot release it"


def test_renewing_keeps_a_lease(database: Database[Document]) -> None:
    leases = Leases(database)
    lease = leases.take("upload", seconds=0.001)
    assert lease is not None
    expire(database)
    assert lease.renew(), "an expired lease that no one took can be renewed"


def test_waiting_ends_when_the_holder_is_done(database: Database[Document]) -> None:
    first = Leases(database).take("upload")
    assert first is not None
    waited: list[float] = []

    def then_free() -> Callable[[float], None]:
        def sleep(seconds: float) -> None:
            waited.append(seconds)
            if len(waited) == 3:
                Leases(database).release(first)

        return sleep

    with Leases(database, then_free()).hold("upload", wait=60):
        assert len(waited) == 3


def test_waiting_too_long_raises_busy(database: Database[Document]) -> None:
    leases = Leases(database, lambda _: None)
    leases.take("upload")
    with pytest.raises(Busy, match="upload: it is held by others"), leases.hold("upload", wait=1):
        pass
