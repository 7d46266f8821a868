"""T14: snapshots and subscriptions over HTTP."""

from typing import Literal

from fastapi import APIRouter
from pydantic import AnyHttpUrl, BaseModel, ConfigDict, Field, TypeAdapter

from footy_assets.gallery.etags import ETagRoute
from footy_assets.gallery.guard import MayChange
from footy_assets.gallery.problems import CHANGING, Unprocessable
from footy_assets.gallery.services import AppServices, Services
from footy_assets.store.collections import Document
from footy_assets.triggers.rules.snapshot import Name, Snapshot
from footy_assets.triggers.store.outbox import Outbox
from footy_assets.triggers.store.snapshots import SnapshotStore
from footy_assets.triggers.trigger_http import Count, Id, Json, JsonBody, unprocessable_if_invalid
from resources.notify.client import without_credentials

router = APIRouter(prefix="/api/v1", route_class=ETagRoute, tags=["triggers"], responses=CHANGING)

MAX_SNAPSHOTS = 1_000


class Subscription(BaseModel):
    model_config = ConfigDict(extra="forbid")

    url: AnyHttpUrl | Literal["footy:searches"]
    secret: str | None = Field(None, min_length=16, max_length=200)
    entity: Name | None = None
    entity_id: Name | None = None
    scope_id: Name | None = None


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
    """Returns the secret, which signs notifications; it is not shown again."""
    with unprocessable_if_invalid():
        request = Subscription.model_validate(body)
    only = request.model_dump(include={"entity", "entity_id", "scope_id"})
    made = outbox(services).subscribe(
        str(request.url), services.clock.now(), request.secret, **only
    )
    data = as_subscription(made)
    data["attributes"]["secret"] = made["secret"]
    return {"data": data}


@router.get("/subscriptions", summary="Subscriptions", dependencies=[MayChange])
def subscriptions(services: Services) -> Json:
    return {"data": [as_subscription(one) for one in outbox(services).subscriptions()]}


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
    names = ("url", "entity", "entity_id", "scope_id", "created_at", "failures", "last_error")
    attributes = {name: one.get(name) for name in names}
    attributes["url"] = without_credentials(one["url"])
    return {"id": one["_id"], "type": "subscription", "attributes": attributes}


def as_letter(one: Document) -> Json:
    names = ("subscription_id", "attempts", "last_error", "failed_at", "body")
    attributes = {name: one.get(name) for name in names}
    return {"id": one["_id"], "type": "notification", "attributes": attributes}
