"""P5: what people did by hand, who and why."""

from datetime import datetime

from bson import ObjectId
from pymongo.database import Database

from footy_assets.store.collections import AUDIT, Document
from footy_assets.store.retrying import tried_again

UNDER_WAY = "under way"


@tried_again
class AuditLog:
    """An entry is written before the deed and completed after it: one that was cut off shows."""

    def __init__(self, database: Database[Document]) -> None:
        self._audit = database[AUDIT]

    def begin(self, at: datetime, who: str, why: str, operation: str, target: str) -> ObjectId:
        entry_id = ObjectId()
        entry = {"at": at, "who": who, "why": why, "operation": operation, "target": target}
        self._audit.update_one(
            {"_id": entry_id}, {"$setOnInsert": {**entry, "outcome": UNDER_WAY}}, upsert=True
        )
        return entry_id

    def end(self, entry_id: ObjectId, outcome: str) -> None:
        self._audit.update_one({"_id": entry_id}, {"$set": {"outcome": outcome}})

    def entries(self, limit: int = 100) -> list[Document]:
        """The newest first."""
        return list(self._audit.find({}, {"_id": 0}).sort([("at", -1), ("_id", -1)]).limit(limit))
