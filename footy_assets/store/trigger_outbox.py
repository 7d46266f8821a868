"""T12, T15: the third stage: who is to be told what, and what became of it.

A lane is what one subscriber hears of one scope: told in order, one after the other. A subscriber
that fails waits by itself, with all its lanes; nobody else does.
"""

import secrets
from datetime import datetime, timedelta

from pymongo import ReturnDocument
from pymongo.database import Database

from footy_assets.errors import NotFound
from footy_assets.retries import RetryPolicy
from footy_assets.store.collections import NOTIFICATIONS, SUBSCRIPTIONS, Document
from footy_assets.store.trigger_evaluation import NOBODY_SINCE, PENDING

DELIVERED, DEAD, DROPPED = "delivered", "dead", "dropped"
# Longer than a delivery may take; what a dead worker held is sent again after this, in real time.
HELD_SECONDS = 30.0


class Outbox:
    def __init__(
        self, database: Database[Document], policy: RetryPolicy, held_seconds: float = HELD_SECONDS
    ) -> None:
        self._subscriptions = database[SUBSCRIPTIONS]
        self._notifications = database[NOTIFICATIONS]
        self._policy = policy
        self._held_until = {"$add": ["$$NOW", round(held_seconds * 1000)]}

    # -- subscribers ----------------------------------------------------------------------

    def subscribe(
        self,
        url: str,
        now: datetime,
        secret: str | None = None,
        **only: str | None,
    ) -> Document:
        """Told of everything from now on; `entity`, `entity_id` and `scope_id` narrow it down."""
        document = {
            "_id": secrets.token_hex(12),
            "url": url,
            "secret": secret or secrets.token_urlsafe(32),
            **{name: only.get(name) for name in ("entity", "entity_id", "scope_id")},
            "created_at": now,
            "failures": 0,
            "retry_at": now,
        }
        self._subscriptions.insert_one(document)
        return document

    def subscriptions(self) -> list[Document]:
        found = self._subscriptions.find({"deleted_at": {"$exists": False}})
        return list(found.sort("created_at", 1))

    def unsubscribe(self, id: str, now: datetime) -> None:
        gone = self._subscriptions.update_one(
            {"_id": id, "deleted_at": {"$exists": False}}, {"$set": {"deleted_at": now}}
        )
        if not gone.matched_count:
            raise NotFound(f"no subscription is called {id:.80}")
        self._notifications.update_many(
            {"subscription_id": id, "state": PENDING}, {"$set": {"state": DROPPED}}
        )

    # -- deliveries -----------------------------------------------------------------------

    def ready(self, now: datetime) -> dict[str, tuple[Document, list[str]]]:
        """Subscribers that may be spoken to, the healthy first, each with its lanes."""
        lanes: dict[str, list[str]] = {}
        for lane in self._notifications.distinct("lane", {"state": PENDING}):
            lanes.setdefault(lane.partition("|")[0], []).append(lane)
        query = {
            "_id": {"$in": list(lanes)},
            "deleted_at": {"$exists": False},
            "retry_at": {"$lte": now},
        }
        found = self._subscriptions.find(query).sort([("failures", 1), ("_id", 1)])
        return {document["_id"]: (document, sorted(lanes[document["_id"]])) for document in found}

    def claim(self, lane: str, now: datetime) -> Document | None:
        """The first of a lane, if it is due and nobody is at it; never the second."""
        first = self._notifications.find_one(
            {"state": PENDING, "lane": lane}, {"_id": 1}, sort=[("number", 1)]
        )
        if first is None:
            return None
        return self._notifications.find_one_and_update(
            {
                "_id": first["_id"],
                "state": PENDING,
                "due_at": {"$lte": now},
                "$expr": {"$lte": ["$held_until", "$$NOW"]},
            },
            [
                {
                    "$set": {
                        "held_until": self._held_until,
                        "attempts": {"$add": ["$attempts", 1]},
                    }
                }
            ],
            return_document=ReturnDocument.AFTER,
        )

    def delivered(self, notification: Document, now: datetime, status: int) -> None:
        self._notifications.update_one(
            {"_id": notification["_id"], "state": PENDING},
            {"$set": {"state": DELIVERED, "delivered_at": now, "status": status}},
        )
        self._subscriptions.update_one(
            {"_id": notification["subscription_id"], "failures": {"$gt": 0}},
            {"$set": {"failures": 0, "retry_at": now}},
        )

    def failed(
        self, notification: Document, subscriber: Document, now: datetime, reason: str
    ) -> bool:
        """Wait and try again, or give up: then it is a dead letter. True if it is one."""
        waits = self._policy.waits()
        attempts: int = notification["attempts"]
        age: timedelta = now - notification["created_at"]
        dead = attempts >= self._policy.attempts or age >= timedelta(seconds=sum(waits))
        wait = timedelta(seconds=waits[min(subscriber["failures"], len(waits) - 1)])
        self._notifications.update_one(
            {"_id": notification["_id"], "state": PENDING, "attempts": attempts},
            {
                "$set": {
                    "state": DEAD if dead else PENDING,
                    "due_at": now + wait,
                    "held_until": NOBODY_SINCE,
                    "last_error": reason,
                    "failed_at": now,
                }
            },
        )
        self._subscriptions.update_one(
            {"_id": subscriber["_id"], "failures": subscriber["failures"]},
            {"$inc": {"failures": 1}, "$set": {"retry_at": now + wait, "last_error": reason}},
        )
        return dead

    # -- dead letters ---------------------------------------------------------------------

    def dead_letters(self, limit: int = 100) -> list[Document]:
        found = self._notifications.find({"state": DEAD})
        return list(found.sort([("failed_at", -1), ("_id", 1)]).limit(limit))

    def replay(self, id: str, now: datetime) -> None:
        """A dead letter is sent again, with the key that it had."""
        revived = self._notifications.find_one_and_update(
            {"_id": id, "state": DEAD},
            {"$set": {"state": PENDING, "due_at": now, "created_at": now, "attempts": 0}},
        )
        if revived is None:
            raise NotFound(f"no dead letter is called {id:.80}")
        self._subscriptions.update_one(
            {"_id": revived["subscription_id"]}, {"$set": {"retry_at": now}}
        )

    def by_state(self) -> dict[str, int]:
        counted = self._notifications.aggregate([{"$group": {"_id": "$state", "n": {"$sum": 1}}}])
        return {row["_id"]: row["n"] for row in counted}
