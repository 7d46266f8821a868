"""T17: makes subscriptions whose addresses are right, and sends a test message to one."""

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol
from urllib.parse import urlsplit

from pydantic import AnyHttpUrl, TypeAdapter
from pymongo.database import Database

from footy_assets.errors import BadInput, DeliveryFailed
from footy_assets.store.collections import Document
from footy_assets.triggers.edit import EditedTrigger, check_trigger
from footy_assets.triggers.notify import Subscriber, signed_headers
from footy_assets.triggers.rules.documents import attributes_of, parse_trigger
from footy_assets.triggers.rules.subscription import (
    NATIVE_HOSTS,
    SubscriptionRequest,
    address_kind,
)
from footy_assets.triggers.store.outbox import Outbox
from footy_assets.triggers.store.triggers import TriggerStore
from footy_assets.triggers.subscribers import shown_url
from resources.notify.channels import Channel

HTTP_URL = TypeAdapter(AnyHttpUrl)
TEST_MESSAGE = {
    "title": "footy: test message",
    "text": "This channel works. Goals, cards and clips will arrive like this.",
    "link": None,
    "score": None,
    "minute": None,
}
SHOWN = (
    "entity", "entity_id", "scope_id", "trigger_id", "payload", "quiet", "created_at", "failures",
    "last_error",
)  # fmt: skip


class ChannelCheck(Protocol):
    def check(self, url: str) -> Channel:
        """Raises `BadInput` for a URL that names no channel."""
        ...


def checked_url(url: str, channels: ChannelCheck) -> str:
    """The address as it is stored. Raises `ValueError`, which says nothing of its secrets."""
    kind = address_kind(url)
    native = kind == "http" and urlsplit(url).hostname in NATIVE_HOSTS
    if kind == "channel" or native:
        try:
            channel = channels.check(url)
        except (BadInput, DeliveryFailed) as error:
            if not native:
                raise ValueError(f"url: {error.sentence()}") from error
        else:
            return channel.url if native else url
    return str(HTTP_URL.validate_python(url)) if kind == "http" else url


def subscribe(
    database: Database[Document],
    request: SubscriptionRequest,
    channels: ChannelCheck,
    now: datetime,
    id: str | None = None,
) -> Document:
    return Outbox(database).subscribe(
        checked_url(request.url, channels),
        now,
        request.secret,
        id=id,
        payload=request.payload,
        quiet=request.quiet.model_dump(mode="json") if request.quiet else None,
        **request.filters,
    )


@dataclass(frozen=True, slots=True)
class SubscribedTrigger:
    edited: EditedTrigger
    subscription: Document | None


def create_subscribed(
    database: Database[Document], body: Any, channels: ChannelCheck, now: datetime
) -> SubscribedTrigger:
    """T17: a trigger, and in the same step the subscription that its document has.

    The subscription comes first: one whose trigger is missing after a crash notifies of nothing,
    and a trigger is never without its own.
    """
    document, wanted = split_subscription(body)
    checked = check_trigger(database, parse_trigger(document))
    head = checked.trigger.trigger
    id = head.id or secrets.token_hex(12)
    subscription = None
    if wanted is not None:
        given = SubscriptionRequest.model_validate(_addressed(database, wanted, id))
        subscription = subscribe(database, given, channels, now)
    try:
        stored = TriggerStore(database).create(checked.trigger, now, id)
    except ValueError:
        if subscription is not None:
            Outbox(database).unsubscribe(subscription["_id"], now)
        raise
    return SubscribedTrigger(EditedTrigger(stored, checked.warnings), subscription)


def send_test(
    database: Database[Document], id: str, subscriber: Subscriber, now: datetime
) -> str | None:
    """Sends a test message at once; why it failed, or None. Nothing is stored of it."""
    subscription = Outbox(database).subscription(id)
    key = f"test-{secrets.token_hex(8)}"
    body = {"test": True, "reason": "test", "message": TEST_MESSAGE}
    sent = json.dumps(body, sort_keys=True).encode()
    headers = signed_headers(subscription["secret"], sent, key, now)
    try:
        subscriber.deliver(subscription["url"], sent, headers)
    except DeliveryFailed as error:
        return str(error)
    return None


def _addressed(database: Database[Document], wanted: Any, trigger_id: str) -> Any:
    """`channel` names a subscription whose address is used."""
    if not isinstance(wanted, Mapping):
        return wanted
    given = {**wanted, "trigger_id": trigger_id}
    if (channel := given.pop("channel", None)) is not None:
        given["url"] = Outbox(database).subscription(str(channel))["url"]
    return given


def split_subscription(body: Any) -> tuple[Any, Any]:
    """A trigger's document, and the `subscription` that is made in the same step, if it has one."""
    attributes = attributes_of(body)
    if not isinstance(attributes, Mapping) or attributes.get("subscription") is None:
        return body, None
    rest = {name: value for name, value in attributes.items() if name != "subscription"}
    return rest, attributes["subscription"]


def shown_subscription(one: Document) -> dict[str, Any]:
    """T17: a subscription as the API and the command line show it, without its secrets."""
    return {"url": shown_url(one["url"]), **{name: one.get(name) for name in SHOWN}}
