"""SE5: a site's rate limit, shared by all processes.

Not from the package `limits`: its MongoDB storage reads the system's clock, cannot be closed until
a moment that the site names, and drops requests that were counted beyond the limit.
"""

from datetime import UTC, datetime, timedelta

from pymongo import ReturnDocument
from pymongo.database import Database
from pymongo.errors import DuplicateKeyError

from footy_assets.store.collections import TURNS, Document
from footy_assets.store.retrying import retry_on_disconnect

LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


@retry_on_disconnect
class SharedRateLimit:
    """Stores one document per site with the times of its last requests."""

    def __init__(self, database: Database[Document]) -> None:
        self._turns = database[TURNS]

    def take(self, name: str, now: datetime, most: int, within: timedelta) -> datetime | None:
        """None if a request is allowed, and counted, now; else when the next one is allowed."""
        try:
            state = self._take(name, now, most, within)
        except DuplicateKeyError:
            # Another process inserted the document just now.
            state = self._take(name, now, most, within)
        if state["granted"]:
            return None
        made: list[datetime] = sorted(state["made"])
        free = made[len(made) - most] + within if len(made) >= most else now
        return max(free, state.get("closed_until") or now)

    def count(self, name: str, now: datetime) -> None:
        """Count a request that was made without `take`."""
        self._turns.update_one({"_id": name}, {"$push": {"made": now}}, upsert=True)

    def close_until(self, name: str, when: datetime) -> None:
        """Allow no request until then; an earlier, longer closure stays."""
        self._turns.update_one({"_id": name}, {"$max": {"closed_until": when}}, upsert=True)

    def _take(self, name: str, now: datetime, most: int, within: timedelta) -> Document:
        recent = {
            "$and": [
                {"$gt": ["$$this", now - within]},
                # Ignores times from before the clock was set back.
                {"$lt": ["$$this", now + within]},
            ]
        }
        made = {"$filter": {"input": {"$ifNull": ["$made", []]}, "cond": recent}}
        granted = {
            "$and": [
                {"$lt": [{"$size": "$made"}, most]},
                {"$lte": [{"$ifNull": ["$closed_until", LONG_AGO]}, now]},
            ]
        }
        taken = {"$cond": ["$granted", {"$concatArrays": ["$made", [now]]}, "$made"]}
        after = self._turns.find_one_and_update(
            {"_id": name},
            [{"$set": {"made": made}}, {"$set": {"granted": granted}}, {"$set": {"made": taken}}],
            upsert=True,
            return_document=ReturnDocument.AFTER,
        )
        assert after is not None
        return after
