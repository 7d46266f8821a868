"""T12, T15: the outbox of notifications, and their delivery state.

A lane holds the notifications of one scope for one subscriber; they are delivered in order, one at
a time. A subscriber that fails delays its own lanes only.
"""

import secrets
from datetime import datetime, timedelta

from pymongo import ReturnDocument
from pymongo.database import Database

from footy_assets.errors import NotFound
from footy_assets.retries import RETRIES, RetryPolicy
from footy_assets.store.collections import NOTIFICATIONS, SUBSCRIPTIONS, Document
from footy_assets.triggers.rules.notification_state import NotificationState
from footy_assets.triggers.rules.subscription import FILTERS, SEARCHES
from footy_assets.triggers.store.evaluation import NOT_HELD, quiet_until

NOTIFICATION_POLICY = RETRIES["notification"]
# Longer than a delivery may take. In real time: what a dead worker held is sent again after it.
HELD_SECONDS = 30.0
SEARCHES_ID = "footy-searches"


class Outbox:
    def __init__(
        self,
        database: Database[Document],
        held_seconds: float = HELD_SECONDS,
        policy: RetryPolicy = NOTIFICATION_POLICY,
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
        *,
        id: str | None = None,
        payload: Document | None = None,
        quiet: Document | None = None,
        **only: str | None,
    ) -> Document:
        """Subscribes to all activations from now on, or to those with the given ids.

        The same `id` again sets the other fields anew.
        """
        id = id or secrets.token_hex(12)
        filters = {name: only.get(name) for name in FILTERS}
        made = self._subscriptions.find_one_and_update(
            {"_id": id},
            {
                "$set": {"url": url, **filters, "payload": payload, "quiet": quiet},
                "$setOnInsert": {
                    "secret": secret or secrets.token_urlsafe(32),
                    "created_at": now,
                    "failures": 0,
                    "retry_at": now,
                },
                "$unset": {"deleted_at": ""},
            },
            upsert=True,
            return_document=ReturnDocument.AFTER,
        )
        assert made is not None
        return made

    def subscribe_searches(self, now: datetime) -> None:
        """T24: the clip pipeline's own subscription; one that was deleted stays deleted."""
        document = {
            "url": SEARCHES,
            "secret": secrets.token_urlsafe(32),
            **dict.fromkeys(FILTERS),
            "created_at": now,
            "failures": 0,
            "retry_at": now,
        }
        if self._subscriptions.find_one({"_id": SEARCHES_ID}, {"_id": 1}) is None:
            self._subscriptions.update_one(
                {"_id": SEARCHES_ID}, {"$setOnInsert": document}, upsert=True
            )

    def subscription(self, id: str) -> Document:
        found = self._subscriptions.find_one({"_id": id, "deleted_at": {"$exists": False}})
        if found is None:
            raise NotFound(
                f"subscription {id:.80} is not known", "`footy triggers subscriptions` lists them"
            )
        return found

    def subscriptions(self, **only: str | None) -> list[Document]:
        wanted = {name: value for name, value in only.items() if value is not None}
        found = self._subscriptions.find({"deleted_at": {"$exists": False}, **wanted})
        return list(found.sort([("created_at", 1), ("_id", 1)]))

    def unsubscribe(self, id: str, now: datetime) -> None:
        gone = self._subscriptions.update_one(
            {"_id": id, "deleted_at": {"$exists": False}}, {"$set": {"deleted_at": now}}
        )
        if not gone.matched_count:
            raise NotFound(f"subscription {id:.80} is not known")
        self._notifications.update_many(
            {"subscription_id": id, "state": NotificationState.PENDING},
            {"$set": {"state": NotificationState.DROPPED}},
        )

    # -- deliveries -----------------------------------------------------------------------

    def ready(self, now: datetime) -> dict[str, tuple[Document, list[str]]]:
        """Subscribers with pending notifications that may be contacted now, with their lanes."""
        lanes: dict[str, list[str]] = {}
        for lane in self._notifications.distinct("lane", {"state": NotificationState.PENDING}):
            lanes.setdefault(lane.partition("|")[0], []).append(lane)
        query = {
            "_id": {"$in": list(lanes)},
            "deleted_at": {"$exists": False},
            "retry_at": {"$lte": now},
        }
        found = self._subscriptions.find(query).sort([("failures", 1), ("_id", 1)])
        return {document["_id"]: (document, sorted(lanes[document["_id"]])) for document in found}

    def claim(self, lane: str, now: datetime) -> Document | None:
        """Claims the first notification of a lane, if it is due and no worker holds it."""
        first = self._notifications.find_one(
            {"state": NotificationState.PENDING, "lane": lane}, {"_id": 1}, sort=[("number", 1)]
        )
        if first is None:
            return None
        return self._notifications.find_one_and_update(
            {
                "_id": first["_id"],
                "state": NotificationState.PENDING,
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

    def mark_delivered(self, notification: Document, now: datetime, status: int) -> None:
        self._notifications.update_one(
            {"_id": notification["_id"], "state": NotificationState.PENDING},
            {"$set": {"state": NotificationState.DELIVERED, "delivered_at": now, "status": status}},
        )
        self._subscriptions.update_one(
            {"_id": notification["subscription_id"], "failures": {"$gt": 0}},
            {"$set": {"failures": 0, "retry_at": now}},
        )

    def mark_failed(
        self, notification: Document, subscriber: Document, now: datetime, reason: str
    ) -> bool:
        """Schedules a retry, or gives up; True if it became a dead letter."""
        waits = self._policy.waits()
        attempts: int = notification["attempts"]
        since: datetime = notification.get("retried_since") or notification["created_at"]
        age = now - since
        dead = attempts >= self._policy.attempts or age >= timedelta(seconds=sum(waits))
        wait = timedelta(seconds=waits[min(subscriber["failures"], len(waits) - 1)])
        self._notifications.update_one(
            {"_id": notification["_id"], "state": NotificationState.PENDING, "attempts": attempts},
            {
                "$set": {
                    "state": NotificationState.DEAD if dead else NotificationState.PENDING,
                    "due_at": quiet_until(subscriber, now + wait),
                    "held_until": NOT_HELD,
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
        found = self._notifications.find({"state": NotificationState.DEAD})
        return list(found.sort([("failed_at", -1), ("_id", 1)]).limit(limit))

    def resend(self, id: str, now: datetime) -> None:
        """Sends a dead letter again, with the same idempotency key."""
        revived = self._notifications.find_one_and_update(
            {"_id": id, "state": NotificationState.DEAD},
            {
                "$set": {
                    "state": NotificationState.PENDING,
                    "due_at": now,
                    "retried_since": now,
                    "attempts": 0,
                }
            },
        )
        if revived is None:
            raise NotFound(f"dead letter {id:.80} is not known")
        self._subscriptions.update_one(
            {"_id": revived["subscription_id"]}, {"$set": {"retry_at": now}}
        )

    def count_by_state(self) -> dict[str, int]:
        counted = self._notifications.aggregate([{"$group": {"_id": "$state", "n": {"$sum": 1}}}])
        return {row["_id"]: row["n"] for row in counted}
