"""F9: the searches of a match that is deleted."""

from pymongo.database import Database

from footy_assets.store.collections import ATTEMPTS, VIDEOS, Document


def delete_fixture(database: Database[Document], fixture_id: int) -> None:
    for name in (ATTEMPTS, VIDEOS):
        database[name].delete_many({"fixture_id": fixture_id})
