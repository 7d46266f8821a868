"""SE5: the last answer of a site's feed, shared by all processes: one request serves all goals."""

from datetime import datetime

from pymongo.database import Database

from footy_assets.store.collections import SITE_FEEDS, Document
from footy_assets.store.retrying import retry_on_disconnect


@retry_on_disconnect
class SiteFeeds:
    """One document per feed. Only the process that may send the request writes it."""

    def __init__(self, database: Database[Document]) -> None:
        self._feeds = database[SITE_FEEDS]

    def load(self, name: str) -> Document | None:
        return self._feeds.find_one({"_id": name}, {"_id": 0})

    def last_read(self) -> dict[str, datetime]:
        """When each feed was last read, by its name."""
        query = {"fetched_at": {"$type": "date"}}
        found = self._feeds.find(query, {"fetched_at": 1}).sort("_id")
        return {document["_id"]: document["fetched_at"] for document in found}

    def save(self, name: str, feed: Document) -> None:
        self._feeds.replace_one({"_id": name}, {"_id": name, **feed}, upsert=True)
