"""SE5: the last answer of a site's feed, shared by all processes: one request serves all goals."""

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

    def save(self, name: str, feed: Document) -> None:
        self._feeds.replace_one({"_id": name}, {"_id": name, **feed}, upsert=True)
