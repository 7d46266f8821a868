"""S5: a source's rate limit, kept by all processes together."""

from datetime import UTC, datetime, timedelta

from pymongo import ReturnDocument
from pymongo.database import Database
from pymongo.errors import DuplicateKeyError

from footy_assets.store.collections import TURNS, Document
from footy_assets.store.retrying import tried_again

LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


@tried_again
class SharedTurns:
    """One document a source with the times of its last requests."""

    def __init__(self, database: Database[Document]) -> None:
        self._turns = database[TURNS]

    def take(self, name: str, now: datetime, most: int, within: timedelta) -> datetime | None:
        """None if a turn was free and is taken now, else when the next gets free."""
        try:
            told = self._take(name, now, most, within)
        except DuplicateKeyError:
            # Another process made the document just now.
            told = self._take(name, now, most, within)
        if told["granted"]:
            return None
        made: list[datetime] = sorted(told["made"])
        free = made[len(made) - most] + within if len(made) >= most else now
        return max(free, told.get("closed_until") or now)

    def count(self, name: str, now: datetime) -> None:
        """One more request was made than turns were taken."""
        self._turns.update_one({"_id": name}, {"$push": {"made": now}}, upsert=True)

    def close_until(self, name: str, when: datetime) -> None:
        """A minute's refusal does not open a day that is closed."""
        self._turns.update_one({"_id": name}, {"$max": {"closed_until": when}}, upsert=True)

    def _take(self, name: str, now: datetime, most: int, within: timedelta) -> Document:
        lately = {
            "$and": [
                {"$gt": ["$$this", now - within]},
                # Of a clock that was set back since.
                {"$lt": ["$$this", now + within]},
            ]
        }
        made = {"$filter": {"input": {"$ifNull": ["$made", []]}, "cond": lately}}
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
