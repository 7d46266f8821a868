"""Bulk writes in which each write has its own condition."""

from collections.abc import Sequence
from typing import Any

from pymongo import UpdateOne
from pymongo.collection import Collection
from pymongo.errors import BulkWriteError

from footy_assets.store.collections import Document

DUPLICATE_KEY = 11000


def write_conditionally(collection: Collection[Document], writes: Sequence[UpdateOne]) -> int:
    """Returns how many were written.

    A duplicate key means that the condition of an upsert was false: another process wrote first.
    """
    if not writes:
        return 0
    try:
        result = collection.bulk_write(writes, ordered=False)
    except BulkWriteError as error:
        details: Any = error.details
        if any(one["code"] != DUPLICATE_KEY for one in details["writeErrors"]):
            raise
        return int(details["nModified"] + details["nUpserted"])
    return result.modified_count + result.upserted_count
