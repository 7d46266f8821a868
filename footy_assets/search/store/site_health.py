"""SE7: which sites can be searched, and since when one cannot, across sweeps and processes."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pymongo import ReturnDocument
from pymongo.database import Database

from footy_assets.store.collections import SITE_HEALTH, Document
from footy_assets.store.retrying import retry_on_disconnect


@dataclass(frozen=True, slots=True)
class Outage:
    """`needs_person` if only an operator can end it, for example by logging in."""

    since: datetime
    kind: str
    reason: str
    needs_person: bool
    failures: int


@dataclass(frozen=True, slots=True)
class SiteState:
    site: str
    worked_at: datetime | None
    outage: Outage | None


@retry_on_disconnect
class SiteHealth:
    def __init__(self, database: Database[Document]) -> None:
        self._health = database[SITE_HEALTH]

    def record_failure(
        self, site: str, kind: str, reason: str, needs_person: bool, now: datetime
    ) -> bool:
        """True once in an outage: at the first failure that needs an operator."""
        outage: dict[str, Any] = {
            "since": {"$ifNull": ["$outage.since", now]},
            "kind": kind,
            "reason": {"$literal": reason},
            "needs_person": needs_person,
            "told": {"$or": [{"$ifNull": ["$outage.told", False]}, needs_person]},
            "failures": {"$add": [{"$ifNull": ["$outage.failures", 0]}, 1]},
        }
        before = self._health.find_one_and_update(
            {"_id": site},
            [{"$set": {"outage": outage}}],
            upsert=True,
            return_document=ReturnDocument.BEFORE,
        )
        already_reported = ((before or {}).get("outage") or {}).get("told", False)
        return needs_person and not already_reported

    def record_success(self, site: str, now: datetime) -> None:
        """End the outage, so that the next one is reported again."""
        self._health.update_one(
            {"_id": site}, {"$set": {"worked_at": now}, "$unset": {"outage": ""}}, upsert=True
        )

    def state(self, site: str) -> SiteState:
        found = self._health.find_one({"_id": site}) or {}
        document = found.get("outage")
        outage = (
            Outage(
                since=document["since"],
                kind=document["kind"],
                reason=document["reason"],
                needs_person=document["needs_person"],
                failures=document["failures"],
            )
            if document
            else None
        )
        return SiteState(site, found.get("worked_at"), outage)
