"""Leases: a limited number of holders of a name at once, across processes and machines.

A lease expires when its holder dies. Expiry uses the database's own clock, so that neither a demo's
clock nor the clocks of other machines matter.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import uuid4

from pymongo import UpdateOne
from pymongo.database import Database

from footy_assets.errors import Busy
from footy_assets.progress import heartbeat
from footy_assets.store.collections import LEASES, Document
from footy_assets.store.retrying import retry_on_disconnect

LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
RETRY_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Lease:
    """One held slot. `renew` moves its expiry; False if the lease was lost."""

    slot: str
    holder: str
    seconds: float
    _leases: "Leases"

    def renew(self) -> bool:
        return self._leases.renew(self)


@retry_on_disconnect
class Leases:
    def __init__(
        self, database: Database[Document], sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._leases = database[LEASES]
        self._sleep = sleep

    @contextmanager
    def hold(
        self, name: str, *, slots: int = 1, seconds: float = 60.0, wait: float = 0.0
    ) -> Iterator[Lease]:
        """Hold one of the slots of a name; raises `Busy` if none is free within `wait` seconds."""
        lease = self._take_within(name, slots, seconds, wait)
        if lease is None:
            held = "it is held" if slots == 1 else f"all {slots} slots are held"
            raise Busy(f"{name}: {held} by others")
        try:
            yield lease
        finally:
            self.release(lease)

    def take(self, name: str, *, slots: int = 1, seconds: float = 60.0) -> Lease | None:
        """Take a free slot, or None. Each slot is taken by one conditional update, never by two."""
        keys = [f"{name}#{number}" for number in range(slots)]
        holder = uuid4().hex
        for key in self._free(keys):
            lease = Lease(key, holder, seconds, self)
            if self._claim({"_id": key, **_EXPIRED}, lease):
                return lease
        return None

    def held(self, name: str) -> bool:
        """Is the only slot of a name held?"""
        return self._leases.find_one({"_id": f"{name}#0", **_NOT_EXPIRED}, {"_id": 1}) is not None

    def renew(self, lease: Lease) -> bool:
        return self._claim({"_id": lease.slot, "holder": lease.holder}, lease)

    def release(self, lease: Lease) -> None:
        """Free the slot at once, unless another holder has it by now."""
        self._leases.update_one(
            {"_id": lease.slot, "holder": lease.holder},
            {"$set": {"holder": None, "expires_at": LONG_AGO}},
        )

    def _take_within(self, name: str, slots: int, seconds: float, wait: float) -> Lease | None:
        waited = 0.0
        while (lease := self.take(name, slots=slots, seconds=seconds)) is None and waited < wait:
            # Waiting counts as progress: it has its own limit.
            heartbeat()
            self._sleep(RETRY_SECONDS)
            waited += RETRY_SECONDS
        return lease

    def _free(self, keys: list[str]) -> list[str]:
        known = set(self._leases.distinct("_id", {"_id": {"$in": keys}}))
        if missing := [key for key in keys if key not in known]:
            fresh = {"$setOnInsert": {"holder": None, "expires_at": LONG_AGO}}
            self._leases.bulk_write([UpdateOne({"_id": k}, fresh, upsert=True) for k in missing])
        free = self._leases.find({"_id": {"$in": keys}, **_EXPIRED}, {"_id": 1}).sort("_id")
        return [document["_id"] for document in free]

    def _claim(self, where: Document, lease: Lease) -> bool:
        until = {"$add": ["$$NOW", round(lease.seconds * 1000)]}
        claim = [{"$set": {"holder": lease.holder, "taken_at": "$$NOW", "expires_at": until}}]
        return self._leases.update_one(where, claim).matched_count == 1


_EXPIRED: Document = {"$expr": {"$lte": ["$expires_at", "$$NOW"]}}
_NOT_EXPIRED: Document = {"$expr": {"$gt": ["$expires_at", "$$NOW"]}}
