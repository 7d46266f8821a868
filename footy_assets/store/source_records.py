"""R1: each match at each provider, what it last said of it, and under which id."""

from collections.abc import Collection, Iterable
from dataclasses import asdict, replace
from datetime import datetime

from pymongo import UpdateOne
from pymongo.database import Database

from footy_assets.matchday.minute import MatchMinute
from footy_assets.sources.identify import Unsure
from footy_assets.sources.lifecycle import Life, MatchLife
from footy_assets.sources.match import GoalClaim, LastEvent, NormalisedMatch, Report, Score, Sides
from footy_assets.sources.priority import Priority
from footy_assets.sources.records import SourceRecord
from footy_assets.store.collections import (
    SOURCE_MAPPINGS,
    SOURCE_RECORDS,
    SOURCE_REPORTS,
    Document,
)
from footy_assets.store.conditional import write_where_true
from footy_assets.store.retrying import tried_again


@tried_again
class SourceRecords:
    def __init__(self, database: Database[Document]) -> None:
        self._records = database[SOURCE_RECORDS]
        self._reports = database[SOURCE_REPORTS]
        self._mappings = database[SOURCE_MAPPINGS]

    # -- records --------------------------------------------------------------------------

    def of(self, match_ids: Collection[int]) -> dict[tuple[int, str], SourceRecord]:
        found = self._records.find({"match_id": {"$in": list(match_ids)}})
        return {(r.match_id, r.domain): r for r in map(record_from, found)}

    def live(self) -> list[SourceRecord]:
        """Records of matches in play: what health is graded by."""
        return [record_from(d) for d in self._records.find({"priority": int(Priority.LIVE)})]

    def all(self) -> list[SourceRecord]:
        return [record_from(d) for d in self._records.find()]

    def save(self, changes: Iterable[tuple[SourceRecord | None, SourceRecord]]) -> int:
        """Each on the condition that nobody wrote it in between; how many were written."""
        writes = []
        for before, after in changes:
            if before == after:
                continue
            revision = before.metadata.get("revision", 0) if before else None
            document = record_document(after)
            where: Document = {"_id": document.pop("_id"), "revision": revision}
            document["revision"] = (revision or 0) + 1
            writes.append(UpdateOne(where, {"$set": document}, upsert=before is None))
        return write_where_true(self._records, writes)

    # -- reports --------------------------------------------------------------------------

    def store_reports(self, reports: Iterable[Report]) -> None:
        """The newest of each match and provider; an older one that comes late changes nothing."""
        writes = []
        for report in reports:
            document = report_document(report)
            where = {"_id": document.pop("_id"), "at": {"$lt": report.at}}
            writes.append(UpdateOne(where, {"$set": document}, upsert=True))
        write_where_true(self._reports, writes)

    def reports(self, match_ids: Collection[int], since: datetime) -> dict[int, list[Report]]:
        found: dict[int, list[Report]] = {}
        where = {"match_id": {"$in": list(match_ids)}, "at": {"$gte": since}}
        for document in self._reports.find(where):
            report = report_from(document)
            found.setdefault(report.match.id, []).append(report)
        return found

    # -- A4 -------------------------------------------------------------------------------

    def mapped(self, domain: str) -> dict[str, int]:
        """Their id to ours, once it was sure: a kickoff that moves later changes nothing."""
        found = self._mappings.find({"domain": domain, "match_id": {"$ne": None}})
        return {document["theirs"]: document["match_id"] for document in found}

    def map(self, domain: str, theirs: str, match_id: int, now: datetime) -> None:
        sure = {"domain": domain, "theirs": theirs, "match_id": match_id, "last_at": now}
        self._mappings.update_one({"_id": f"{domain}:{theirs}"}, {"$set": sure}, upsert=True)

    def unsure(self, domain: str, doubt: Unsure, now: datetime) -> None:
        theirs = doubt.theirs
        self._mappings.update_one(
            {"_id": f"{domain}:{theirs.id}"},
            {
                "$setOnInsert": {"domain": domain, "theirs": theirs.id, "match_id": None},
                "$set": {
                    "said": f"{theirs.home} – {theirs.away}",
                    "candidates": list(doubt.candidates),
                    "reason": doubt.reason,
                    "last_at": now,
                },
            },
            upsert=True,
        )

    def doubts(self) -> list[Document]:
        """Mappings that a person should look at: an alias settles them."""
        return list(self._mappings.find({"match_id": None}, {"_id": 0}).sort("theirs"))


def record_document(record: SourceRecord) -> Document:
    return {
        "_id": f"{record.domain}:{record.match_id}",
        "match_id": record.match_id,
        "domain": record.domain,
        "created": record.created,
        "priority": None if record.priority is None else int(record.priority),
        "state": str(record.life.state),
        "consecutive_failures": record.life.failures,
        "paused": record.paused,
        "pause_until": record.life.pause_until,
        "completed_at": record.life.completed_at,
        "last_success": record.last_success,
        "last_failure": record.last_failure,
        "successes": record.successes,
        "failures": record.failures,
        "clock": list(record.clock) if record.clock else None,
        "clock_moved_at": record.clock_moved_at,
        "metadata": {k: v for k, v in record.metadata.items() if k != "revision"},
    }


def record_from(document: Document) -> SourceRecord:
    clock = document["clock"]
    priority = document["priority"]
    return SourceRecord(
        match_id=document["match_id"],
        domain=document["domain"],
        created=document["created"],
        priority=None if priority is None else Priority(priority),
        life=MatchLife(
            Life(document["state"]),
            document["consecutive_failures"],
            document["pause_until"],
            document["completed_at"],
        ),
        last_success=document["last_success"],
        last_failure=document["last_failure"],
        successes=document["successes"],
        failures=document["failures"],
        clock=(clock[0], clock[1], clock[2]) if clock else None,
        clock_moved_at=document["clock_moved_at"],
        metadata={**document["metadata"], "revision": document["revision"]},
    )


def report_document(report: Report) -> Document:
    match = report.match
    return {
        "_id": f"{match.domain}:{match.id}",
        "match_id": match.id,
        "domain": match.domain,
        "at": report.at,
        "confidence": report.confidence,
        "takes_back": [list(decision) for decision in report.takes_back],
        "goals": None if report.goals is None else [asdict(goal) for goal in report.goals],
        "match": {
            "teams": asdict(match.teams),
            "period": match.period,
            "start": match.start,
            "score": asdict(match.score),
            "cards": asdict(match.cards),
            "minute": asdict(match.minute) if match.minute else None,
            "competition": match.competition,
            "venue": match.venue,
            "last_event": asdict(match.last_event) if match.last_event else None,
            "metadata": dict(match.metadata),
        },
    }


def report_from(document: Document) -> Report:
    told, last = document["match"], document["match"]["last_event"]
    match = NormalisedMatch(
        id=document["match_id"],
        domain=document["domain"],
        teams=Sides(**told["teams"]),
        period=told["period"],
        start=told["start"],
        score=Score(**told["score"]),
        cards=Score(**told["cards"]),
        minute=MatchMinute(**told["minute"]) if told["minute"] else None,
        competition=told["competition"],
        venue=told["venue"],
        last_event=LastEvent(**{**last, "minute": MatchMinute(**last["minute"])}) if last else None,
        metadata=told["metadata"],
    )
    goals = document["goals"]
    claims = (
        None
        if goals is None
        else tuple(GoalClaim(**{**goal, "minute": MatchMinute(**goal["minute"])}) for goal in goals)
    )
    decisions = tuple((side, minute) for side, minute in document["takes_back"] or ())
    return Report(match, document["at"], document["confidence"], claims, decisions)


def with_priority(record: SourceRecord, priority: Priority | None) -> SourceRecord:
    return record if record.priority is priority else replace(record, priority=priority)
