"""Delivers notifications to subscribers: over HTTP, to a channel, or to the clip pipeline."""

from pymongo.database import Database

from footy_assets.store.collections import Document
from footy_assets.triggers.notify import Subscriber
from footy_assets.triggers.rules.subscription import AddressKind, address_kind
from footy_assets.triggers.search_subscriber import SearchesSubscriber
from footy_assets.triggers.store.outbox import NOTIFICATION_POLICY
from resources.notify.channels import ChannelSubscriber, masked
from resources.notify.client import HttpSubscriber, without_credentials


class Subscribers:
    """Chooses the subscriber by the URL of the subscription.

    `channels` may be shared: its process is started at the first message.
    """

    def __init__(
        self,
        database: Database[Document],
        channels: ChannelSubscriber | None = None,
        *,
        private_addresses: bool = False,
    ) -> None:
        timeout = NOTIFICATION_POLICY.timeout
        self._by_kind: dict[AddressKind, Subscriber] = {
            "http": HttpSubscriber(timeout, private_addresses=private_addresses),
            "channel": channels or open_channels(private_addresses=private_addresses),
            "searches": SearchesSubscriber(database),
        }

    def deliver(self, url: str, body: bytes, headers: dict[str, str]) -> int:
        return self._by_kind[address_kind(url)].deliver(url, body, headers)


def open_channels(*, private_addresses: bool) -> ChannelSubscriber:
    return ChannelSubscriber(NOTIFICATION_POLICY.timeout, private_addresses=private_addresses)


def shown_url(url: str) -> str:
    """T17: an address without its secrets; of a channel the scheme only."""
    return masked(url) if address_kind(url) == "channel" else without_credentials(url)
