"""Past seasons in MongoDB: a record for each, and a document with its rows for each request.

Rows, state and flag of a document change in one conditional update: after a kill a document is
either processed or not.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime

from bson.errors import BSONError
from pymongo import UpdateOne
from pymongo.database import Database
from pymongo.errors import DocumentTooLarge

from footy_assets.errors import ProviderAnswerInvalid
from footy_assets.history.rules.content import SeasonContent
from footy_assets.history.rules.documents import (
    DocumentOutcome,
    DocumentRequest,
    DocumentState,
    Row,
    SourcedDocument,
)
from footy_assets.history.rules.key import LAST_LEAGUE, LeagueSeason
from footy_assets.history.rules.saga import Saga
from footy_assets.history.rules.tiers import TIERS, SagaState, Tier
from footy_assets.history.store.documents import (
    SeasonRecord,
    document_id,
    request_to_document,
    saga_to_document,
    tally_to_document,
    to_season_record,
    to_sourced_document,
)
from footy_assets.store.collections import HISTORY, HISTORY_DOCUMENTS, Document
from footy_assets.store.retrying import retry_on_disconnect

# Earlier than any due time; a document that is not due by itself has none.
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
WITHOUT_ROWS = {"rows": 0}
KEPT = {"$ne": DocumentState.LEFT_OUT}
# Early versions stored league ids without a bound; such records are skipped.
READABLE: Document = {"league": {"$lte": LAST_LEAGUE}}
# Numbers of more than eight bytes, broken characters, more than a document holds.
UNSTORABLE = (OverflowError, UnicodeEncodeError, BSONError, DocumentTooLarge)


@retry_on_disconnect
class HistoryStore:
    def __init__(self, database: Database[Document]) -> None:
        self.database = database
        self._seasons = database[HISTORY]
        self._documents = database[HISTORY_DOCUMENTS]

    # -- seasons --------------------------------------------------------------------------

    def add_season(self, saga: Saga, now: datetime, by: str) -> bool:
        """Y7: False if it exists already."""
        record = {
            **saga_to_document(saga),
            "league": saga.key.league,
            "season": saga.key.season,
            "started_at": now,
            "started_by": by,
            "tallies": {},
            "revision": 0,
        }
        made = self._seasons.update_one(
            {"_id": str(saga.key)}, {"$setOnInsert": record}, upsert=True
        )
        return made.upserted_id is not None

    def season(self, key: LeagueSeason) -> SeasonRecord | None:
        found = self._seasons.find_one({"_id": str(key)})
        return to_season_record(found) if found else None

    def seasons(self) -> list[SeasonRecord]:
        found = self._seasons.find(READABLE).sort([("league", 1), ("season", 1)])
        return [to_season_record(document) for document in found]

    def unfinished(self) -> list[SeasonRecord]:
        query = {**READABLE, "state": {"$ne": SagaState.COMPLETED}}
        return [to_season_record(d) for d in self._seasons.find(query).sort("started_at", 1)]

    def unsettled(self) -> list[SeasonRecord]:
        """Seasons that are not completed, or have documents to fetch or tables to write."""
        to_fetch = self._documents.distinct("key", {"due_at": {"$gt": LONG_AGO}})
        conditions: list[Document] = [
            {"state": {"$ne": SagaState.COMPLETED}},
            {"_id": {"$in": to_fetch}},
            {"$expr": {"$ne": ["$exported", "$reckoned"]}},
        ]
        query = {**READABLE, "$or": conditions}
        return [to_season_record(d) for d in self._seasons.find(query).sort("started_at", 1)]

    def save(self, before: SeasonRecord, after: SeasonRecord) -> bool:
        """False if another process wrote the record since it was read."""
        changes = {
            **saga_to_document(after.saga),
            "tallies": {str(tier): tally_to_document(one) for tier, one in after.tallies.items()},
            "reckoned": after.counted_writes,
        }
        written = self._seasons.update_one(
            {"_id": str(before.key), "revision": before.revision},
            {"$set": changes, "$inc": {"revision": 1}},
        )
        return written.matched_count == 1

    def mark_exported(self, record: SeasonRecord) -> None:
        """Y12: the tables include every write that this record includes."""
        self._seasons.update_one(
            {"_id": str(record.key)}, {"$set": {"exported": record.counted_writes}}
        )

    def wait_until(self, key: LeagueSeason, when: datetime, because: str | None = None) -> None:
        changes = {"resume_at": when, "resume_because": because}
        self._seasons.update_one({"_id": str(key)}, {"$set": changes})

    def forget(self, key: LeagueSeason) -> int:
        """Deletes documents first: after a kill in between, forgetting can be repeated."""
        gone = self._documents.delete_many({"key": str(key)}).deleted_count
        self._seasons.delete_one({"_id": str(key)})
        return gone

    def request_backfill(self, key: LeagueSeason, request: Document) -> None:
        """One request at a time: a second one replaces the first."""
        self._seasons.update_one({"_id": str(key)}, {"$set": {"backfill": request}})

    def mark_backfill_launched(self, key: LeagueSeason, request_id: str, backfill_id: str) -> None:
        self._seasons.update_one(
            {"_id": str(key), "backfill.id": request_id},
            {"$set": {"backfill.launched": backfill_id}},
        )

    def requested_backfills(self) -> list[SeasonRecord]:
        query = {**READABLE, "backfill.id": {"$exists": True}, "backfill.launched": None}
        return [to_season_record(document) for document in self._seasons.find(query).sort("_id", 1)]

    # -- documents ------------------------------------------------------------------------

    def documents(self, key: LeagueSeason) -> list[SourcedDocument]:
        """All documents of a season in order, without rows."""
        found = self._documents.find({"key": str(key)}, WITHOUT_ROWS)
        return [to_sourced_document(d) for d in found.sort([("tier_order", 1), ("order", 1)])]

    def write_count(self, key: LeagueSeason) -> int:
        """`rules.documents.write_count`, summed by the database: no document is sent."""
        stages: list[Document] = [
            {"$match": {"key": str(key)}},
            {"$group": {"_id": None, "writes": {"$sum": {"$add": [1, "$revision"]}}}},
        ]
        return next((int(found["writes"]) for found in self._documents.aggregate(stages)), 0)

    def add(self, key: LeagueSeason, requests: Iterable[DocumentRequest], now: datetime) -> None:
        """Existing documents stay unchanged (Y10)."""
        operations = [
            UpdateOne(
                {"_id": document_id(key, one)},
                {"$setOnInsert": request_to_document(key, one, now)},
                upsert=True,
            )
            for one in requests
        ]
        if operations:
            self._documents.bulk_write(operations, ordered=False)

    def flag(self, key: LeagueSeason, tier: Tier, hashes: Collection[str]) -> None:
        """Y2: exactly these documents of a tier signal when they are processed."""
        of_tier = {"key": str(key), "tier": str(tier)}
        for notify, where in ((True, {"$in": list(hashes)}), (False, {"$nin": list(hashes)})):
            self._documents.update_many(
                {**of_tier, "url_hash": where, "notify": not notify}, {"$set": {"notify": notify}}
            )

    def due(
        self, key: LeagueSeason, now: datetime, tiers: Collection[Tier], limit: int
    ) -> list[SourcedDocument]:
        query = _unprocessed(key, tiers) | {"due_at": {"$lte": now}}
        found = self._documents.find(query, WITHOUT_ROWS).sort([("tier_order", 1), ("order", 1)])
        return [to_sourced_document(document) for document in found.limit(limit)]

    def next_due(self, key: LeagueSeason, tiers: Collection[Tier] = TIERS) -> datetime | None:
        first = self._documents.find_one(
            _unprocessed(key, tiers), {"due_at": 1}, sort=[("due_at", 1)]
        )
        return first["due_at"] if first else None

    def mark_processed(
        self,
        key: LeagueSeason,
        document: SourcedDocument,
        rows: Sequence[Row],
        content_hash: str,
        pages: int,
        now: datetime,
    ) -> DocumentOutcome | None:
        """None if another process wrote it first. The flag stays.

        Raises `ProviderAnswerInvalid` if the rows cannot be stored.
        """
        known = document.content_hash
        outcome = DocumentOutcome.NEW if known is None else DocumentOutcome.UPDATED
        if known == content_hash:
            outcome = DocumentOutcome.UNCHANGED
        # Written even if unchanged: the parser may have changed, and so may the number of pages.
        done: Document = {
            "rows": list(rows),
            "content_hash": content_hash,
            "pages": pages,
            "state": DocumentState.PROCESSED,
            "completed_utc": now,
            "outcome": outcome,
            "reason": None,
            "due_at": None,
        }
        try:
            return outcome if self._write(key, document, done) else None
        except UNSTORABLE as error:
            raise ProviderAnswerInvalid(f"it cannot be stored: {error}") from error

    def mark_failed(
        self, key: LeagueSeason, document: SourcedDocument, reason: str, due_at: datetime | None
    ) -> bool:
        """Y6: retried at `due_at`, or parked."""
        return self._write(
            key,
            document,
            {
                "state": DocumentState.PARKED if due_at is None else DocumentState.FAILED,
                "failures": document.failures + 1,
                "reason": reason,
                "due_at": due_at,
            },
        )

    def retry_failed(self, key: LeagueSeason, now: datetime) -> int:
        """Y6: makes failed and parked documents due now, with all their tries."""
        failed = [DocumentState.FAILED, DocumentState.PARKED]
        return self._make_due({"key": str(key), "state": {"$in": failed}}, now)

    def refresh(self, key: LeagueSeason, now: datetime) -> int:
        """Y10: makes every document due now; unchanged ones keep their content."""
        return self._make_due({"key": str(key), "state": KEPT}, now)

    def leave_out(self, key: LeagueSeason, documents: Iterable[SourcedDocument]) -> None:
        changes = {"state": DocumentState.LEFT_OUT, "failures": 0, "due_at": None, "reason": None}
        self._documents.update_many(
            {"_id": {"$in": [document_id(key, one.request) for one in documents]}, "state": KEPT},
            {"$set": changes, "$inc": {"revision": 1}},
        )

    def restore(
        self, key: LeagueSeason, documents: Iterable[SourcedDocument], now: datetime
    ) -> None:
        ids = [document_id(key, one.request) for one in documents]
        self._make_due({"_id": {"$in": ids}, "state": DocumentState.LEFT_OUT}, now)

    def _make_due(self, query: Document, now: datetime) -> int:
        due = {"state": DocumentState.WAITING, "failures": 0, "due_at": now, "reason": None}
        update = {"$set": due, "$inc": {"revision": 1}}
        return self._documents.update_many(query, update).modified_count

    def _write(self, key: LeagueSeason, document: SourcedDocument, changes: Document) -> bool:
        written = self._documents.update_one(
            {"_id": document_id(key, document.request), "revision": document.revision},
            {"$set": changes, "$inc": {"revision": 1}},
        )
        return written.matched_count == 1

    # -- rows -----------------------------------------------------------------------------

    def rows(self, key: LeagueSeason, path: str) -> list[Row]:
        """The rows of all processed documents of an endpoint that are not left out."""
        query = {"key": str(key), "path": path, "state": KEPT}
        found = self._documents.find(query, {"rows": 1})
        return [row for document in found.sort("order", 1) for row in document.get("rows") or ()]

    def listed_teams(self, key: LeagueSeason) -> list[Row] | None:
        """None until the list of teams is processed."""
        query = {"key": str(key), "path": "/teams", "content_hash": {"$ne": None}}
        found = self._documents.find_one(query, {"rows": 1})
        return list(found["rows"]) if found else None

    def content(self, key: LeagueSeason) -> SeasonContent:
        return SeasonContent(
            seasons=self.rows(key, "/leagues"),
            fixtures=self.rows(key, "/fixtures"),
            teams=self.rows(key, "/teams"),
            team_seasons=self.rows(key, "/teams/statistics"),
            player_seasons=self.rows(key, "/players"),
            transfers=self.rows(key, "/transfers"),
            other_seasons=self._players_of_other_seasons(key),
        )

    def _players_of_other_seasons(self, key: LeagueSeason) -> list[Row]:
        others = self._seasons.distinct(
            "_id", {"league": key.league, "season": {"$ne": key.season}}
        )
        query = {"key": {"$in": others}, "path": "/players", "state": KEPT}
        found = self._documents.find(query, {"rows": 1})
        return [row for document in found for row in document["rows"]]


def _unprocessed(key: LeagueSeason, tiers: Collection[Tier]) -> Document:
    return {
        "key": str(key),
        "state": {"$in": [DocumentState.WAITING, DocumentState.FAILED]},
        "tier": {"$in": [str(tier) for tier in tiers]},
    }
