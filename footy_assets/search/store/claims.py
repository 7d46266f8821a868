"""The claims of runs on searches, and how they are given back when a run ends before its search."""

from collections.abc import Collection, Mapping

from pymongo.database import Database

from footy_assets.search.store.searches import NOT_HELD
from footy_assets.store.collections import EVENTS, Document
from footy_assets.store.retrying import retry_on_disconnect

# What narrows the goals down to those that may have a claim, by the field that has it. Both are in
# an index.
MAY_BE_CLAIMED: Mapping[str, Document] = {
    "search": {"live": True, "search.due_at": {"$type": "date"}},
    "ahead": {"live": True, "stable_at": None},
}


@retry_on_disconnect
class SearchClaims:
    def __init__(self, database: Database[Document]) -> None:
        self._events = database[EVENTS]

    def holders(self) -> set[str]:
        """Ids of runs that have claimed a search and not ended it."""
        found: set[str | None] = set()
        for kind, query in MAY_BE_CLAIMED.items():
            # `distinct` does not know the database's time.
            held = self._events.find({**query, **_held(kind)}, {f"{kind}.held_by": 1})
            found.update(goal[kind].get("held_by") for goal in held)
        return {run_id for run_id in found if run_id is not None}

    def release(self, run_ids: Collection[str]) -> int:
        """SE1: searches that these runs left behind are due again, attempts under their numbers."""
        released = 0
        for kind, query in MAY_BE_CLAIMED.items():
            of_runs = {**query, **_held(kind), f"{kind}.held_by": {"$in": [*run_ids]}}
            free = {"$set": {f"{kind}.held_until": NOT_HELD}}
            released += self._events.update_many(of_runs, free).modified_count
        return released


def _held(kind: str) -> Document:
    return {"$expr": {"$gt": [f"${kind}.held_until", "$$NOW"]}}
