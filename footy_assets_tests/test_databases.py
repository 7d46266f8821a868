"""A test finds its database empty and with its indexes, whatever the one before did to it."""

from pymongo import MongoClient

from footy_assets.store.collections import EVENTS, FIXTURES, Document, has_indexes
from footy_assets_tests.databases import empty_database, in_use


def test_what_a_test_wrote_and_dropped_is_as_if_it_had_not(mongo_uri: str) -> None:
    with MongoClient[Document](mongo_uri) as client:
        with empty_database(mongo_uri) as name:
            client[name][EVENTS].insert_one({"a": 1})
            client[name]["a collection of its own"].insert_one({"a": 1})
            client[name][FIXTURES].drop_indexes()
            assert sorted(in_use(client[name])) == ["a collection of its own", EVENTS]
        with empty_database(mongo_uri) as again:
            assert again == name
            assert in_use(client[name]) == []
            assert has_indexes(client[name])
            client.drop_database(name)
        with empty_database(mongo_uri) as once_more:
            assert once_more == name
            assert has_indexes(client[name])
