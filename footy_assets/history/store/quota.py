"""Y10: the request quota that all processes working on past seasons share."""

from collections.abc import Callable
from datetime import datetime, timedelta
from uuid import uuid4

from pymongo.database import Database
from pymongo.errors import DuplicateKeyError

from footy_assets.history.rules.ledger import (
    Ledger,
    Reservation,
    reserve_requests,
    settle,
    shrink,
    without_expired,
)
from footy_assets.matchday.rules.pace import Quota
from footy_assets.store.collections import HISTORY_QUOTA, Document
from footy_assets.store.documents import DocumentConverter
from footy_assets.store.retrying import retry_on_disconnect

CONVERTER = DocumentConverter()
# Each lost race is another process's success: this many in a row do not happen by chance.
SAVE_TRIES = 100


@retry_on_disconnect
class SharedQuota:
    """One document per provider; its revision makes every change atomic."""

    def __init__(self, database: Database[Document], provider: str = "api_football") -> None:
        self._ledgers = database[HISTORY_QUOTA]
        self._provider = provider

    def read(self) -> Ledger:
        return CONVERTER.read(self._ledgers.find_one({"_id": self._provider}) or {}, Ledger)

    def reserve(
        self, wanted: int, now: datetime, lasts: timedelta
    ) -> tuple[Ledger, Reservation | None]:
        """Reserves as many requests as may be sent now, at most `wanted`; None if none may."""
        id_ = uuid4().hex
        ledger = self._change(
            lambda one: reserve_requests(without_expired(one, now), id_, wanted, now, lasts)
        )
        return ledger, next((one for one in ledger.reservations if one.id == id_), None)

    def shrink(self, reservation: Reservation, requests: int) -> None:
        """Reduces a reservation to the requests that will be sent."""
        self._change(lambda one: shrink(one, reservation.id, requests))

    def settle(
        self, reservation: Reservation, figure: Quota | None, silent: int, now: datetime
    ) -> None:
        self._change(lambda one: settle(one, reservation, figure, silent, now))

    def _change(self, change: Callable[[Ledger], Ledger]) -> Ledger:
        for _ in range(SAVE_TRIES):
            found = self._ledgers.find_one({"_id": self._provider})
            before = CONVERTER.read(found or {}, Ledger)
            after = change(before)
            if after == before or self._save(found, after):
                return after
        raise RuntimeError(f"the quota of {self._provider} keeps being written by other processes")

    def _save(self, found: Document | None, ledger: Ledger) -> bool:
        document = CONVERTER.document(ledger)
        if found is None:
            try:
                self._ledgers.insert_one({"_id": self._provider, "revision": 1, **document})
            except DuplicateKeyError:
                return False
            return True
        revision = found["revision"]
        changes = {"$set": {**document, "revision": revision + 1}}
        where = {"_id": self._provider, "revision": revision}
        return self._ledgers.update_one(where, changes).matched_count == 1
