"""Expired fixtures in MongoDB, and their deletion step by step."""

from datetime import datetime, timedelta

from pymongo.database import Database

from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.rules.statuses import FixtureState
from footy_assets.matchday.store.documents import goal_from
from footy_assets.matchday.store.journal import Journal
from footy_assets.store.collections import EVENTS, FIXTURES, LINE_UPS, SQUADS, Document


class RetentionStore:
    def __init__(self, database: Database[Document]) -> None:
        self._fixtures = database[FIXTURES]
        self._events = database[EVENTS]
        self._line_ups = database[LINE_UPS]
        self._squads = database[SQUADS]
        self.journal = Journal(database)

    def expired(self, now: datetime, keep: timedelta) -> int:
        return self._fixtures.count_documents(_expired(now, keep))

    def mark_expired(self, now: datetime, keep: timedelta) -> int:
        return self._fixtures.update_many(
            _expired(now, keep) | {"retiring_at": {"$exists": False}},
            {"$set": {"retiring_at": now}},
        ).modified_count

    def marked_fixture_ids(self, now: datetime, keep: timedelta) -> list[int]:
        query = _expired(now, keep) | {"retiring_at": {"$exists": True}}
        return [d["_id"] for d in self._fixtures.find(query, {"_id": 1}).sort("_id")]

    def delete_fixture(self, fixture_id: int) -> int:
        """The fixture's document is deleted last: until then, its mark makes the next run go on.

        Returns the number of its goals. Other rooms delete what is theirs before."""
        self._line_ups.delete_one({"_id": fixture_id})
        events = self._events.delete_many({"fixture_id": fixture_id}).deleted_count
        self._fixtures.delete_one({"_id": fixture_id, "retiring_at": {"$exists": True}})
        return events

    def delete_squads_before(self, moment: datetime) -> None:
        """Of teams that have not played since."""
        self._squads.delete_many({"asked_at": {"$lt": moment}})

    def removed_goals_with_objects(self) -> list[GoalEvent]:
        return [goal_from(d) for d in self._events.find({"objects_left": True})]

    def is_held_by_live_goal(self, event_id: str) -> bool:
        names = [{"event_id": event_id}, {"formerly.event_id": event_id}]
        return self._events.find_one({"live": True, "$or": names}, {"_id": 1}) is not None

    def mark_objects_deleted(self, key: str, now: datetime) -> None:
        self._events.update_one(
            {"_id": key, "objects_left": True},
            {"$unset": {"objects_left": ""}, "$set": {"objects_cleared_at": now}},
        )


def _expired(now: datetime, keep: timedelta) -> Document:
    return {
        "state": FixtureState.COMPLETED,
        "completed_at": {"$ne": None, "$lte": now - keep},
    }
