"""Counts of documents, for metrics and figures. Labels are of closed sets: each new value is a new
time series, and texts have no end of them."""

from collections.abc import Collection
from typing import Any

from pymongo.database import Database

from footy_assets.store.collections import Document

OTHER = "other"


def known_or_other(value: str, known: Collection[str]) -> str:
    return value if value in known else OTHER


def known_expression(value: Any, known: Collection[str]) -> Document:
    """The same in an aggregation."""
    return {"$cond": [{"$in": [value, sorted(known)]}, value, OTHER]}


def count_by_value(
    database: Database[Document], collection: str, field: str, known: Collection[str]
) -> list[tuple[str, int]]:
    """The number of documents for each known value of a field, and of all others together.
    Documents without the field are not counted."""
    grouped: list[Document] = [
        {"$match": {field: {"$ne": None}}},
        {"$group": {"_id": known_expression(f"${field}", known), "count": {"$sum": 1}}},
        {"$sort": {"_id": 1}},
    ]
    return [(d["_id"], d["count"]) for d in database[collection].aggregate(grouped)]
