"""Single goals in MongoDB, by key or by a current or former event id."""

from pymongo.database import Database

from footy_assets.errors import NotFound
from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.store.documents import fixture_from, goal_from
from footy_assets.store.collections import EVENTS, FIXTURES, Document


class GoalStore:
    def __init__(self, database: Database[Document]) -> None:
        self._events = database[EVENTS]
        self._fixtures = database[FIXTURES]

    def get(self, key: str) -> GoalEvent | None:
        found = self._events.find_one({"_id": key})
        return goal_from(found) if found else None

    def find_by_event_id(self, event_id: str) -> GoalEvent | None:
        """The goal that has this event id now, else the one that had it last."""
        found = self._events.find_one({"event_id": event_id, "live": True}) or (
            self._events.find_one(
                {"$or": [{"event_id": event_id}, {"formerly.event_id": event_id}]},
                sort=[("live", -1), ("first_seen_at", -1)],
            )
        )
        return goal_from(found) if found else None

    def require(self, event_id: str) -> GoalEvent:
        goal = self.find_by_event_id(event_id)
        if goal is None:
            raise NotFound(f"goal {event_id} is not known", "`footy events` lists the known ones")
        return goal

    def preferred_keys(self) -> set[str]:
        """T16: keys of live goals that somebody waits for."""
        found = self._events.find({"live": True, "preferred": True}, {"_id": 1})
        return {document["_id"] for document in found}

    def fixture_of(self, goal: GoalEvent) -> Fixture | None:
        found = self._fixtures.find_one({"_id": goal.fixture_id})
        return fixture_from(found) if found else None

    def other_goals_of_match(self, goal: GoalEvent) -> list[GoalEvent]:
        """The other goals of its match, removed ones too."""
        query = {"fixture_id": goal.fixture_id, "_id": {"$ne": goal.key}}
        return [goal_from(found) for found in self._events.find(query)]

    def all_event_ids(self) -> set[str]:
        """Every current and former event id, also of removed goals."""
        fields = ("event_id", "formerly.event_id")
        return {name for field in fields for name in self._events.distinct(field)}
