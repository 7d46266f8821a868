"""Databases for tests, emptied and used again: forty indexes take longer to make than most tests
take to run."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any
from uuid import uuid4

from pymongo import MongoClient
from pymongo.database import Database

from footy_assets.store.collections import Document, ensure_indexes, has_indexes

_idle: dict[str, list[str]] = defaultdict(list)


@contextmanager
def empty_database(uri: str) -> Iterator[str]:
    """The name of one with our indexes and nothing in it."""
    database = _client(uri)[_idle[uri].pop() if _idle[uri] else f"test_{uuid4().hex}"]
    if not has_indexes(database):
        ensure_indexes(database)
    yield database.name
    empty(database)
    _idle[uri].append(database.name)


def empty(database: Database[Document]) -> None:
    for name in in_use(database):
        database[name].delete_many({})


def in_use(database: Database[Document]) -> list[str]:
    """The collections that have a document, found with one question."""
    first, *others = database.list_collection_names() or [""]
    if not first:
        return []
    looks = [{"$unionWith": {"coll": name, "pipeline": _one_of(name)}} for name in others]
    return [found["name"] for found in database[first].aggregate([*_one_of(first), *looks])]


def _one_of(name: str) -> list[dict[str, Any]]:
    return [{"$limit": 1}, {"$project": {"_id": 0, "name": {"$literal": name}}}]


@cache
def _client(uri: str) -> MongoClient[Document]:
    """One for all tests; it ends with the process, as its server does."""
    return MongoClient(uri)
