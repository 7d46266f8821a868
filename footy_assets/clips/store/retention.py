"""F9: the clips of a match that is deleted; their objects are gone before."""

from pymongo.database import Database

from footy_assets.store.collections import CLIPS, HELD_FILES, REMOVED_CLIPS, Document


def delete_fixture(database: Database[Document], fixture_id: int) -> None:
    for name in (CLIPS, HELD_FILES, REMOVED_CLIPS):
        database[name].delete_many({"fixture_id": fixture_id})
