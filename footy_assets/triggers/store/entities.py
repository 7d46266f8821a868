"""T22: all triggers of an entity at once."""

from collections import defaultdict
from datetime import datetime

from pymongo.client_session import ClientSession
from pymongo.database import Database

from footy_assets.store.collections import TRIGGERS, Document
from footy_assets.triggers.rules.engine import EntityKey
from footy_assets.triggers.rules.trigger import Trigger
from footy_assets.triggers.store.snapshots import scope_key
from footy_assets.triggers.store.triggers import TriggerStore, trigger_document


class EntityStore:
    def __init__(self, database: Database[Document]) -> None:
        self._store = TriggerStore(database)
        self._triggers = database[TRIGGERS]

    def set_disabled(
        self, entity: EntityKey, disabled: bool, now: datetime, scope_id: str | None = None
    ) -> list[str]:
        """Sets `disabled_entity` of all its triggers, or of those in one match.

        Returns the ids of those that changed. Each match is one transaction; repeat the call after
        a crash to change the others.
        """
        query: Document = {
            "entity": entity[0],
            "entity_id": entity[1],
            "deleted_at": {"$exists": False},
            "trigger.trigger.disabled_entity": {"$ne": disabled},
        }
        if scope_id is not None:
            query["scope_key"] = scope_key("game", scope_id)
        by_scope: defaultdict[str, list[str]] = defaultdict(list)
        for found in self._triggers.find(query, {"scope_key": 1}).sort("_id", 1):
            by_scope[found["scope_key"]].append(found["_id"])
        changed: list[str] = []
        for key, ids in by_scope.items():
            changed += self._change_scope(key, {**query, "_id": {"$in": ids}}, disabled, now)
        return changed

    def _change_scope(self, key: str, query: Document, disabled: bool, now: datetime) -> list[str]:
        changed: list[str] = []

        def write(session: ClientSession) -> None:
            changed.clear()
            evaluated = self._store.advance_revision(key, session)["evaluated"]
            for known in self._triggers.find(query, session=session):
                trigger = Trigger.model_validate(known["trigger"])
                head = trigger.trigger.model_copy(update={"disabled_entity": disabled})
                document = trigger_document(trigger.model_copy(update={"trigger": head}))
                version = {"since": max(evaluated, known["since"]), "trigger": document}
                self._triggers.update_one(
                    {"_id": known["_id"]},
                    {
                        "$set": {"trigger": document, "updated_at": now},
                        "$push": {"versions": version},
                    },
                    session=session,
                )
                changed.append(known["_id"])

        self._store.in_transaction(write)
        return changed
