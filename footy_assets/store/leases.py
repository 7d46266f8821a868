"""Leases: at most so many holders of a name at once, across processes and machines.

A lease ends by itself when its holder dies: every hold has an expiry, told by the database's own
clock. Demo time does not bend it, and machines need not agree about the hour.
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
from footy_assets.progress import beat
from footy_assets.store.collections import LEASES, Document
from footy_assets.store.retrying import tried_again

LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
LOOK_AGAIN_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Lease:
    """One held slot. `renew` moves its expiry; False says that it was lost."""

    slot: str
    holder: str
    seconds: float
    _leases: "Leases"

    def renew(self) -> bool:
        return self._leases.renew(self)


@tried_again
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
        """Hold one of the slots of a name, or raise `Busy` if none gets free within `wait`."""
        lease = self._within(name, slots, seconds, wait)
        if lease is None:
            held = "it is held" if slots == 1 else f"all {slots} slots are held"
            raise Busy(f"{name}: {held} by others")
        try:
            yield lease
        finally:
            self.release(lease)

    def take(self, name: str, *, slots: int = 1, seconds: float = 60.0) -> Lease | None:
        """A free slot, or None. One conditional update a slot: two takers never get the same."""
        keys = [f"{name}#{number}" for number in range(slots)]
        holder = uuid4().hex
        for key in self._free(keys):
            lease = Lease(key, holder, seconds, self)
            if self._claim({"_id": key, **_EXPIRED}, lease):
                return lease
        return None

    def held(self, name: str) -> bool:
        """Whether somebody has the only slot of a name."""
        return self._leases.find_one({"_id": f"{name}#0", **_NOT_EXPIRED}, {"_id": 1}) is not None

    def renew(self, lease: Lease) -> bool:
        return self._claim({"_id": lease.slot, "holder": lease.holder}, lease)

    def release(self, lease: Lease) -> None:
        """Free at once; nothing if someone else holds it by now."""
        self._leases.update_one(
            {"_id": lease.slot, "holder": lease.holder},
            {"$set": {"holder": None, "expires_at": LONG_AGO}},
        )

    def _within(self, name: str, slots: int, seconds: float, wait: float) -> Lease | None:
        waited = 0.0
        while (lease := self.take(name, slots=slots, seconds=seconds)) is None and waited < wait:
            # Waiting in line is no silence: it has an end of its own.
            beat()
            self._sleep(LOOK_AGAIN_SECONDS)
            waited += LOOK_AGAIN_SECONDS
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
