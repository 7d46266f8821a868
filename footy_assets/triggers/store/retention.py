"""F9: the triggers of a match that is deleted, with what they caused."""

from pymongo.database import Database

from footy_assets.store.collections import (
    ACTIVATIONS,
    NOTIFICATIONS,
    SNAPSHOTS,
    TRIGGER_ENTITIES,
    TRIGGER_SCOPES,
    TRIGGERS,
    Document,
)
from footy_assets.triggers.store.snapshots import scope_key

OF_A_SCOPE = (NOTIFICATIONS, ACTIVATIONS, SNAPSHOTS, TRIGGERS, TRIGGER_ENTITIES)


def delete_fixture(database: Database[Document], fixture_id: int) -> None:
    scope = scope_key("game", str(fixture_id))
    for name in OF_A_SCOPE:
        database[name].delete_many({"scope_key": scope})
    database[TRIGGER_SCOPES].delete_one({"_id": scope})
