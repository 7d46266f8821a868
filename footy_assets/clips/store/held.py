"""SE8: files that are held ahead of stable, in MongoDB; S3 holds their bytes."""

from datetime import UTC, datetime
from typing import Any

from bson import Binary
from pymongo.database import Database

from footy_assets.clips.rules.held import HeldFile
from footy_assets.media import Fingerprint
from footy_assets.store.collections import HELD_FILES, Document
from footy_assets.store.documents import DocumentConverter
from footy_assets.store.retrying import retry_on_disconnect

# After an outage of our own stores, in real time.
POSTPONE_SECONDS = 30.0
AT_ONCE = datetime(2000, 1, 1, tzinfo=UTC)


@retry_on_disconnect
class HeldFiles:
    def __init__(self, database: Database[Document]) -> None:
        self._held = database[HELD_FILES]

    def put(self, held: HeldFile) -> None:
        """Once its objects are there. The same file held twice is held once."""
        document = {**CONVERTER.document(held), "not_before": AT_ONCE}
        self._held.replace_one({"_id": held.id}, document, upsert=True)

    def of_goal(self, goal_key: str) -> list[HeldFile]:
        found = self._held.find({"goal_key": goal_key}).sort("_id")
        return [CONVERTER.read(document, HeldFile) for document in found]

    def has_any(self, goal_key: str) -> bool:
        return self._held.find_one({"goal_key": goal_key}, {"_id": 1}) is not None

    def goals(self) -> list[str]:
        """Keys of goals with held files that are not postponed."""
        query = {"$expr": {"$lte": ["$not_before", "$$NOW"]}}
        return sorted({found["goal_key"] for found in self._held.find(query, {"goal_key": 1})})

    def postpone(self, goal_key: str) -> None:
        later = {"$add": ["$$NOW", round(POSTPONE_SECONDS * 1000)]}
        self._held.update_many({"goal_key": goal_key}, [{"$set": {"not_before": later}}])

    def delete(self, held: HeldFile) -> None:
        """After its objects."""
        self._held.delete_one({"_id": held.id})


def _fingerprint_bytes(fingerprint: Any) -> Any:
    return None if fingerprint is None else Binary(fingerprint.to_bytes())


def _fingerprint_from(stored: Any) -> Fingerprint | None:
    return None if stored is None else Fingerprint.from_bytes(bytes(stored))


def _converter() -> DocumentConverter:
    made = DocumentConverter()
    made.store_as(Fingerprint | None, _fingerprint_bytes, _fingerprint_from)
    made.rename(HeldFile, id="_id")
    return made


CONVERTER = _converter()
