"""Shared state of the providers: switches, grades, the recovery audit, and metrics."""

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime
from typing import Any

from pymongo import UpdateOne
from pymongo.database import Database
from pymongo.errors import DuplicateKeyError

from footy_assets.providers.rules.health import ALL_PROVIDERS, Freshness, Grade, ProviderHealth
from footy_assets.providers.rules.priority import Priority
from footy_assets.providers.rules.records import LastAnswers
from footy_assets.providers.rules.recovery import (
    RECOVERIES_KEPT,
    Action,
    RecoveryEntry,
    RecoveryOutcome,
)
from footy_assets.store.collections import (
    PROVIDER_FIGURES,
    PROVIDER_GRADES,
    PROVIDER_RECOVERIES,
    PROVIDER_SWITCHES,
    Document,
)
from footy_assets.store.documents import DocumentConverter
from footy_assets.store.retrying import retry_on_disconnect

CONVERTER = DocumentConverter()
CONVERTER.rename(RecoveryEntry, id="_id")

# Upper edges of the histograms, in seconds; the last one is open.
FRESHNESS_EDGES = (5.0, 10.0, 15.0, 30.0, 35.0, 45.0, 60.0, 90.0, 120.0, 300.0)
SCRAPE_EDGES = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 15.0, 45.0)


def queue_gauge(priority: Priority) -> str:
    """The gauge of the matches of a priority that wait."""
    return f"queue_{priority.label}"


@retry_on_disconnect
class ProviderState:
    def __init__(self, database: Database[Document]) -> None:
        self._switches = database[PROVIDER_SWITCHES]
        self._grades = database[PROVIDER_GRADES]
        self._recoveries = database[PROVIDER_RECOVERIES]
        self._figures = database[PROVIDER_FIGURES]

    # -- A1: switched while running -------------------------------------------------------

    def switches(self) -> dict[str, bool]:
        return {document["_id"]: document["enabled"] for document in self._switches.find()}

    def switch(self, domain: str, enabled: bool, now: datetime) -> None:
        self._switches.update_one(
            {"_id": domain}, {"$set": {"enabled": enabled, "at": now}}, upsert=True
        )

    # -- grades ---------------------------------------------------------------------------

    def grade(self, subject: str = ALL_PROVIDERS) -> tuple[ProviderHealth, Document]:
        found = self._grades.find_one({"_id": subject}) or {}
        health = ProviderHealth(
            Grade(found.get("grade", Grade.HEALTHY)),
            found.get("calm", 0),
            found.get("recovering_since"),
        )
        return health, found

    def graded_subjects(self) -> list[str]:
        return sorted(document["_id"] for document in self._grades.find({}, {"_id": 1}))

    def save_grade(
        self,
        subject: str,
        seen: Document,
        health: ProviderHealth,
        fresh: Freshness,
        now: datetime,
        observed: bool = False,
    ) -> bool:
        """False if another process was faster. `steps` are the last twenty changes. `observed`
        adds the ages to their count and sum over all evaluations."""
        sets: Document = {
            "grade": str(health.grade),
            "calm": health.calm,
            "recovering_since": health.recovering_since,
            "freshness": asdict(fresh),
            "evaluated_at": now,
            "revision": seen.get("revision", 0) + 1,
        }
        update: Document = {"$set": sets}
        if observed and fresh.count:
            update["$inc"] = {"observed.count": fresh.count, "observed.sum": fresh.sum}
        if health.steps:
            steps = [{"grade": str(step), "at": now} for step in health.steps]
            update["$push"] = {"steps": {"$each": steps, "$slice": -20}}
        where = {"_id": subject, "revision": seen.get("revision")}
        try:
            result = self._grades.update_one(where, update, upsert=not seen)
        except DuplicateKeyError:
            return False
        return result.modified_count + (result.upserted_id is not None) == 1

    def delete_grades_except(self, subjects: Collection[str]) -> None:
        """Deletes the grades of providers that are not polled any more."""
        self._grades.delete_many({"_id": {"$nin": list(subjects)}})

    # -- recoveries -----------------------------------------------------------------------

    def request_recovery(self, action: Action, condition: str, id_: str, now: datetime) -> None:
        """Requests a recovery; the process that runs the providers performs it."""
        entry = {"at": now, "action": str(action), "condition": condition, "asked": True}
        outcome = str(RecoveryOutcome.UNDER_WAY)
        with suppress(DuplicateKeyError):
            self._recoveries.insert_one({"_id": id_, **entry, "outcome": outcome})

    def claim_request(self) -> RecoveryEntry | None:
        """Claims the oldest open request."""
        found = self._recoveries.find_one_and_update(
            {"asked": True}, {"$set": {"asked": False}}, sort=[("at", 1)]
        )
        return _entry(found) if found else None

    def record(self, entry: RecoveryEntry) -> None:
        document = CONVERTER.document(entry)
        where = {"_id": document.pop("_id")}
        self._recoveries.update_one(where, {"$set": document}, upsert=True)
        newest_first = self._recoveries.find({}, {"_id": 1}).sort([("at", -1), ("_id", -1)])
        old = newest_first.skip(RECOVERIES_KEPT)
        if gone := [document["_id"] for document in old]:
            self._recoveries.delete_many({"_id": {"$in": gone}})

    def open_recoveries(self) -> list[RecoveryEntry]:
        """Recoveries whose outcome is still open."""
        where = {"outcome": str(RecoveryOutcome.UNDER_WAY), "asked": {"$ne": True}}
        return [_entry(document) for document in self._recoveries.find(where)]

    def last_restart(self, domain: str) -> datetime | None:
        where = {"subject": domain, "action": str(Action.SOFT_RESTART)}
        found = self._recoveries.find_one(where, sort=[("at", -1)])
        at: datetime | None = found["at"] if found else None
        return at

    def recoveries(self, limit: int = RECOVERIES_KEPT) -> list[RecoveryEntry]:
        """The newest first."""
        found = self._recoveries.find().sort([("at", -1), ("_id", -1)]).limit(limit)
        return [_entry(document) for document in found]

    # -- polls ----------------------------------------------------------------------------

    def record_poll_metrics(
        self,
        counters: Mapping[str, int],
        gauges: Mapping[str, float],
        answers: Mapping[str, LastAnswers],
    ) -> None:
        """Counters, gauges and last answers of a poll, in one write."""
        increments = {name: by for name, by in counters.items() if by}
        writes = [UpdateOne({"_id": "counters"}, {"$inc": increments}, upsert=True)]
        if gauges:
            writes.append(UpdateOne({"_id": "gauges"}, {"$set": gauges}, upsert=True))
        for domain, last in answers.items():
            matches = {str(id_): at for id_, at in last.matches.items()}
            sets = {"polled_at": last.polled_at, "matches": matches}
            writes.append(UpdateOne({"_id": f"heard:{domain}"}, {"$set": sets}, upsert=True))
        self._figures.bulk_write(writes)

    def last_answers(self, domain: str) -> LastAnswers:
        found = self._figures.find_one({"_id": f"heard:{domain}"})
        if found is None:
            return LastAnswers()
        return LastAnswers(
            found["polled_at"], {int(id_): at for id_, at in found["matches"].items()}
        )

    # -- discovery ------------------------------------------------------------------------

    def record_discovery(self, domain: str, now: datetime) -> None:
        """L5: a provider listed the matches of a day."""
        self._figures.update_one(
            {"_id": f"discovered:{domain}"}, {"$max": {"at": now}}, upsert=True
        )

    def last_discovery(self, domain: str) -> datetime | None:
        found = self._figures.find_one({"_id": f"discovered:{domain}"})
        return found["at"] if found else None

    # -- running requests -----------------------------------------------------------------

    def set_running(self, requests: Mapping[str, Mapping[str, int]]) -> None:
        """L6: the requests under way by provider, for processes that do not run them."""
        self._figures.replace_one({"_id": "running"}, {"providers": dict(requests)}, upsert=True)

    def running(self) -> dict[str, dict[str, int]]:
        found = self._figures.find_one({"_id": "running"})
        return found["providers"] if found else {}

    # -- figures --------------------------------------------------------------------------

    def increment(self, **counters: int) -> None:
        """Counters for Prometheus, as `scrapes:football_data:success`."""
        increments = {name: by for name, by in counters.items() if by}
        if increments:
            self._figures.update_one({"_id": "counters"}, {"$inc": increments}, upsert=True)

    def observe(self, name: str, seconds: list[float], edges: tuple[float, ...]) -> None:
        """Adds to a histogram: the count below each edge, the total count, and the sum."""
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


def _entry(document: Document) -> RecoveryEntry:
    return CONVERTER.read(document, RecoveryEntry)
