"""T17: the latest activations of some entities."""

from collections.abc import Sequence

from pymongo.database import Database

from footy_assets.store.collections import ACTIVATIONS, Document
from footy_assets.triggers.rules.engine import EntityKey

MOST = 20


def recent_activations(
    database: Database[Document], entities: Sequence[EntityKey]
) -> list[Document]:
    """The latest first."""
    if not entities:
        return []
    wanted = [{"entity": entity, "entity_id": entity_id} for entity, entity_id in entities]
    found = database[ACTIVATIONS].find({"$or": wanted})
    return list(found.sort([("evaluated_at", -1), ("_id", 1)]).limit(MOST))
