"""The journal: polls that changed something, ingests, and unreadable parts of answers."""

import hashlib
from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta

from pymongo import UpdateOne
from pymongo.database import Database

from footy_assets.matchday.rules.feed import Unreadable
from footy_assets.matchday.rules.observe import Poll
from footy_assets.store.collections import INGESTS, POLLS, REJECTS, Document

# A part that stays unreadable is recorded again only after this long, not on every poll.
RECORD_AGAIN_AFTER = timedelta(minutes=15)


class Journal:
    def __init__(self, database: Database[Document]) -> None:
        self._polls = database[POLLS]
        self._ingests = database[INGESTS]
        self._rejects = database[REJECTS]

    def record_poll(
        self, poll: Poll, active: int, matchdays: Iterable[date], goals: dict[str, int]
    ) -> None:
        """F10: only polls that changed something are recorded."""
        days = [day.isoformat() for day in matchdays]
        self._polls.insert_one(
            {"_id": poll.id, "at": poll.at, "active": active, "matchdays": days, "goals": goals}
        )

    def poll_count(self) -> int:
        """Recorded polls: those that changed something."""
        return self._polls.count_documents({})

    def record_unreadable(self, unreadable: Sequence[Unreadable], now: datetime) -> None:
        pieces = {_digest(piece): piece for piece in unreadable}
        if not pieces:
            return
        recent = {"_id": {"$in": list(pieces)}, "last_at": {"$gt": now - RECORD_AGAIN_AFTER}}
        for digest in self._rejects.distinct("_id", recent):
            del pieces[digest]
        updates = [
            UpdateOne(
                {"_id": digest},
                {
                    "$setOnInsert": {
                        "subject": piece.subject,
                        "reason": piece.reason,
                        "first_at": now,
                    },
                    "$set": {"last_at": now},
                    "$inc": {"count": 1},
                },
                upsert=True,
            )
            for digest, piece in pieces.items()
        ]
        if updates:
            self._rejects.bulk_write(updates, ordered=False)

    def record_ingest(self, day: date, now: datetime, counts: Document) -> None:
        self._ingests.update_one(
            {"_id": day.isoformat()}, {"$set": {"at": now, **counts}}, upsert=True
        )

    def ingested_at(self, day: date) -> datetime | None:
        document = self._ingests.find_one({"_id": day.isoformat()})
        return document["at"] if document else None

    def last_ingest_at(self) -> datetime | None:
        document = self._ingests.find_one(sort=[("at", -1)])
        return document["at"] if document else None

    def ingested_ids(self, day: date) -> list[int]:
        """The fixtures that the last ingest of a day kept."""
        document = self._ingests.find_one({"_id": day.isoformat()})
        return list(document["kept_ids"]) if document else []

    def delete_before(self, moment: datetime) -> None:
        self._polls.delete_many({"at": {"$lt": moment}})
        self._ingests.delete_many({"at": {"$lt": moment}})
        self._rejects.delete_many({"last_at": {"$lt": moment}})


def _digest(piece: Unreadable) -> str:
    return hashlib.sha256(f"{piece.subject}\0{piece.reason}".encode()).hexdigest()[:24]
