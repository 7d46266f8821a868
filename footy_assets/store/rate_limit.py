"""SE5: a site's rate limit, shared by all processes.

Not from the package `limits`: its MongoDB storage reads the system's clock, cannot be closed until
a moment that the site names, and drops requests that were counted beyond the limit.
"""

from datetime import UTC, datetime, timedelta

from bson import ObjectId
from pymongo import ReturnDocument
from pymongo.database import Database
from pymongo.errors import DuplicateKeyError

from footy_assets.store.collections import TURNS, Document
from footy_assets.store.retrying import retry_on_disconnect

LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
# Ids of counted requests that are kept: more than all processes send while one repeats its write.
IDS_KEPT = 200


class SharedRateLimit:
    """Counts the requests of all processes."""

    def __init__(self, database: Database[Document]) -> None:
        self._turns = _Turns(database)

    def take(self, name: str, now: datetime, most: int, within: timedelta) -> datetime | None:
        """None if a request is allowed, and counted, now; else when the next one is allowed."""
        return self._turns.take(name, ObjectId(), now, most, within)

    def count(self, name: str, now: datetime) -> None:
        """Count a request that was made without `take`."""
        self._turns.count(name, ObjectId(), now)

    def used(self, name: str, now: datetime, within: timedelta) -> int | None:
        """How many requests were made within that time; None while the site is closed."""
        return self._turns.used(name, now, within)

    def close_until(self, name: str, when: datetime) -> None:
        """Allow no request until then; an earlier, longer closure stays."""
        self._turns.close_until(name, when)


@retry_on_disconnect
class _Turns:
    """One document per site with the times of its last requests.

    It holds their ids too, so that a request whose write is repeated is counted once.
    """

    def __init__(self, database: Database[Document]) -> None:
        self._turns = database[TURNS]

    def take(
        self, name: str, id_: ObjectId, now: datetime, most: int, within: timedelta
    ) -> datetime | None:
        try:
            state = self._take(name, id_, now, most, within)
        except DuplicateKeyError:
            # Another process inserted the document just now.
            state = self._take(name, id_, now, most, within)
        if state["granted"]:
            return None
        made: list[datetime] = sorted(state["made"])
        free = made[len(made) - most] + within if len(made) >= most else now
        return max(free, state.get("closed_until") or now)

    def count(self, name: str, id_: ObjectId, now: datetime) -> None:
        self._turns.update_one({"_id": name}, {"$setOnInsert": {"made": []}}, upsert=True)
        self._turns.update_one(
            {"_id": name, "ids": {"$ne": id_}},
            {"$push": {"made": now, "ids": {"$each": [id_], "$slice": -IDS_KEPT}}},
        )

    def used(self, name: str, now: datetime, within: timedelta) -> int | None:
        state = self._turns.find_one({"_id": name}) or {}
        if state.get("closed_until", LONG_AGO) > now:
            return None
        made: list[datetime] = state.get("made", [])
        return sum(now - within < at < now + within for at in made)

    def close_until(self, name: str, when: datetime) -> None:
        self._turns.update_one({"_id": name}, {"$max": {"closed_until": when}}, upsert=True)

    def _take(
        self, name: str, id_: ObjectId, now: datetime, most: int, within: timedelta
    ) -> Document:
        recent = {
            "$and": [
                {"$gt": ["$$this", now - within]},
                # Ignores times from before the clock was set back.
                {"$lt": ["$$this", now + within]},
            ]
        }
        made = {"$filter": {"input": {"$ifNull": ["$made", []]}, "cond": recent}}
        is_counted = {"$in": [id_, "$ids"]}
        is_free = {
            "$and": [
                {"$lt": [{"$size": "$made"}, most]},
                {"$lte": [{"$ifNull": ["$closed_until", LONG_AGO]}, now]},
            ]
        }
        counts = {"$and": ["$granted", {"$not": [is_counted]}]}
        more_made = {"$concatArrays": ["$made", [now]]}
        more_ids = {"$slice": [{"$concatArrays": ["$ids", [id_]]}, -IDS_KEPT]}
        after = self._turns.find_one_and_update(
            {"_id": name},
            [
                {"$set": {"made": made, "ids": {"$ifNull": ["$ids", []]}}},
                {"$set": {"granted": {"$or": [is_counted, is_free]}}},
                {
                    "$set": {
                        "made": {"$cond": [counts, more_made, "$made"]},
                        "ids": {"$cond": [counts, more_ids, "$ids"]},
                    }
                },
            ],
            upsert=True,
            return_document=ReturnDocument.AFTER,
        )
        assert after is not None
        return after
