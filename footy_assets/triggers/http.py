"""T14: snapshots and subscriptions over HTTP."""

from contextlib import closing

from fastapi import APIRouter
from pydantic import TypeAdapter

from footy_assets.gallery.etags import ETagRoute
from footy_assets.gallery.guard import MayChange
from footy_assets.gallery.problems import CHANGING, Unprocessable
from footy_assets.gallery.services import AppServices, Services
from footy_assets.store.collections import Document
from footy_assets.triggers.rules.snapshot import Snapshot
from footy_assets.triggers.rules.subscription import SubscriptionRequest
from footy_assets.triggers.store.outbox import Outbox
from footy_assets.triggers.store.snapshots import SnapshotStore
from footy_assets.triggers.subscribe import send_test, shown_subscription
from footy_assets.triggers.subscribe import subscribe as make_subscription
from footy_assets.triggers.subscribers import Subscribers
from footy_assets.triggers.trigger_http import (
    Count,
    Id,
    Json,
    JsonBody,
    Only,
    channels,
    unprocessable_if_invalid,
)

router = APIRouter(prefix="/api/v1", route_class=ETagRoute, tags=["triggers"], responses=CHANGING)

MAX_SNAPSHOTS = 1_000


# -- snapshots ------------------------------------------------------------------------------


@router.post("/snapshots", summary="Push snapshots", status_code=202, dependencies=[MayChange])
def push(services: Services, body: JsonBody) -> Json:
    """One snapshot or a list. If one is invalid, none is stored. Known ids change nothing."""
    bodies = body if isinstance(body, list) else [body]
    if not 0 < len(bodies) <= MAX_SNAPSHOTS:
        wrong = f"takes 1 to {MAX_SNAPSHOTS} snapshots"
        raise Unprocessable([{"field": "body", "message": wrong}])
    with unprocessable_if_invalid():
        if isinstance(body, list):
            snapshots = TypeAdapter(list[Snapshot]).validate_python(body)
        else:
            snapshots = [Snapshot.model_validate(body)]
    stored = SnapshotStore(services.database).store(snapshots)
    return {"data": {"received": len(snapshots), "stored": stored}}


# -- subscriptions --------------------------------------------------------------------------


@router.post("/subscriptions", summary="Subscribe", status_code=201, dependencies=[MayChange])
def subscribe(services: Services, body: JsonBody) -> Json:
    """T17: a signed HTTP address, or a channel that Apprise knows. Returns the secret, which signs
    notifications; neither it nor the address of a channel is shown again."""
    with unprocessable_if_invalid():
        request = SubscriptionRequest.model_validate(body)
        with closing(channels(services)) as opened:
            made = make_subscription(services.database, request, opened, services.clock.now())
    data = as_subscription(made)
    data["attributes"]["secret"] = made["secret"]
    return {"data": data}


@router.get("/subscriptions", summary="Subscriptions", dependencies=[MayChange])
def subscriptions(services: Services, scope_id: Only = None, trigger_id: Only = None) -> Json:
    found = outbox(services).subscriptions(scope_id=scope_id, trigger_id=trigger_id)
    return {"data": [as_subscription(one) for one in found]}


@router.post("/subscriptions/{id}/test", summary="Send a test message", dependencies=[MayChange])
def test_subscription(services: Services, id: Id) -> Json:
    """Sent at once; `error` says why it failed."""
    with closing(channels(services)) as opened:
        private = services.settings.notify_private_addresses
        subscribers = Subscribers(services.database, opened, private_addresses=private)
        error = send_test(services.database, id, subscribers, services.clock.now())
    return {"data": {"id": id, "delivered": error is None, "error": error}}


@router.delete(
    "/subscriptions/{id}", summary="Unsubscribe", status_code=204, dependencies=[MayChange]
)
def unsubscribe(services: Services, id: Id) -> None:
    outbox(services).unsubscribe(id, services.clock.now())


@router.get(
    "/notifications/dead",
    summary="Undelivered notifications",
    dependencies=[MayChange],
)
def dead_letters(services: Services, limit: Count = 100) -> Json:
    return {"data": [as_letter(one) for one in outbox(services).dead_letters(limit)]}


@router.post(
    "/notifications/{id}/replay",
    summary="Send one of them again",
    status_code=202,
    dependencies=[MayChange],
)
def resend(services: Services, id: Id) -> Json:
    outbox(services).resend(id, services.clock.now())
    return {"data": {"id": id, "type": "notification"}}


# -- formatting --------------------------------------------------------------------------


def outbox(services: AppServices) -> Outbox:
    return Outbox(services.database)


def as_subscription(one: Document) -> Json:
    return {"id": one["_id"], "type": "subscription", "attributes": shown_subscription(one)}


def as_letter(one: Document) -> Json:
    names = ("subscription_id", "attempts", "last_error", "failed_at", "body")
    attributes = {name: one.get(name) for name in names}
    return {"id": one["_id"], "type": "notification", "attributes": attributes}
