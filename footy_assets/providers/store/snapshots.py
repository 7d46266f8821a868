"""R3: the reconciled snapshots of each match, and the conflicts between providers."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from pymongo import UpdateOne
from pymongo.database import Database

from footy_assets.providers.rules.reconcile import CLOCK, Conflict, FieldProvenance
from footy_assets.providers.rules.scoreline import Scoreline
from footy_assets.providers.rules.snapshots import HISTORY, MergedSnapshot
from footy_assets.store.collections import MERGED_SNAPSHOTS, PROVIDER_CONFLICTS, Document
from footy_assets.store.conditional import write_conditionally
from footy_assets.store.documents import DocumentConverter
from footy_assets.store.retrying import retry_on_disconnect

CONVERTER = DocumentConverter()
CONVERTER.rename(FieldProvenance, provider="source")


@dataclass(frozen=True, slots=True)
class MatchState:
    """The latest snapshot of a match, and its guarded score."""

    snapshot: MergedSnapshot | None = None
    lines: Mapping[str, Scoreline] = field(default_factory=dict)


@retry_on_disconnect
class MergedSnapshots:
    def __init__(self, database: Database[Document]) -> None:
        self._snapshots = database[MERGED_SNAPSHOTS]
        self._conflicts = database[PROVIDER_CONFLICTS]

    def latest(self, match_ids: Collection[int]) -> dict[int, MatchState]:
        found = self._snapshots.find({"_id": {"$in": list(match_ids)}}, {"history": 0})
        return {document["_id"]: _match_state(document) for document in found}

    def history(self, match_id: int) -> list[MergedSnapshot]:
        """The last five, newest first."""
        document = self._snapshots.find_one({"_id": match_id})
        if document is None:
            return []
        return [_snapshot(match_id, one) for one in reversed(document["history"])]

    def save(self, changes: Iterable[tuple[int, MatchState, MatchState]]) -> int:
        """R3: writes the next number unless another process did; returns how many were written."""
        writes = []
        for match_id, before, after in changes:
            if before == after:
                continue
            last = before.snapshot.sequence if before.snapshot else None
            sets: Document = {"lines": CONVERTER.document(after.lines)}
            update: Document = {"$set": sets}
            if after.snapshot is not None and after.snapshot != before.snapshot:
                document = _document(after.snapshot)
                sets |= document
                update["$push"] = {"history": {"$each": [document], "$slice": -HISTORY}}
            writes.append(
                UpdateOne({"_id": match_id, "sequence": last}, update, upsert=last is None)
            )
        return write_conditionally(self._snapshots, writes)

    def record_conflicts(
        self, conflicts: Iterable[tuple[int, Conflict]], now: datetime, poll_id: str
    ) -> None:
        """One entry for each conflict, however long it lasts."""
        writes = []
        for match_id, conflict in conflicts:
            # Clocks move on: a difference is one conflict, whatever the minute.
            values = "" if conflict.field == CLOCK else f"{conflict.kept}:{conflict.other}"
            key = f"{match_id}:{conflict.field}:{conflict.kept_provider}:{conflict.other_provider}"
            entry = {
                "match_id": match_id,
                "field": conflict.field,
                "kept": conflict.kept,
                "kept_source": conflict.kept_provider,
                "other": conflict.other,
                "other_source": conflict.other_provider,
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


def _document(snapshot: MergedSnapshot) -> Document:
    """Fields as a list: their names contain dots, which MongoDB reads as paths."""
    return {
        "sequence": snapshot.sequence,
        "checksum": snapshot.checksum,
        "at": snapshot.at,
        "fields": [
            {"name": name, "value": value, **CONVERTER.document(snapshot.provenance[name])}
            for name, value in snapshot.fields.items()
        ],
    }


def _snapshot(match_id: int, document: Document) -> MergedSnapshot:
    fields = document["fields"]
    return MergedSnapshot(
        match_id,
        document["sequence"],
        document["checksum"],
        {one["name"]: one["value"] for one in fields},
        {one["name"]: CONVERTER.read(one, FieldProvenance) for one in fields},
        document["at"],
    )


def _match_state(document: Document) -> MatchState:
    lines = {side: CONVERTER.read(line, Scoreline) for side, line in document["lines"].items()}
    snapshot = _snapshot(document["_id"], document) if "sequence" in document else None
    return MatchState(snapshot, lines)
