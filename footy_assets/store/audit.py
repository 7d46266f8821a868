"""P5: the audit log of operator actions."""

from datetime import datetime

from bson import ObjectId
from pymongo.database import Database

from footy_assets.store.collections import AUDIT, Document
from footy_assets.store.retrying import retry_on_disconnect

IN_PROGRESS = "under way"


@retry_on_disconnect
class AuditLog:
    """An entry is written before the action and completed after it, so that an interrupted action
    stays visible."""

    def __init__(self, database: Database[Document]) -> None:
        self._audit = database[AUDIT]

    def begin(self, at: datetime, who: str, why: str, operation: str, target: str) -> ObjectId:
        entry_id = ObjectId()
        entry = {"at": at, "who": who, "why": why, "operation": operation, "target": target}
        self._audit.update_one(
            {"_id": entry_id}, {"$setOnInsert": {**entry, "outcome": IN_PROGRESS}}, upsert=True
        )
        return entry_id

    def end(self, entry_id: ObjectId, outcome: str) -> None:
        self._audit.update_one({"_id": entry_id}, {"$set": {"outcome": outcome}})

    def entries(self, limit: int = 100) -> list[Document]:
        """The newest entries first."""
        return list(self._audit.find({}, {"_id": 0}).sort([("at", -1), ("_id", -1)]).limit(limit))
