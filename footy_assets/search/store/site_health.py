"""SE5, SE7: which sites can be searched, and since when one cannot, across sweeps and processes."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from pymongo import ReturnDocument
from pymongo.database import Database
from pymongo.errors import DuplicateKeyError

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


@dataclass(frozen=True, slots=True)
class CanaryRecord:
    """The last canary of a site. `failing_since` is the first failed one of those in a row."""

    at: datetime
    posts: int
    problem: str | None
    failing_since: datetime


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

    # -- canaries (SE5) -------------------------------------------------------------------

    def is_canary_due(self, site: str, now: datetime, every: timedelta) -> bool:
        due = (self._health.find_one({"_id": site}) or {}).get("canary_due_at")
        return bool(every) and (due is None or not now < due <= now + every)

    def claim_canary(self, site: str, now: datetime, every: timedelta) -> bool:
        """True for one process: the next canary is then due after `every`. One that is due later
        than that is from before the clock was set back."""
        if not every:
            return False
        due = [
            {"canary_due_at": {"$exists": False}},
            {"canary_due_at": {"$lte": now}},
            {"canary_due_at": {"$gt": now + every}},
        ]
        try:
            claimed = self._health.update_one(
                {"_id": site, "$or": due}, {"$set": {"canary_due_at": now + every}}, upsert=True
            )
        except DuplicateKeyError:
            return False
        return claimed.matched_count == 1 or claimed.upserted_id is not None

    def record_canary(self, site: str, posts: int, problem: str | None, now: datetime) -> None:
        since = {"$ifNull": ["$canary.failing_since", now]} if problem else None
        canary = {
            "at": now,
            "posts": posts,
            "problem": {"$literal": problem},
            "failing_since": since,
        }
        self._health.update_one({"_id": site}, [{"$set": {"canary": canary}}], upsert=True)

    def canary(self, site: str) -> CanaryRecord | None:
        found = (self._health.find_one({"_id": site}) or {}).get("canary")
        return _canary(found) if found else None

    def canaries(self) -> dict[str, CanaryRecord]:
        found = self._health.find({"canary": {"$exists": True}})
        return {document["_id"]: _canary(document["canary"]) for document in found}

    def forget_canaries_except(self, sites: Collection[str]) -> None:
        """A site that is switched off has no canary that could fail."""
        self._health.update_many(
            {"_id": {"$nin": list(sites)}}, {"$unset": {"canary": "", "canary_due_at": ""}}
        )


def _canary(document: Document) -> CanaryRecord:
    return CanaryRecord(
        document["at"],
        document["posts"],
        document["problem"],
        document["failing_since"] or document["at"],
    )
