"""Databases for tests, emptied and used again: forty indexes take longer to make than most tests
take to run."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

from pymongo import MongoClient

from footy_assets.store.collections import Document, ensure_indexes

_idle: dict[str, list[str]] = defaultdict(list)


@contextmanager
def empty_database(uri: str) -> Iterator[str]:
    """The name of one with our indexes and nothing in it."""
    with MongoClient[Document](uri) as client:
        try:
            name = _idle[uri].pop()
        except IndexError:
            name = f"test_{uuid4().hex}"
        # Also of one that was used: what a test did to it is not known.
        ensure_indexes(client[name])
        yield name
        for collection in client[name].list_collection_names():
            client[name][collection].delete_many({})
        _idle[uri].append(name)
