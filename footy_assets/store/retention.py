"""What is due to be forgotten, and forgetting it step by step."""

from datetime import datetime, timedelta

from pymongo.database import Database

from footy_assets.matchday.goal import GoalEvent
from footy_assets.store.collections import (
    ACTIVATIONS,
    ATTEMPTS,
    CLIPS,
    EVENTS,
    FIXTURES,
    NOTIFICATIONS,
    REMOVED_CLIPS,
    SNAPSHOTS,
    SOURCE_CONFLICTS,
    SOURCE_MAPPINGS,
    SOURCE_RECORDS,
    SOURCE_REPORTS,
    SOURCE_SNAPSHOTS,
    TRIGGER_ENTITIES,
    TRIGGER_SCOPES,
    TRIGGERS,
    VIDEOS,
    Document,
)
from footy_assets.store.documents import goal_from
from footy_assets.store.journal import Journal
from footy_assets.store.trigger_snapshots import scope_key

TRIGGER_COLLECTIONS = (NOTIFICATIONS, ACTIVATIONS, SNAPSHOTS, TRIGGERS, TRIGGER_ENTITIES)

SOURCE_COLLECTIONS = (SOURCE_RECORDS, SOURCE_REPORTS, SOURCE_MAPPINGS, SOURCE_CONFLICTS)


class RetentionStore:
    def __init__(self, database: Database[Document]) -> None:
        self._fixtures = database[FIXTURES]
        self._events = database[EVENTS]
        self._found = [database[name] for name in (ATTEMPTS, VIDEOS, CLIPS, REMOVED_CLIPS)]
        self._triggers = [database[name] for name in TRIGGER_COLLECTIONS]
        self._scopes = database[TRIGGER_SCOPES]
        self._told = [database[name] for name in SOURCE_COLLECTIONS]
        self._latest = database[SOURCE_SNAPSHOTS]
        self.journal = Journal(database)

    def expired(self, now: datetime, keep: timedelta) -> int:
        return self._fixtures.count_documents(_expired(now, keep))

    def mark_expired(self, now: datetime, keep: timedelta) -> int:
        return self._fixtures.update_many(
            _expired(now, keep) | {"retiring_at": {"$exists": False}},
            {"$set": {"retiring_at": now}},
        ).modified_count

    def marked(self, now: datetime, keep: timedelta) -> list[int]:
        query = _expired(now, keep) | {"retiring_at": {"$exists": True}}
        return [d["_id"] for d in self._fixtures.find(query, {"_id": 1}).sort("_id")]

    def forget(self, fixture_id: int) -> int:
        """The fixture's document goes last: until then the mark brings us back."""
        for collection in self._found:
            collection.delete_many({"fixture_id": fixture_id})
        for collection in self._triggers:
            collection.delete_many({"scope_key": scope_key("game", str(fixture_id))})
        self._scopes.delete_one({"_id": scope_key("game", str(fixture_id))})
        for collection in self._told:
            about = [{"match_id": fixture_id}, {"candidates": str(fixture_id)}]
            collection.delete_many({"$or": about})
        self._latest.delete_one({"_id": fixture_id})
        events = self._events.delete_many({"fixture_id": fixture_id}).deleted_count
        self._fixtures.delete_one({"_id": fixture_id, "retiring_at": {"$exists": True}})
        return events

    def removed_with_objects(self) -> list[GoalEvent]:
        return [goal_from(d) for d in self._events.find({"objects_left": True})]

    def held_by_a_live_goal(self, event_id: str) -> bool:
        names = [{"event_id": event_id}, {"formerly.event_id": event_id}]
        return self._events.find_one({"live": True, "$or": names}, {"_id": 1}) is not None

    def objects_cleared(self, key: str, now: datetime) -> None:
        self._events.update_one(
            {"_id": key, "objects_left": True},
            {"$unset": {"objects_left": ""}, "$set": {"objects_cleared_at": now}},
        )


def _expired(now: datetime, keep: timedelta) -> Document:
    return {
        "state": "completed",
        "completed_at": {"$ne": None, "$lte": now - keep},
    }
