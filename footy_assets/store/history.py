"""Past seasons in MongoDB: a record for each, and a document for each request with its rows.

Rows, state and flag of a document change in one conditional update: a process killed anywhere
leaves a document that was processed or one that was not.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime

from bson.errors import BSONError
from pymongo import UpdateOne
from pymongo.database import Database
from pymongo.errors import DocumentTooLarge

from footy_assets.errors import ProviderAnswerInvalid
from footy_assets.history.content import SeasonContent
from footy_assets.history.documents import DocumentState, Row, SourcedDocument, Wanted
from footy_assets.history.key import LAST_LEAGUE, LeagueSeason
from footy_assets.history.saga import Saga
from footy_assets.history.tiers import TIERS, SagaState, Tier
from footy_assets.store.collections import HISTORY, HISTORY_DOCUMENTS, Document
from footy_assets.store.history_documents import (
    SeasonRecord,
    document_id,
    saga_document,
    season_record,
    sourced,
    tally_document,
    wanted_document,
)
from footy_assets.store.retrying import tried_again

# Times only: whatever is not due by itself has none.
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
LIGHT = {"rows": 0}
KEPT = {"$ne": DocumentState.LEFT_OUT}
# Leagues were not bounded once: a record of one that cannot be holds up no other.
READABLE: Document = {"league": {"$lte": LAST_LEAGUE}}
# Numbers of more than eight bytes, broken characters, more than a document holds.
UNSTORABLE = (OverflowError, UnicodeEncodeError, BSONError, DocumentTooLarge)


@tried_again
class HistoryStore:
    def __init__(self, database: Database[Document]) -> None:
        self.database = database
        self._seasons = database[HISTORY]
        self._documents = database[HISTORY_DOCUMENTS]

    # -- seasons --------------------------------------------------------------------------

    def add_season(self, saga: Saga, now: datetime, by: str) -> bool:
        """Y7: False if it is there already."""
        record = {
            **saga_document(saga),
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
        return season_record(found) if found else None

    def seasons(self) -> list[SeasonRecord]:
        found = self._seasons.find(READABLE).sort([("league", 1), ("season", 1)])
        return [season_record(document) for document in found]

    def unfinished(self) -> list[SeasonRecord]:
        query = {**READABLE, "state": {"$ne": SagaState.COMPLETED}}
        return [season_record(d) for d in self._seasons.find(query).sort("started_at", 1)]

    def unsettled(self) -> list[SeasonRecord]:
        """Those that are not completed, or have documents to fetch or tables to write since."""
        to_fetch = self._documents.distinct("key", {"due_at": {"$gt": LONG_AGO}})
        signs: list[Document] = [
            {"state": {"$ne": SagaState.COMPLETED}},
            {"_id": {"$in": to_fetch}},
            {"$expr": {"$ne": ["$exported", "$reckoned"]}},
        ]
        query = {**READABLE, "$or": signs}
        return [season_record(d) for d in self._seasons.find(query).sort("started_at", 1)]

    def save(self, before: SeasonRecord, after: SeasonRecord) -> bool:
        """False if somebody else wrote the record since it was read."""
        told = {
            **saga_document(after.saga),
            "tallies": {str(tier): tally_document(one) for tier, one in after.tallies.items()},
            "reckoned": after.reckoned,
        }
        written = self._seasons.update_one(
            {"_id": str(before.key), "revision": before.revision},
            {"$set": told, "$inc": {"revision": 1}},
        )
        return written.matched_count == 1

    def exported(self, record: SeasonRecord) -> None:
        """Y12: the tables hold all that this record accounts for."""
        self._seasons.update_one({"_id": str(record.key)}, {"$set": {"exported": record.reckoned}})

    def wait_until(self, key: LeagueSeason, when: datetime, because: str | None = None) -> None:
        told = {"resume_at": when, "resume_because": because}
        self._seasons.update_one({"_id": str(key)}, {"$set": told})

    def forget(self, key: LeagueSeason) -> int:
        """The documents first: killed in between, it is asked for again."""
        gone = self._documents.delete_many({"key": str(key)}).deleted_count
        self._seasons.delete_one({"_id": str(key)})
        return gone

    def ask_backfill(self, key: LeagueSeason, asked: Document) -> None:
        """One at a time: whoever asks again asks anew."""
        self._seasons.update_one({"_id": str(key)}, {"$set": {"backfill": asked}})

    def backfill_launched(self, key: LeagueSeason, asked_id: str, backfill_id: str) -> None:
        self._seasons.update_one(
            {"_id": str(key), "backfill.id": asked_id},
            {"$set": {"backfill.launched": backfill_id}},
        )

    def backfills_asked(self) -> list[SeasonRecord]:
        query = {**READABLE, "backfill.id": {"$exists": True}, "backfill.launched": None}
        return [season_record(document) for document in self._seasons.find(query).sort("_id", 1)]

    # -- documents ------------------------------------------------------------------------

    def documents(self, key: LeagueSeason) -> list[SourcedDocument]:
        """All of a season in their order, without their rows."""
        found = self._documents.find({"key": str(key)}, LIGHT)
        return [sourced(d) for d in found.sort([("tier_order", 1), ("order", 1)])]

    def add(self, key: LeagueSeason, wanted: Iterable[Wanted], now: datetime) -> None:
        """What is there already is not touched (Y10)."""
        operations = [
            UpdateOne(
                {"_id": document_id(key, one)},
                {"$setOnInsert": wanted_document(key, one, now)},
                upsert=True,
            )
            for one in wanted
        ]
        if operations:
            self._documents.bulk_write(operations, ordered=False)

    def flag(self, key: LeagueSeason, tier: Tier, hashes: Collection[str]) -> None:
        """Y2: these of a tier tell when they are done, and no others."""
        of_tier = {"key": str(key), "tier": str(tier)}
        for notify, where in ((True, {"$in": list(hashes)}), (False, {"$nin": list(hashes)})):
            self._documents.update_many(
                {**of_tier, "url_hash": where, "notify": not notify}, {"$set": {"notify": notify}}
            )

    def due(
        self, key: LeagueSeason, now: datetime, tiers: Collection[Tier], limit: int
    ) -> list[SourcedDocument]:
        query = _to_do(key, tiers) | {"due_at": {"$lte": now}}
        found = self._documents.find(query, LIGHT).sort([("tier_order", 1), ("order", 1)])
        return [sourced(document) for document in found.limit(limit)]

    def next_due(self, key: LeagueSeason, tiers: Collection[Tier] = TIERS) -> datetime | None:
        first = self._documents.find_one(_to_do(key, tiers), {"due_at": 1}, sort=[("due_at", 1)])
        return first["due_at"] if first else None

    def processed(
        self,
        key: LeagueSeason,
        document: SourcedDocument,
        rows: Sequence[Row],
        content_hash: str,
        pages: int,
        now: datetime,
    ) -> str | None:
        """`new`, `updated` or `unchanged`; None if somebody else was faster. The flag stays.

        Raises `ProviderAnswerInvalid` where an answer has what no database holds.
        """
        outcome = "new" if document.content_hash is None else "updated"
        if document.content_hash == content_hash:
            outcome = "unchanged"
        # Also of the same answer: it may be read differently by now, and has pages beside it.
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

    def failed(
        self, key: LeagueSeason, document: SourcedDocument, reason: str, due_at: datetime | None
    ) -> bool:
        """Y6: to be tried again at a time, or parked."""
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

    def try_again(self, key: LeagueSeason, now: datetime) -> int:
        """Y6: whatever failed is due now, with all its tries."""
        failed = [DocumentState.FAILED, DocumentState.PARKED]
        return self._make_due({"key": str(key), "state": {"$in": failed}}, now)

    def refresh(self, key: LeagueSeason, now: datetime) -> int:
        """Y10: everything is fetched again; what has not changed stays as it is."""
        return self._make_due({"key": str(key), "state": KEPT}, now)

    def leave_out(self, key: LeagueSeason, documents: Iterable[SourcedDocument]) -> None:
        told = {"state": DocumentState.LEFT_OUT, "failures": 0, "due_at": None, "reason": None}
        self._documents.update_many(
            {"_id": {"$in": [document_id(key, one.wanted) for one in documents]}, "state": KEPT},
            {"$set": told, "$inc": {"revision": 1}},
        )

    def plan_again(
        self, key: LeagueSeason, documents: Iterable[SourcedDocument], now: datetime
    ) -> None:
        ids = [document_id(key, one.wanted) for one in documents]
        self._make_due({"_id": {"$in": ids}, "state": DocumentState.LEFT_OUT}, now)

    def _make_due(self, query: Document, now: datetime) -> int:
        due = {"state": DocumentState.WAITING, "failures": 0, "due_at": now, "reason": None}
        update = {"$set": due, "$inc": {"revision": 1}}
        return self._documents.update_many(query, update).modified_count

    def _write(self, key: LeagueSeason, document: SourcedDocument, told: Document) -> bool:
        written = self._documents.update_one(
            {"_id": document_id(key, document.wanted), "revision": document.revision},
            {"$set": told, "$inc": {"revision": 1}},
        )
        return written.matched_count == 1

    # -- rows -----------------------------------------------------------------------------

    def rows(self, key: LeagueSeason, path: str) -> list[Row]:
        """Of every document of an endpoint that was ever processed, and is not left out."""
        query = {"key": str(key), "path": path, "state": KEPT}
        found = self._documents.find(query, {"rows": 1})
        return [row for document in found.sort("order", 1) for row in document.get("rows") or ()]

    def listed_teams(self, key: LeagueSeason) -> list[Row] | None:
        """None until the list was read."""
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
            other_seasons=self._players_elsewhere(key),
        )

    def _players_elsewhere(self, key: LeagueSeason) -> list[Row]:
        others = self._seasons.distinct(
            "_id", {"league": key.league, "season": {"$ne": key.season}}
        )
        query = {"key": {"$in": others}, "path": "/players", "state": KEPT}
        found = self._documents.find(query, {"rows": 1})
        return [row for document in found for row in document["rows"]]


def _to_do(key: LeagueSeason, tiers: Collection[Tier]) -> Document:
    return {
        "key": str(key),
        "state": {"$in": [DocumentState.WAITING, DocumentState.FAILED]},
        "tier": {"$in": [str(tier) for tier in tiers]},
    }
