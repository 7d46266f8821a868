"""Switches, grades, the audit of recoveries and the figures of sources, told across processes."""

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime
from typing import Any

from pymongo import UpdateOne
from pymongo.database import Database
from pymongo.errors import DuplicateKeyError

from footy_assets.sources.health import EVERYTHING, Freshness, Grade, Health
from footy_assets.sources.records import LastHeard
from footy_assets.sources.recovery import KEPT, Action, AuditEntry, Outcome
from footy_assets.store.collections import (
    SOURCE_FIGURES,
    SOURCE_GRADES,
    SOURCE_RECOVERIES,
    SOURCE_SWITCHES,
    Document,
)
from footy_assets.store.retrying import tried_again

# Upper edges of the histograms, in seconds; the last one is open.
FRESHNESS_EDGES = (5.0, 10.0, 15.0, 30.0, 35.0, 45.0, 60.0, 90.0, 120.0, 300.0)
SCRAPE_EDGES = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 15.0, 45.0)


@tried_again
class SourceState:
    def __init__(self, database: Database[Document]) -> None:
        self._switches = database[SOURCE_SWITCHES]
        self._grades = database[SOURCE_GRADES]
        self._recoveries = database[SOURCE_RECOVERIES]
        self._figures = database[SOURCE_FIGURES]

    # -- A1: switched while running -------------------------------------------------------

    def switches(self) -> dict[str, bool]:
        return {document["_id"]: document["enabled"] for document in self._switches.find()}

    def switch(self, domain: str, enabled: bool, now: datetime) -> None:
        self._switches.update_one(
            {"_id": domain}, {"$set": {"enabled": enabled, "at": now}}, upsert=True
        )

    # -- grades ---------------------------------------------------------------------------

    def grade(self, subject: str = EVERYTHING) -> tuple[Health, Document]:
        found = self._grades.find_one({"_id": subject}) or {}
        health = Health(
            Grade(found.get("grade", Grade.HEALTHY)),
            found.get("calm", 0),
            found.get("recovering_since"),
        )
        return health, found

    def graded_subjects(self) -> list[str]:
        return sorted(document["_id"] for document in self._grades.find({}, {"_id": 1}))

    def graded(
        self, subject: str, seen: Document, health: Health, fresh: Freshness, now: datetime
    ) -> bool:
        """False if another process was faster. `steps` are the last twenty changes."""
        sets: Document = {
            "grade": str(health.grade),
            "calm": health.calm,
            "recovering_since": health.recovering_since,
            "freshness": asdict(fresh),
            "evaluated_at": now,
            "revision": seen.get("revision", 0) + 1,
        }
        update: Document = {"$set": sets}
        if health.steps:
            steps = [{"grade": str(step), "at": now} for step in health.steps]
            update["$push"] = {"steps": {"$each": steps, "$slice": -20}}
        where = {"_id": subject, "revision": seen.get("revision")}
        try:
            result = self._grades.update_one(where, update, upsert=not seen)
        except DuplicateKeyError:
            return False
        return result.modified_count + (result.upserted_id is not None) == 1

    def forget_grades(self, but: Collection[str]) -> None:
        """Of sources that are no longer looked at."""
        self._grades.delete_many({"_id": {"$nin": list(but)}})

    # -- recoveries -----------------------------------------------------------------------

    def ask_for(self, action: Action, condition: str, id_: str, now: datetime) -> None:
        """Someone wants it done; whoever runs the sources does it."""
        entry = {"at": now, "action": str(action), "condition": condition, "asked": True}
        outcome = str(Outcome.UNDER_WAY)
        with suppress(DuplicateKeyError):
            self._recoveries.insert_one({"_id": id_, **entry, "outcome": outcome})

    def asked_for(self) -> AuditEntry | None:
        """The oldest wish that nobody has taken up; taken up by this call."""
        found = self._recoveries.find_one_and_update(
            {"asked": True}, {"$set": {"asked": False}}, sort=[("at", 1)]
        )
        return _entry(found) if found else None

    def record(self, entry: AuditEntry) -> None:
        document: Document = {
            "at": entry.at,
            "action": str(entry.action),
            "condition": entry.condition,
            "outcome": str(entry.outcome),
            "seconds": entry.seconds,
            "before": dict(entry.before),
            "after": dict(entry.after),
            "subject": entry.subject,
        }
        self._recoveries.update_one({"_id": entry.id}, {"$set": document}, upsert=True)
        old = self._recoveries.find({}, {"_id": 1}).sort([("at", -1), ("_id", -1)]).skip(KEPT)
        if gone := [document["_id"] for document in old]:
            self._recoveries.delete_many({"_id": {"$in": gone}})

    def under_way(self) -> list[AuditEntry]:
        """Begun, and not yet settled."""
        where = {"outcome": str(Outcome.UNDER_WAY), "asked": {"$ne": True}}
        return [_entry(document) for document in self._recoveries.find(where)]

    def recoveries(self, limit: int = KEPT) -> list[AuditEntry]:
        """The newest first."""
        found = self._recoveries.find().sort([("at", -1), ("_id", -1)]).limit(limit)
        return [_entry(document) for document in found]

    # -- polls ----------------------------------------------------------------------------

    def note_poll(
        self,
        counters: Mapping[str, int],
        gauges: Mapping[str, float],
        heard: Mapping[str, LastHeard],
    ) -> None:
        """How a poll went, in one write however many matches it asked for."""
        more = {name: by for name, by in counters.items() if by}
        writes = [UpdateOne({"_id": "counters"}, {"$inc": more}, upsert=True)]
        if gauges:
            writes.append(UpdateOne({"_id": "gauges"}, {"$set": gauges}, upsert=True))
        for domain, told in heard.items():
            matches = {str(id_): at for id_, at in told.matches.items()}
            sets = {"polled_at": told.polled_at, "matches": matches}
            writes.append(UpdateOne({"_id": f"heard:{domain}"}, {"$set": sets}, upsert=True))
        self._figures.bulk_write(writes)

    def heard(self, domain: str) -> LastHeard:
        found = self._figures.find_one({"_id": f"heard:{domain}"})
        if found is None:
            return LastHeard()
        return LastHeard(found["polled_at"], {int(id_): at for id_, at in found["matches"].items()})

    # -- figures --------------------------------------------------------------------------

    def count(self, **counters: int) -> None:
        """Counters for Prometheus, as `scrapes:football_data:success`."""
        increments = {name: by for name, by in counters.items() if by}
        if increments:
            self._figures.update_one({"_id": "counters"}, {"$inc": increments}, upsert=True)

    def observe(self, name: str, seconds: list[float], edges: tuple[float, ...]) -> None:
        """A histogram: how many fell under each edge, their number and sum."""
        if not seconds:
            return
        falls = {f"le.{n}": sum(s <= edge for s in seconds) for n, edge in enumerate(edges)}
        increments: Document = {name_: by for name_, by in falls.items() if by}
        increments |= {"count": len(seconds), "sum": sum(seconds)}
        self._figures.update_one({"_id": f"histogram:{name}"}, {"$inc": increments}, upsert=True)

    def set_gauges(self, **gauges: float) -> None:
        if gauges:
            self._figures.update_one({"_id": "gauges"}, {"$set": gauges}, upsert=True)

    def figures(self) -> dict[str, Mapping[str, Any]]:
        return {document.pop("_id"): document for document in self._figures.find()}


def _entry(document: Document) -> AuditEntry:
    return AuditEntry(
        id=document["_id"],
        at=document["at"],
        action=Action(document["action"]),
        condition=document["condition"],
        outcome=Outcome(document["outcome"]),
        seconds=document.get("seconds"),
        before=document.get("before", {}),
        after=document.get("after", {}),
        subject=document.get("subject"),
    )
