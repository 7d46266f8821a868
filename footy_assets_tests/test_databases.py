"""A test gets an empty database with all indexes, whatever the previous test did to it."""

from pymongo import MongoClient

from footy_assets.store.collections import EVENTS, FIXTURES, Document, has_indexes
from footy_assets_tests.databases import empty_database, non_empty_collections


def test_a_reused_database_is_empty_and_has_its_indexes(mongo_uri: str) -> None:
    with MongoClient[Document](mongo_uri) as client:
        with empty_database(mongo_uri) as name:
            client[name][EVENTS].insert_one({"a": 1})
            client[name]["a collection of its own"].insert_one({"a": 1})
            client[name][FIXTURES].drop_indexes()
            assert sorted(non_empty_collections(client[name])) == [
                "a collection of its own",
                EVENTS,
            ]
        with empty_database(mongo_uri) as again:
            assert again == name
            assert non_empty_collections(client[name]) == []
            assert has_indexes(client[name])
            client.drop_database(name)
        with empty_database(mongo_uri) as once_more:
            assert once_more == name
            assert has_indexes(client[name])
