"""L2: who leads each match, where that was ever another than the lead."""

from collections.abc import Collection, Mapping

from pymongo import UpdateOne
from pymongo.database import Database

from footy_assets.providers.rules.leadership import NEVER_CHANGED, Leadership
from footy_assets.store.collections import MATCH_LEADS, Document
from footy_assets.store.conditional import write_conditionally
from footy_assets.store.documents import DocumentConverter
from footy_assets.store.retrying import retry_on_disconnect

CONVERTER = DocumentConverter()


@retry_on_disconnect
class Leaderships:
    def __init__(self, database: Database[Document]) -> None:
        self._leads = database[MATCH_LEADS]

    def of(self, match_ids: Collection[int]) -> dict[int, Leadership]:
        found = self._leads.find({"_id": {"$in": list(match_ids)}})
        return {one["_id"]: CONVERTER.read(one, Leadership) for one in found}

    def acting(self) -> dict[int, str]:
        """The matches that another provider leads now, with that provider."""
        return {one["_id"]: one["acting"] for one in self._leads.find({"leads": True})}

    def save(self, changes: Mapping[int, tuple[Leadership, Leadership]]) -> int:
        """From what was read to what follows, unless another process was faster."""
        writes = []
        for match_id, (before, after) in changes.items():
            if before == after:
                continue
            where = {"_id": match_id, **CONVERTER.document(before)}
            new = {**CONVERTER.document(after), "match_id": match_id}
            writes.append(UpdateOne(where, {"$set": new}, upsert=before == NEVER_CHANGED))
        return write_conditionally(self._leads, writes)
