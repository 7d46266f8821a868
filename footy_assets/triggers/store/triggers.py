"""T14: triggers and the limits of entities, with all their versions."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pymongo import ReturnDocument, timeout
from pymongo.client_session import ClientSession
from pymongo.database import Database
from pymongo.errors import DuplicateKeyError

from footy_assets.errors import Busy, NotFound
from footy_assets.store.collections import (
    ACTIVATIONS,
    SNAPSHOTS,
    TRIGGER_ENTITIES,
    TRIGGER_SCOPES,
    TRIGGERS,
    Document,
)
from footy_assets.triggers.rules.engine import EntityKey, EntityLimits, Listener
from footy_assets.triggers.rules.limits import FireCount, effective_limits, recount
from footy_assets.triggers.rules.snapshot import Snapshot
from footy_assets.triggers.rules.trigger import Trigger
from footy_assets.triggers.rules.versioned_engine import Change, EntityChange, TriggerChange
from footy_assets.triggers.store.snapshots import SnapshotStore, scope_key, snapshot_from

WRITE_WITHIN = 5.0


@dataclass(frozen=True, slots=True)
class StoredTrigger:
    id: str
    trigger: Trigger
    tally: FireCount
    created_at: datetime
    version: int = 1

    @property
    def counts(self) -> Mapping[str, int]:
        return self.tally.counts


class _VersionConflict(Exception):
    """The trigger has changed since the update was prepared."""


class TriggerStore:
    """Every change of a trigger increments the `revision` of its scope, so that a concurrent
    evaluation notices it and reads the triggers again."""

    def __init__(self, database: Database[Document]) -> None:
        self.database = database
        self.snapshots = SnapshotStore(database)
        self._triggers = database[TRIGGERS]
        self._entities = database[TRIGGER_ENTITIES]
        self._scopes = database[TRIGGER_SCOPES]
        self._activations = database[ACTIVATIONS]

    # -- triggers -------------------------------------------------------------------------

    def create(self, trigger: Trigger, now: datetime, id: str | None = None) -> StoredTrigger:
        """It fires on snapshots stored from now on; its counters include those stored before."""
        head = trigger.trigger
        id = id or head.id or secrets.token_hex(12)
        key = scope_key(head.scope, head.scope_id)

        def write(session: ClientSession) -> None:
            revision = self.advance_revision(key, session)["revision"]
            since = self.snapshots.last_number(key)
            self._triggers.insert_one(
                {
                    "_id": id,
                    "scope_key": key,
                    "entity": head.entity,
                    "entity_id": head.entity_id,
                    "order": f"{revision:09}",
                    "since": since,
                    "versions": [{"since": since, "trigger": trigger_document(trigger)}],
                    "trigger": trigger_document(trigger),
                    "counts": {},
                    "recent": [],
                    "created_at": now,
                    "updated_at": now,
                },
                session=session,
            )

        try:
            self.in_transaction(write)
        except DuplicateKeyError as error:
            taken = "is the id of another trigger: update that one, or leave the id out"
            raise ValueError(f"trigger.id: {id} {taken}") from error
        return self.get(id)

    def update(
        self, id: str, trigger: Trigger, now: datetime, was: int | None = None
    ) -> StoredTrigger | None:
        """T9: earlier activations count under the new limits, too; a raised limit revives it.

        None if its version is not `was` any more.
        """
        known = self._load(id)
        key = known["scope_key"]
        head = trigger.trigger
        if scope_key(head.scope, head.scope_id) != key:
            raise ValueError("trigger.scope_id: a trigger stays in its scope; make another one")
        if head.id not in (None, id):
            raise ValueError("trigger.id: a trigger keeps its id")

        def write(session: ClientSession) -> None:
            evaluated = self.advance_revision(key, session)["evaluated"]
            limits = effective_limits(trigger.limits, head.use_limits)
            tally = recount(limits, self._fired_snapshots({"trigger_id": id}, session))
            document = trigger_document(trigger)
            version = {"since": max(evaluated, known["since"]), "trigger": document}
            sets = {"trigger": document, "entity": head.entity, "entity_id": head.entity_id}
            changed = self._triggers.update_one(
                {
                    "_id": id,
                    "deleted_at": {"$exists": False},
                    **({"versions": {"$size": was}} if was is not None else {}),
                },
                {
                    "$set": {**sets, "updated_at": now, **tally_document(tally)},
                    "$push": {"versions": version},
                },
                session=session,
            )
            if not changed.matched_count:
                raise _VersionConflict

        try:
            self.in_transaction(write)
        except _VersionConflict:
            self._load(id)
            return None
        return self.get(id)

    def delete(self, id: str, now: datetime) -> None:
        known = self._load(id)

        def write(session: ClientSession) -> None:
            evaluated = self.advance_revision(known["scope_key"], session)["evaluated"]
            version = {"since": max(evaluated, known["since"]), "trigger": None}
            self._triggers.update_one(
                {"_id": id, "deleted_at": {"$exists": False}},
                {"$set": {"deleted_at": now}, "$push": {"versions": version}},
                session=session,
            )

        self.in_transaction(write)

    def get(self, id: str) -> StoredTrigger:
        return _stored_trigger(self._load(id))

    def find(self, limit: int = 0, skip: int = 0, **wanted: str | None) -> list[StoredTrigger]:
        """By `entity`, `entity_id`, `scope` and `scope_id`, oldest first."""
        query: Document = {"deleted_at": {"$exists": False}}
        for name in ("entity", "entity_id"):
            if wanted.get(name) is not None:
                query[name] = wanted[name]
        if wanted.get("scope_id") is not None:
            query["scope_key"] = scope_key(wanted.get("scope") or "game", str(wanted["scope_id"]))
        found = self._triggers.find(query).sort([("created_at", 1), ("_id", 1)])
        return [_stored_trigger(document) for document in found.skip(skip).limit(limit)]

    def count_by_match(self, scope_ids: Sequence[str], scope: str = "game") -> dict[str, int]:
        """The number of triggers of each match."""
        keys = {scope_key(scope, scope_id): scope_id for scope_id in scope_ids}
        query = {"scope_key": {"$in": list(keys)}, "deleted_at": {"$exists": False}}
        grouped = {"_id": "$scope_key", "count": {"$sum": 1}}
        found = self._triggers.aggregate([{"$match": query}, {"$group": grouped}])
        return {keys[one["_id"]]: one["count"] for one in found}

    def activations(self, trigger_id: str, limit: int = 100) -> list[Document]:
        found = self._activations.find({"trigger_id": trigger_id}, {"options": 0})
        return list(found.sort("number", -1).limit(limit))

    # -- entities -------------------------------------------------------------------------

    def set_entity_limits(
        self, entity: EntityKey, scope: str, scope_id: str, limits: dict[str, int], now: datetime
    ) -> Document:
        key = scope_key(scope, scope_id)

        def write(session: ClientSession) -> None:
            evaluated = self.advance_revision(key, session)["evaluated"]
            mine = {"entity": entity[0], "entity_id": entity[1]}
            query = {"scope_key": key, "by_entity_limits": True, **mine}
            tally = recount(effective_limits(limits), self._fired_snapshots(query, session))
            self._entities.update_one(
                {"_id": entity_document_id(key, entity)},
                {
                    "$set": {
                        "scope_key": key,
                        **mine,
                        "limits": limits,
                        "updated_at": now,
                        **tally_document(tally),
                    },
                    "$push": {"versions": {"since": evaluated, "limits": limits}},
                },
                upsert=True,
                session=session,
            )

        self.in_transaction(write)
        return self.entity_limits(entity, scope, scope_id)

    def entity_limits(self, entity: EntityKey, scope: str, scope_id: str) -> Document:
        key = scope_key(scope, scope_id)
        known = self._entities.find_one({"_id": entity_document_id(key, entity)}) or {}
        return {"limits": known.get("limits", {}), "counts": known.get("counts", {})}

    # -- input of evaluation and replay ---------------------------------------------------

    def scope(self, key: str) -> Document:
        known = self._scopes.find_one({"_id": key})
        return known or {"_id": key, "evaluated": 0, "revision": 0}

    def listeners(self, key: str) -> list[Listener]:
        found = self._triggers.find({"scope_key": key, "deleted_at": {"$exists": False}})
        return [
            Listener(
                document["_id"],
                Trigger.model_validate(document["trigger"]),
                document["order"],
                document["since"],
                tally_from(document),
            )
            for document in found
        ]

    def entities(self, key: str) -> dict[EntityKey, EntityLimits]:
        return {
            (document["entity"], document["entity_id"]): EntityLimits(
                document.get("limits", {}), tally_from(document)
            )
            for document in self._entities.find({"scope_key": key})
        }

    def fired_by_snapshot(self, key: str) -> dict[str, list[str]]:
        """By snapshot id, the triggers that it fired and that are not retracted."""
        fired: dict[str, list[str]] = {}
        query = {"scope_key": key, "retracted_by": None}
        for document in self._activations.find(query, {"trigger_id": 1, "snapshot_id": 1}):
            fired.setdefault(document["snapshot_id"], []).append(document["trigger_id"])
        return fired

    def changes(self, key: str) -> list[Change]:
        """Every version of the triggers and limits of a scope, for a replay."""
        changes: list[Change] = []
        for document in self._triggers.find({"scope_key": key}):
            for version in document["versions"]:
                stored = version["trigger"]
                trigger = None if stored is None else Trigger.model_validate(stored)
                changes.append(
                    TriggerChange(version["since"], document["_id"], document["order"], trigger)
                )
        for document in self._entities.find({"scope_key": key, "versions": {"$exists": True}}):
            entity = (document["entity"], document["entity_id"])
            changes += [
                EntityChange(version["since"], entity, version["limits"])
                for version in document["versions"]
            ]
        return changes

    def scope_activations(self, key: str) -> list[Document]:
        """Every activation of a scope, in order."""
        return list(self._activations.find({"scope_key": key}).sort([("number", 1), ("place", 1)]))

    # -- changes of a scope ---------------------------------------------------------------

    def advance_revision(self, key: str, session: ClientSession) -> Document:
        """Increments the revision; `Busy` while a snapshot is written in parts."""
        try:
            scope = self._scopes.find_one_and_update(
                {"_id": key, "partly": {"$exists": False}},
                {"$inc": {"revision": 1}, "$setOnInsert": {"evaluated": 0}},
                upsert=True,
                return_document=ReturnDocument.AFTER,
                session=session,
            )
        except DuplicateKeyError as error:
            raise Busy(f"{key} is being evaluated") from error
        assert scope is not None
        return scope

    def in_transaction(self, write: Callable[[ClientSession], Any]) -> None:
        with timeout(WRITE_WITHIN), self.database.client.start_session() as session:
            session.with_transaction(write)

    # -- inside ---------------------------------------------------------------------------

    def _load(self, id: str) -> Document:
        document = self._triggers.find_one({"_id": id, "deleted_at": {"$exists": False}})
        if document is None:
            raise _no_such_trigger(id)
        return document

    def _fired_snapshots(self, query: Document, session: ClientSession) -> Sequence[Snapshot]:
        found = self._activations.find(query, {"snapshot_id": 1}, session=session)
        ids = [document["snapshot_id"] for document in found.sort([("number", 1), ("place", 1)])]
        snapshots = self.database[SNAPSHOTS].find({"_id": {"$in": list(set(ids))}})
        by_id = {document["_id"]: snapshot_from(document) for document in snapshots}
        return [by_id[id] for id in ids]


def entity_document_id(key: str, entity: EntityKey) -> str:
    return "/".join((key, *entity))


def trigger_document(trigger: Trigger) -> Document:
    return trigger.model_dump(mode="json", exclude_none=True)


def tally_document(tally: FireCount) -> Document:
    return {"counts": dict(tally.counts), "recent": list(tally.recent)}


def tally_from(document: Document) -> FireCount:
    return FireCount(document.get("counts", {}), tuple(document.get("recent", ())))


def _stored_trigger(document: Document) -> StoredTrigger:
    return StoredTrigger(
        document["_id"],
        Trigger.model_validate(document["trigger"]),
        tally_from(document),
        document["created_at"],
        len(document["versions"]),
    )


def _no_such_trigger(id: str) -> NotFound:
    return NotFound(f"no trigger is called {id:.80}", "`footy triggers list` lists those we know")
