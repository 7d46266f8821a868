"""Many writes at once, each on a condition that it names itself."""

from collections.abc import Sequence
from typing import Any

from pymongo import UpdateOne
from pymongo.collection import Collection
from pymongo.errors import BulkWriteError

from footy_assets.store.collections import Document

DUPLICATE = 11000


def write_where_true(collection: Collection[Document], writes: Sequence[UpdateOne]) -> int:
    """How many were written. One that would insert what is there already found its condition
    false: another was faster, and the next look sees what it wrote."""
    if not writes:
        return 0
    try:
        result = collection.bulk_write(writes, ordered=False)
    except BulkWriteError as error:
        told: Any = error.details
        if any(one["code"] != DUPLICATE for one in told["writeErrors"]):
            raise
        return int(told["nModified"] + told["nUpserted"])
    return result.modified_count + result.upserted_count
