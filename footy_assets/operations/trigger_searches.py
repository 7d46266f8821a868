"""T16: the clip pipeline listens to triggers: what people wait for is searched for first."""

import json

from pymongo.database import Database

from footy_assets.store.collections import Document
from footy_assets.store.searches import SearchStore
from footy_assets.triggers.live import goal_of

OK = 200


class SearchesSubscriber:
    """Takes a notification like any subscriber; one that comes twice changes nothing."""

    URL = "footy:searches"

    def __init__(self, database: Database[Document]) -> None:
        self._searches = SearchStore(database)

    def deliver(self, url: str, body: bytes, headers: dict[str, str]) -> int:
        told = json.loads(body)
        goal_key = goal_of(told["reason"])
        if goal_key is not None:
            self._searches.prefer(goal_key, not told.get("retracted", False))
        return OK
