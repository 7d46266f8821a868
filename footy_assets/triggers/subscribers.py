"""Delivers notifications to subscribers: over HTTP, or to the clip pipeline at `footy:searches`."""

from pymongo.database import Database

from footy_assets.store.collections import Document
from footy_assets.triggers.search_subscriber import SearchesSubscriber
from footy_assets.triggers.store.outbox import NOTIFICATION_POLICY
from resources.notify.client import HttpSubscriber


class Subscribers:
    """Chooses the subscriber by the URL of the subscription."""

    def __init__(self, database: Database[Document], *, private_addresses: bool = False) -> None:
        self._http = HttpSubscriber(
            NOTIFICATION_POLICY.timeout, private_addresses=private_addresses
        )
        self._searches = SearchesSubscriber(database)

    def deliver(self, url: str, body: bytes, headers: dict[str, str]) -> int:
        subscriber = self._searches if url == SearchesSubscriber.URL else self._http
        return subscriber.deliver(url, body, headers)
