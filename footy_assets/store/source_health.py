"""S7: which sources work, and since when one does not. Told across sweeps and processes."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pymongo import ReturnDocument
from pymongo.database import Database

from footy_assets.store.collections import SOURCE_HEALTH, Document
from footy_assets.store.retrying import tried_again


@dataclass(frozen=True, slots=True)
class Outage:
    """`needs_person` where only a person can end it, as by logging in."""

    since: datetime
    kind: str
    reason: str
    needs_person: bool
    failures: int


@dataclass(frozen=True, slots=True)
class SourceState:
    source: str
    worked_at: datetime | None
    outage: Outage | None


@tried_again
class SourceHealth:
    def __init__(self, database: Database[Document]) -> None:
        self._health = database[SOURCE_HEALTH]

    def failed(
        self, source: str, kind: str, reason: str, needs_person: bool, now: datetime
    ) -> bool:
        """Note a failure. True once an outage: when a person is first needed in it."""
        outage: dict[str, Any] = {
            "since": {"$ifNull": ["$outage.since", now]},
            "kind": kind,
            "reason": {"$literal": reason},
            "needs_person": needs_person,
            "told": {"$or": [{"$ifNull": ["$outage.told", False]}, needs_person]},
            "failures": {"$add": [{"$ifNull": ["$outage.failures", 0]}, 1]},
        }
        before = self._health.find_one_and_update(
            {"_id": source},
            [{"$set": {"outage": outage}}],
            upsert=True,
            return_document=ReturnDocument.BEFORE,
        )
        told = ((before or {}).get("outage") or {}).get("told", False)
        return needs_person and not told

    def worked(self, source: str, now: datetime) -> None:
        """The source answered: an outage is over, and the next one is told about again."""
        self._health.update_one(
            {"_id": source}, {"$set": {"worked_at": now}, "$unset": {"outage": ""}}, upsert=True
        )

    def state(self, source: str) -> SourceState:
        found = self._health.find_one({"_id": source}) or {}
        told = found.get("outage")
        outage = (
            Outage(
                told["since"], told["kind"], told["reason"], told["needs_person"], told["failures"]
            )
            if told
            else None
        )
        return SourceState(source, found.get("worked_at"), outage)
