"""T16: the clip pipeline subscribes to triggers: goals that fire one are searched for first."""

import json

from pymongo.database import Database

from footy_assets.search.store.searches import SearchStore
from footy_assets.store.collections import Document
from footy_assets.triggers.rules.goal_moments import goal_key_of
from footy_assets.triggers.rules.subscription import SEARCHES

OK = 200


class SearchesSubscriber:
    """Prefers the search for the goal of a notification. Idempotent."""

    URL = SEARCHES

    def __init__(self, database: Database[Document]) -> None:
        self._searches = SearchStore(database)

    def deliver(self, url: str, body: bytes, headers: dict[str, str]) -> int:
        notification = json.loads(body)
        goal_key = goal_key_of(notification["reason"])
        if goal_key is not None:
            self._searches.set_preferred(goal_key, not notification.get("retracted", False))
        return OK
