"""Databases for tests, emptied and reused: creating forty indexes takes longer than most tests."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any
from uuid import uuid4

from pymongo import MongoClient
from pymongo.database import Database

from footy_assets.store.collections import META, Document, ensure_indexes, has_indexes
from footy_assets.store.schema import UNVERSIONED, SchemaStore

_idle: dict[str, list[str]] = defaultdict(list)


@contextmanager
def empty_database(uri: str) -> Iterator[str]:
    """The name of a database with all indexes and no documents."""
    database = _client(uri)[_idle[uri].pop() if _idle[uri] else f"test_{uuid4().hex}"]
    if not has_indexes(database):
        ensure_indexes(database)
    schema = SchemaStore(database)
    if schema.version() == UNVERSIONED:
        schema.mark_new()
    yield database.name
    empty(database)
    _idle[uri].append(database.name)


def empty(database: Database[Document]) -> None:
    for name in non_empty_collections(database):
        database[name].delete_many({})


def non_empty_collections(database: Database[Document]) -> list[str]:
    """The names of collections that have a document, by one query. That of the schema version is
    none of them: its document stays."""
    names = [name for name in database.list_collection_names() if name != META]
    first, *others = names or [""]
    if not first:
        return []
    unions = [
        {"$unionWith": {"coll": name, "pipeline": _name_if_not_empty(name)}} for name in others
    ]
    return [
        found["name"] for found in database[first].aggregate([*_name_if_not_empty(first), *unions])
    ]


def _name_if_not_empty(name: str) -> list[dict[str, Any]]:
    return [{"$limit": 1}, {"$project": {"_id": 0, "name": {"$literal": name}}}]


@cache
def _client(uri: str) -> MongoClient[Document]:
    """One client for all tests; it lives as long as the process, like its server."""
    return MongoClient(uri)
