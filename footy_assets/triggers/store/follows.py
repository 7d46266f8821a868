"""T18: who and what is followed, in MongoDB."""

from collections.abc import Collection
from datetime import datetime

from pymongo import ReturnDocument
from pymongo.database import Database

from footy_assets.errors import NotFound
from footy_assets.store.collections import FOLLOWS, TRIGGERS, Document
from footy_assets.triggers.rules.follow import ENTITY, Follow


class FollowStore:
    def __init__(self, database: Database[Document]) -> None:
        self._follows = database[FOLLOWS]
        self._triggers = database[TRIGGERS]

    def all(self) -> list[Follow]:
        found = self._follows.find({"deleted_at": {"$exists": False}})
        return [follow_from(one) for one in found.sort([("created_at", 1), ("_id", 1)])]

    def get(self, id: str) -> Follow:
        found = self._follows.find_one({"_id": id, "deleted_at": {"$exists": False}})
        if found is None:
            raise NotFound(f"no follow is called {id:.80}", "`footy follow list` lists them")
        return follow_from(found)

    def save(self, follow: Follow) -> Follow:
        """The same id again sets its name and cap anew; a removed one is followed again."""
        found = self._follows.find_one_and_update(
            {"_id": follow.id},
            {
                "$set": {
                    "kind": follow.kind,
                    "target_id": follow.target_id,
                    "name": follow.name,
                    "cap": follow.cap,
                },
                "$setOnInsert": {"created_at": follow.created_at},
                "$unset": {"deleted_at": ""},
            },
            upsert=True,
            return_document=ReturnDocument.AFTER,
        )
        assert found is not None
        return follow_from(found)

    def remove(self, id: str, now: datetime) -> None:
        self._follows.update_one(
            {"_id": id, "deleted_at": {"$exists": False}}, {"$set": {"deleted_at": now}}
        )

    def trigger_ids(self, follow_ids: Collection[str]) -> set[str]:
        """Every trigger that these follows ever had: one that a user deleted stays deleted."""
        query = {"entity": ENTITY, "entity_id": {"$in": list(follow_ids)}}
        return {one["_id"] for one in self._triggers.find(query, {"_id": 1})}


def follow_from(document: Document) -> Follow:
    return Follow(
        id=document["_id"],
        kind=document["kind"],
        target_id=document["target_id"],
        name=document["name"],
        created_at=document["created_at"],
        cap=document.get("cap"),
    )
