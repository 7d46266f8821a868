"""L4: a provider that has refused us gets no request for a while, from any process."""

from dataclasses import dataclass
from datetime import datetime

from pymongo.database import Database

from footy_assets.store.collections import PROVIDER_REFUSALS, Document
from footy_assets.store.retrying import retry_on_disconnect


@dataclass(frozen=True, slots=True)
class ActiveRefusal:
    until: datetime
    reason: str


@retry_on_disconnect
class ProviderRefusals:
    def __init__(self, database: Database[Document]) -> None:
        self._refusals = database[PROVIDER_REFUSALS]

    def of(self, domain: str, now: datetime) -> ActiveRefusal | None:
        """The refusal that still holds."""
        found = self._refusals.find_one({"_id": domain, "until": {"$gt": now}})
        return ActiveRefusal(found["until"], found["reason"]) if found else None

    def add(self, domain: str, until: datetime, reason: str) -> None:
        """Of two processes that were refused, the longer pause counts."""
        new = {"$max": {"until": until}, "$set": {"reason": reason}}
        self._refusals.update_one({"_id": domain}, new, upsert=True)

    def forget(self, domain: str) -> None:
        self._refusals.delete_one({"_id": domain})
