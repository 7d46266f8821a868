"""Cached lists of teams and seasons from the provider."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pymongo.database import Database

from footy_assets.store.collections import TEAM_LISTS, Document


@dataclass(frozen=True, slots=True)
class CachedList:
    values: list[Any]
    fetched_at: datetime


class TeamListStore:
    def __init__(self, database: Database[Document]) -> None:
        self._lists = database[TEAM_LISTS]

    def get(self, key: str) -> CachedList | None:
        document = self._lists.find_one({"_id": key})
        return CachedList(document["values"], document["fetched_at"]) if document else None

    def latest(self, prefix: str) -> CachedList | None:
        """The most recently fetched list whose key has this prefix."""
        query = {"_id": {"$gte": prefix, "$lt": prefix + "\uffff"}}
        document = self._lists.find_one(query, sort=[("fetched_at", -1)])
        return CachedList(document["values"], document["fetched_at"]) if document else None

    def put(self, key: str, values: list[Any], now: datetime) -> None:
        self._lists.update_one(
            {"_id": key}, {"$set": {"values": values, "fetched_at": now}}, upsert=True
        )
