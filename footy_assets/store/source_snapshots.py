"""R3: the latest reconciled state of each match with its history, and what providers differ on."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from pymongo import UpdateOne
from pymongo.database import Database

from footy_assets.sources.reconcile import CLOCK, Conflict, Provenance
from footy_assets.sources.scoreline import Scoreline
from footy_assets.sources.snapshots import HISTORY, Snapshot
from footy_assets.store.collections import SOURCE_CONFLICTS, SOURCE_SNAPSHOTS, Document
from footy_assets.store.conditional import write_where_true
from footy_assets.store.retrying import tried_again


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept of a match: its newest snapshot, and how its score stands with doubts."""

    snapshot: Snapshot | None = None
    lines: Mapping[str, Scoreline] = field(default_factory=dict)


@tried_again
class SourceSnapshots:
    def __init__(self, database: Database[Document]) -> None:
        self._snapshots = database[SOURCE_SNAPSHOTS]
        self._conflicts = database[SOURCE_CONFLICTS]

    def latest(self, match_ids: Collection[int]) -> dict[int, Kept]:
        found = self._snapshots.find({"_id": {"$in": list(match_ids)}}, {"history": 0})
        return {document["_id"]: _kept(document) for document in found}

    def history(self, match_id: int) -> list[Snapshot]:
        """The last five, newest first."""
        document = self._snapshots.find_one({"_id": match_id})
        if document is None:
            return []
        return [_snapshot(match_id, one) for one in reversed(document["history"])]

    def save(self, changes: Iterable[tuple[int, Kept, Kept]]) -> int:
        """R3: the next number only if ours was the last one; how many were written."""
        writes = []
        for match_id, before, after in changes:
            if before == after:
                continue
            last = before.snapshot.sequence if before.snapshot else None
            sets: Document = {"lines": {side: _line(line) for side, line in after.lines.items()}}
            update: Document = {"$set": sets}
            if after.snapshot is not None and after.snapshot != before.snapshot:
                shown = _document(after.snapshot)
                sets |= shown
                update["$push"] = {"history": {"$each": [shown], "$slice": -HISTORY}}
            writes.append(
                UpdateOne({"_id": match_id, "sequence": last}, update, upsert=last is None)
            )
        return write_where_true(self._snapshots, writes)

    def note_conflicts(
        self, conflicts: Iterable[tuple[int, Conflict]], now: datetime, poll_id: str
    ) -> None:
        """One entry for each difference, however long it lasts."""
        writes = []
        for match_id, conflict in conflicts:
            # Clocks that are apart run on: it is one difference, whatever the minute.
            values = "" if conflict.field == CLOCK else f"{conflict.kept}:{conflict.other}"
            key = f"{match_id}:{conflict.field}:{conflict.kept_source}:{conflict.other_source}"
            entry = {
                "match_id": match_id,
                "field": conflict.field,
                "kept": conflict.kept,
                "kept_source": conflict.kept_source,
                "other": conflict.other,
                "other_source": conflict.other_source,
                "first_at": now,
            }
            writes.append(
                UpdateOne(
                    {"_id": f"{key}:{values}"},
                    {
                        "$setOnInsert": entry,
                        "$set": {"last_at": now, "poll_id": poll_id},
                        "$inc": {"polls": 1},
                    },
                    upsert=True,
                )
            )
        if writes:
            self._conflicts.bulk_write(writes, ordered=False)

    def conflicts(self, limit: int = 100) -> list[Document]:
        return list(self._conflicts.find({}, {"_id": 0}).sort("last_at", -1).limit(limit))


def _document(snapshot: Snapshot) -> Document:
    """Fields as a list: their names have dots, which MongoDB takes for paths."""
    return {
        "sequence": snapshot.sequence,
        "checksum": snapshot.checksum,
        "at": snapshot.at,
        "fields": [
            {
                "name": name,
                "value": value,
                "source": snapshot.provenance[name].source,
                "confidence": snapshot.provenance[name].confidence,
                "timestamp": snapshot.provenance[name].timestamp,
            }
            for name, value in snapshot.fields.items()
        ],
    }


def _snapshot(match_id: int, document: Document) -> Snapshot:
    fields = document["fields"]
    return Snapshot(
        match_id,
        document["sequence"],
        document["checksum"],
        {one["name"]: one["value"] for one in fields},
        {
            one["name"]: Provenance(one["source"], one["confidence"], one["timestamp"])
            for one in fields
        },
        document["at"],
    )


def _kept(document: Document) -> Kept:
    lines = {
        side: Scoreline(
            line["goals"], line["doubt"], tuple(line["polls"]), tuple(line.get("decisions", ()))
        )
        for side, line in document["lines"].items()
    }
    snapshot = _snapshot(document["_id"], document) if "sequence" in document else None
    return Kept(snapshot, lines)


def _line(line: Scoreline) -> Document:
    return {
        "goals": line.goals,
        "doubt": line.doubt,
        "polls": list(line.polls),
        "decisions": list(line.decisions),
    }
