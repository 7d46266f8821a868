"""R1: each match at each provider: its record, its latest report, and its id there."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import datetime

from pymongo import UpdateOne
from pymongo.database import Database

from footy_assets.providers.rules.identify import UnsureMapping
from footy_assets.providers.rules.match import Report
from footy_assets.providers.rules.priority import Priority
from footy_assets.providers.rules.records import ProviderRecord
from footy_assets.store.collections import (
    PROVIDER_MAPPINGS,
    PROVIDER_RECORDS,
    PROVIDER_REPORTS,
    Document,
)
from footy_assets.store.conditional import write_conditionally
from footy_assets.store.documents import DocumentConverter
from footy_assets.store.retrying import retry_on_disconnect

CONVERTER = DocumentConverter()
CONVERTER.rename(Report, cancellations="takes_back")
# The life of a match lies flat in its record, which counts failures of its own.
LIFE = {
    "state": "state",
    "failures": "consecutive_failures",
    "pause_until": "pause_until",
    "completed_at": "completed_at",
}


@retry_on_disconnect
class ProviderRecords:
    def __init__(self, database: Database[Document]) -> None:
        self._records = database[PROVIDER_RECORDS]
        self._reports = database[PROVIDER_REPORTS]
        self._mappings = database[PROVIDER_MAPPINGS]

    # -- records --------------------------------------------------------------------------

    def of(self, match_ids: Collection[int]) -> dict[tuple[int, str], ProviderRecord]:
        found = self._records.find({"match_id": {"$in": list(match_ids)}})
        return {(r.match_id, r.domain): r for r in map(record_from, found)}

    def live(self) -> list[ProviderRecord]:
        """The records of live matches, which determine the health grade."""
        return [record_from(d) for d in self._records.find({"priority": int(Priority.LIVE)})]

    def all(self) -> list[ProviderRecord]:
        return [record_from(d) for d in self._records.find()]

    def save(self, changes: Iterable[tuple[ProviderRecord | None, ProviderRecord]]) -> int:
        """Writes each record unless another process changed it meanwhile; returns how many."""
        writes = []
        for before, after in changes:
            if before == after:
                continue
            revision = before.metadata.get("revision", 0) if before else None
            document = record_document(after)
            where: Document = {"_id": document.pop("_id"), "revision": revision}
            document["revision"] = (revision or 0) + 1
            writes.append(UpdateOne(where, {"$set": document}, upsert=before is None))
        return write_conditionally(self._records, writes)

    # -- reports --------------------------------------------------------------------------

    def store_reports(self, reports: Iterable[Report]) -> None:
        """Keeps the newest report of each match and provider; ignores an older one."""
        writes = []
        for report in reports:
            document = report_document(report)
            where = {"_id": document.pop("_id"), "at": {"$lt": report.at}}
            writes.append(UpdateOne(where, {"$set": document}, upsert=True))
        write_conditionally(self._reports, writes)

    def reports(self, match_ids: Collection[int], since: datetime) -> dict[int, list[Report]]:
        found: dict[int, list[Report]] = {}
        where = {"match_id": {"$in": list(match_ids)}, "at": {"$gte": since}}
        for document in self._reports.find(where):
            report = report_from(document)
            found.setdefault(report.match.id, []).append(report)
        return found

    # -- A4 -------------------------------------------------------------------------------

    def mappings(self, domain: str) -> dict[str, int]:
        """The provider's id to ours. A sure mapping stays, even if the kickoff moves later."""
        found = self._mappings.find({"domain": domain, "match_id": {"$ne": None}})
        return {document["theirs"]: document["match_id"] for document in found}

    def mapped_ids(self, domain: str, match_ids: Collection[int]) -> dict[int, str]:
        """Our ids to the provider's."""
        query = {"domain": domain, "match_id": {"$in": list(match_ids)}}
        found = self._mappings.find(query, {"_id": 0, "match_id": 1, "theirs": 1})
        return {one["match_id"]: one["theirs"] for one in found}

    def save_mapping(self, domain: str, theirs: str, match_id: int, now: datetime) -> None:
        sure = {"domain": domain, "theirs": theirs, "match_id": match_id, "last_at": now}
        self._mappings.update_one({"_id": f"{domain}:{theirs}"}, {"$set": sure}, upsert=True)

    def save_unsure_mapping(self, domain: str, unsure: UnsureMapping, now: datetime) -> None:
        theirs = unsure.theirs
        self._mappings.update_one(
            {"_id": f"{domain}:{theirs.id}"},
            {
                "$setOnInsert": {"domain": domain, "theirs": theirs.id, "match_id": None},
                "$set": {
                    "said": f"{theirs.home} – {theirs.away}",
                    "candidates": list(unsure.candidates),
                    "reason": unsure.reason,
                    "last_at": now,
                },
            },
            upsert=True,
        )

    def unsure_mappings(self) -> list[Document]:
        """Mappings for an operator to resolve with an alias."""
        return list(self._mappings.find({"match_id": None}, {"_id": 0}).sort("theirs"))


def record_document(record: ProviderRecord) -> Document:
    document = CONVERTER.document(record)
    life = document.pop("life")
    first = {name: document[name] for name in ("match_id", "domain", "created", "priority")}
    return {
        "_id": f"{record.domain}:{record.match_id}",
        **first,
        "state": life["state"],
        "consecutive_failures": life["failures"],
        "paused": record.paused,
        "pause_until": life["pause_until"],
        "completed_at": life["completed_at"],
        **document,
        "metadata": {k: v for k, v in record.metadata.items() if k != "revision"},
    }


def record_from(document: Document) -> ProviderRecord:
    life = {name: document[stored] for name, stored in LIFE.items()}
    metadata = {**document["metadata"], "revision": document["revision"]}
    return CONVERTER.read({**document, "life": life, "metadata": metadata}, ProviderRecord)


def report_document(report: Report) -> Document:
    document = CONVERTER.document(report)
    match = document.pop("match")
    id_, domain = match.pop("id"), match.pop("domain")
    return {
        "_id": f"{domain}:{id_}",
        "match_id": id_,
        "domain": domain,
        "at": report.at,
        "confidence": report.confidence,
        "takes_back": document["takes_back"],
        "goals": document["goals"],
        "match": match,
    }


def report_from(document: Document) -> Report:
    match = {**document["match"], "id": document["match_id"], "domain": document["domain"]}
    cancellations = document["takes_back"] or ()
    return CONVERTER.read({**document, "match": match, "takes_back": cancellations}, Report)


def with_priority(record: ProviderRecord, priority: Priority | None) -> ProviderRecord:
    return record if record.priority is priority else replace(record, priority=priority)
