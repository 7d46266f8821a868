"""F9: what the providers reported on a match that is deleted."""

from pymongo.database import Database

from footy_assets.store.collections import (
    MATCH_LEADS,
    MERGED_SNAPSHOTS,
    PROVIDER_CONFLICTS,
    PROVIDER_DETAILS,
    PROVIDER_MAPPINGS,
    PROVIDER_RECORDS,
    PROVIDER_REPORTS,
    Document,
)

OF_A_MATCH = (
    *(PROVIDER_RECORDS, PROVIDER_REPORTS, PROVIDER_MAPPINGS, PROVIDER_CONFLICTS),
    *(PROVIDER_DETAILS, MATCH_LEADS),
)


def delete_fixture(database: Database[Document], fixture_id: int) -> None:
    about = [{"match_id": fixture_id}, {"candidates": str(fixture_id)}]
    for name in OF_A_MATCH:
        database[name].delete_many({"$or": about})
    database[MERGED_SNAPSHOTS].delete_one({"_id": fixture_id})
