"""T12, T15: writes the activations of snapshots with their counters in one transaction."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pymongo import InsertOne, UpdateOne, timeout
from pymongo.client_session import ClientSession
from pymongo.database import Database

from footy_assets.store.collections import (
    ACTIVATIONS,
    NOTIFICATIONS,
    SUBSCRIPTIONS,
    TRIGGER_ENTITIES,
    TRIGGER_SCOPES,
    TRIGGERS,
    Document,
)
from footy_assets.triggers.rules.engine import Activation, Engine, EntityKey, Retraction, Step
from footy_assets.triggers.rules.goal_moments import goal_key_of
from footy_assets.triggers.rules.limits import FireCount
from footy_assets.triggers.rules.notification_state import NotificationState
from footy_assets.triggers.rules.quiet_hours import QuietHours
from footy_assets.triggers.rules.subscription import is_subscribed
from footy_assets.triggers.store.triggers import entity_document_id, tally_document

WRITE_WITHIN = 30.0
# Activations and retractions in one transaction: it must fit into a small server's cache.
ROWS_AT_ONCE = 1_000
NOT_HELD = datetime(2000, 1, 1, tzinfo=UTC)
# The largest number of notifications of one snapshot that stay in order.
PLACES = 1_000_000


class Superseded(Exception):
    """Another worker evaluated this scope, or a trigger changed, since we read it."""


@dataclass(slots=True)
class Position:
    """How far a scope is evaluated: up to a snapshot, and so many rows of the next one."""

    revision: int
    evaluated: int
    partly: int = 0

    @classmethod
    def of(cls, scope: Document) -> "Position":
        return cls(scope["revision"], scope["evaluated"], scope.get("partly", 0))


# The number of a snapshot, the position in it, and the activation or retraction.
Row = tuple[int, int, Activation | Retraction]


class EvaluationStore:
    def __init__(self, database: Database[Document]) -> None:
        self._database = database
        self._scopes = database[TRIGGER_SCOPES]

    def write(
        self,
        key: str,
        position: Position,
        steps: Sequence[tuple[int, Step]],
        engine: Engine,
        now: datetime,
    ) -> None:
        """Writes the steps of successive snapshots, and advances `position`.

        A goal that fires ten thousand triggers does not fit into one transaction: it is written
        in parts, in order, each with its counters and its position.
        """
        rows: list[Row] = []
        base = position.partly
        for number, step in steps:
            activations: tuple[Activation | Retraction, ...] = (
                *step.activations,
                *step.retractions,
            )
            for place, one in enumerate(activations, start=base):
                if len(rows) == ROWS_AT_ONCE:
                    self._write_part(key, position, (number - 1, place), rows, engine, now)
                    rows = []
                rows.append((number, place, one))
            base = 0
        self._write_part(key, position, (steps[-1][0], 0), rows, engine, now)

    def _write_part(
        self,
        key: str,
        position: Position,
        to: tuple[int, int],
        rows: Sequence[Row],
        engine: Engine,
        now: datetime,
    ) -> None:
        writes = self._build_writes(key, rows, engine, now)

        def write(session: ClientSession | None) -> None:
            self._advance(key, position, to, session)
            for collection, operations in writes.items():
                if operations:
                    self._database[collection].bulk_write(operations, session=session)

        if not position.revision:
            fresh = {"evaluated": 0, "revision": 0}
            self._scopes.update_one({"_id": key}, {"$setOnInsert": fresh}, upsert=True)
        if rows:
            with timeout(WRITE_WITHIN), self._database.client.start_session() as session:
                session.with_transaction(write)
        else:
            write(None)
        position.evaluated, position.partly = to

    def _advance(
        self,
        key: str,
        position: Position,
        to: tuple[int, int],
        session: ClientSession | None,
    ) -> None:
        where = {
            "_id": key,
            "revision": position.revision,
            "evaluated": position.evaluated,
            "partly": position.partly or {"$exists": False},
        }
        evaluated, partly = to
        update: Document = {"$set": {"evaluated": evaluated}}
        if partly:
            update["$set"]["partly"] = partly
        else:
            update["$unset"] = {"partly": ""}
        if not self._scopes.update_one(where, update, session=session).matched_count:
            raise Superseded

    def _build_writes(
        self, key: str, rows: Sequence[Row], engine: Engine, now: datetime
    ) -> dict[str, list[Any]]:
        subscribers = list(self._database[SUBSCRIPTIONS].find({"deleted_at": {"$exists": False}}))
        activations: dict[str, Document] = {}
        retractions: list[UpdateOne] = []
        outbox: list[InsertOne[Document]] = []
        tallies: dict[str, FireCount] = {}
        entities: dict[EntityKey, FireCount] = {}
        for number, place, one in rows:
            if isinstance(one, Activation):
                document = activation_document(one, engine, key, number, place, now)
                activations[one.id], tallies[one.trigger_id] = document, one.tally
                body = document["notification"]
                if one.entity_tally is not None:
                    entities[engine.listeners[one.trigger_id].entity] = one.entity_tally
            else:
                document = activations.get(one.id) or self._load_activation(one.id)
                retractions.append(
                    UpdateOne({"_id": one.id}, {"$set": {"retracted_by": one.by.id}})
                )
                body = {**document["notification"], "retracted": True, "retracted_by": one.by.id}
            outbox += notifications(document, body, number * PLACES + place, subscribers, now)
        return {
            ACTIVATIONS: [
                *(InsertOne(document) for document in activations.values()),
                *retractions,
            ],
            TRIGGERS: [
                UpdateOne({"_id": id}, {"$set": tally_document(tally)})
                for id, tally in tallies.items()
            ],
            TRIGGER_ENTITIES: [
                _entity_update(key, entity, tally) for entity, tally in entities.items()
            ],
            NOTIFICATIONS: outbox,
        }

    def _load_activation(self, activation_id: str) -> Document:
        document = self._database[ACTIVATIONS].find_one({"_id": activation_id})
        assert document is not None, activation_id
        return document


def _entity_update(key: str, entity: EntityKey, tally: FireCount) -> UpdateOne:
    mine = {"scope_key": key, "entity": entity[0], "entity_id": entity[1]}
    return UpdateOne(
        {"_id": entity_document_id(key, entity)},
        {"$set": {**mine, **tally_document(tally)}},
        upsert=True,
    )


def notifications(
    activation: Document,
    body: Document,
    number: int,
    subscribers: Sequence[Document],
    now: datetime,
) -> list[InsertOne[Document]]:
    """T12: one row of the outbox for each subscriber of this activation."""
    about_goal = goal_key_of(body["reason"]) is not None
    rows = []
    for subscriber in subscribers:
        if not is_subscribed(subscriber, body, about_goal=about_goal):
            continue
        # T18: what happens in quiet hours waits for their end.
        due_at = quiet_until(subscriber, now)
        rows.append(
            InsertOne(
                {
                    "_id": idempotency_key(activation["_id"], subscriber["_id"], body),
                    "activation_id": activation["_id"],
                    "subscription_id": subscriber["_id"],
                    "scope_key": activation["scope_key"],
                    "lane": f"{subscriber['_id']}|{activation['scope_key']}",
                    "number": number,
                    "state": NotificationState.PENDING,
                    "attempts": 0,
                    "due_at": due_at,
                    "retried_since": due_at,
                    "created_at": now,
                    "held_until": NOT_HELD,
                    "body": body,
                }
            )
        )
    return rows


def quiet_until(subscriber: Document, now: datetime) -> datetime:
    quiet = subscriber.get("quiet")
    return QuietHours.model_validate(quiet).due_at(now) if quiet else now


def activation_document(
    one: Activation, engine: Engine, key: str, number: int, place: int, now: datetime
) -> Document:
    listener = engine.listeners[one.trigger_id]
    return {
        "_id": one.id,
        "trigger_id": one.trigger_id,
        "snapshot_id": one.snapshot.id,
        "scope_key": key,
        "entity": listener.entity[0],
        "entity_id": listener.entity[1],
        "by_entity_limits": one.by_entity_limits,
        "number": number,
        "place": place,
        "at": one.snapshot.timestamp,
        "evaluated_at": now,
        "retracted_by": None,
        "notification": notification(one, engine),
    }


def notification(one: Activation, engine: Engine) -> Document:
    """T11: the body of a notification."""
    head = engine.listeners[one.trigger_id].trigger.trigger
    return {
        "payload": head.payload,
        "limits": dict(one.limits),
        "counts": dict(one.counts),
        "next": one.next,
        "trigger_id": one.trigger_id,
        "entity": head.entity,
        "entity_id": head.entity_id,
        "scope": head.scope,
        "scope_id": head.scope_id,
        "reason": one.snapshot.id,
        "explanation": one.explanation,
    }


def idempotency_key(activation_id: str, subscription_id: str, body: Document) -> str:
    """The same for every attempt, and unique to this notification."""
    kind = "retracted" if body.get("retracted") else "told"
    return hashlib.sha256(f"{activation_id}|{kind}|{subscription_id}".encode()).hexdigest()[:40]
