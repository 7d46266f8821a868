"""Counts of documents, for metrics."""

from pymongo.database import Database

from footy_assets.store.collections import Document


def count_by_value(
    database: Database[Document], collection: str, field: str
) -> list[tuple[str, int]]:
    """The number of documents for each value of a field."""
    grouped: list[Document] = [
        {"$group": {"_id": f"${field}", "count": {"$sum": 1}}},
        {"$sort": {"_id": 1}},
    ]
    return [(str(d["_id"]), d["count"]) for d in database[collection].aggregate(grouped)]
