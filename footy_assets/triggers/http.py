"""T14: triggers, snapshots and subscriptions over HTTP."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Path, Query
from pydantic import AnyHttpUrl, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from footy_assets.errors import Busy
from footy_assets.gallery.etags import ETagRoute
from footy_assets.gallery.guard import MayChange
from footy_assets.gallery.problems import CHANGING, Unprocessable
from footy_assets.gallery.services import AppServices, Services
from footy_assets.store.collections import Document
from footy_assets.triggers.explain import explain_trigger
from footy_assets.triggers.rules.documents import (
    attributes_of,
    parse_trigger,
    trigger_json,
    validation_errors,
)
from footy_assets.triggers.rules.snapshot import Name, Snapshot
from footy_assets.triggers.rules.trigger import Limits, known_limits
from footy_assets.triggers.rules.vocabulary import metadata
from footy_assets.triggers.store.outbox import Outbox
from footy_assets.triggers.store.snapshots import SnapshotStore
from footy_assets.triggers.store.targets import match_targets
from footy_assets.triggers.store.triggers import StoredTrigger, TriggerStore
from resources.notify.client import without_credentials

router = APIRouter(prefix="/api/v1", route_class=ETagRoute, tags=["triggers"], responses=CHANGING)

MAX_SNAPSHOTS = 1_000
CHANGE_TRIES = 5
Json = dict[str, Any]
JsonBody = Annotated[Any, Body()]
Id = Annotated[str, Path(max_length=200)]
Scope = Annotated[str, Query(max_length=200, description="A match, by its id.")]
Only = Annotated[str | None, Query(max_length=200)]
Count = Annotated[int, Query(ge=1, le=1_000)]
Offset = Annotated[int, Query(ge=0, le=1_000_000)]
LIMITS = TypeAdapter(Limits)


class Subscription(BaseModel):
    model_config = ConfigDict(extra="forbid")

    url: AnyHttpUrl | Literal["footy:searches"]
    secret: str | None = Field(None, min_length=16, max_length=200)
    entity: Name | None = None
    entity_id: Name | None = None
    scope_id: Name | None = None


class ExplainRequest(BaseModel):
    """The snapshot to explain: a stored one by its id, or a new one."""

    model_config = ConfigDict(extra="forbid")

    snapshot_id: Name | None = None
    snapshot: Snapshot | None = None


# -- triggers -------------------------------------------------------------------------------


@router.get("/triggers/metadata", summary="The standard events, for a form")
def vocabulary(services: Services, scope_id: Scope = "", scope: Literal["game"] = "game") -> Json:
    """Includes the teams and players of a match."""
    teams, players = match_targets(services.database, scope_id)
    attributes = {"scope": scope, "scope_id": scope_id, "events": metadata(teams, players)}
    return {"data": {"id": scope_id, "type": "metadata", "attributes": attributes}}


@router.get("/triggers", summary="Triggers, by entity and match")
def listing(
    services: Services,
    entity: Only = None,
    entity_id: Only = None,
    scope: Literal["game"] = "game",
    scope_id: Only = None,
    limit: Count = 100,
    offset: Offset = 0,
) -> Json:
    wanted = {"entity": entity, "entity_id": entity_id, "scope": scope, "scope_id": scope_id}
    found = TriggerStore(services.database).find(limit, offset, **wanted)
    return {"data": [as_data(one) for one in found]}


@router.post("/triggers", summary="Create a trigger", status_code=201, dependencies=[MayChange])
def create(services: Services, body: JsonBody) -> Json:
    with unprocessable_if_invalid():
        trigger = parse_trigger(body)
    return {"data": as_data(TriggerStore(services.database).create(trigger, services.clock.now()))}


@router.get("/triggers/{id}", summary="One trigger, with its counts")
def read(services: Services, id: Id) -> Json:
    return {"data": as_data(TriggerStore(services.database).get(id))}


@router.put("/triggers/{id}", summary="Replace a trigger", dependencies=[MayChange])
def replace(services: Services, id: Id, body: JsonBody) -> Json:
    return {"data": as_data(change_trigger(services, id, lambda _: body))}


@router.patch("/triggers/{id}", summary="Update a trigger", dependencies=[MayChange])
def update(services: Services, id: Id, body: JsonBody) -> Json:
    given = attributes_of(body)
    if not isinstance(given, dict):
        raise Unprocessable([{"field": "data.attributes", "message": "is not an object"}])

    def merged(known: Json) -> Json:
        head = given.get("trigger", {})
        whole = {"trigger": {**known["trigger"], **head}} if isinstance(head, dict) else {}
        return {**known, **given, **whole}

    return {"data": as_data(change_trigger(services, id, merged))}


@router.delete(
    "/triggers/{id}", summary="Delete a trigger", status_code=204, dependencies=[MayChange]
)
def delete(services: Services, id: Id) -> None:
    TriggerStore(services.database).delete(id, services.clock.now())


@router.put("/triggers/{id}/limits", summary="Set its limits", dependencies=[MayChange])
def limit(services: Services, id: Id, body: JsonBody) -> Json:
    """T9: raising a limit revives a finished trigger."""
    return {"data": as_data(change_trigger(services, id, lambda known: {**known, "limits": body}))}


@router.get("/triggers/{id}/activations", summary="Its activations")
def activations(services: Services, id: Id, limit: Count = 100) -> Json:
    store = TriggerStore(services.database)
    store.get(id)
    return {"data": [as_activation(one) for one in store.activations(id, limit)]}


@router.post("/triggers/{id}/explain", summary="Explain how it evaluates a snapshot")
def explain(services: Services, id: Id, body: JsonBody = None) -> Json:
    """T13: changes nothing, so it needs only read access."""
    with unprocessable_if_invalid():
        request = ExplainRequest.model_validate(body or {})
    explanation = explain_trigger(services.database, id, request.snapshot or request.snapshot_id)
    return {"data": {"id": id, "type": "explanation", "attributes": explanation}}


# -- limits of entities ---------------------------------------------------------------------


@router.get("/entities/{entity}/{entity_id}/limits", summary="Limits of all its triggers")
def entity_limits(services: Services, entity: Id, entity_id: Id, scope_id: Scope) -> Json:
    store = TriggerStore(services.database)
    return {"data": store.entity_limits((entity, entity_id), "game", scope_id)}


@router.put("/entities/{entity}/{entity_id}/limits", summary="Set them", dependencies=[MayChange])
def set_entity_limits(
    services: Services, entity: Id, entity_id: Id, scope_id: Scope, body: JsonBody
) -> Json:
    with unprocessable_if_invalid():
        limits = known_limits(LIMITS.validate_python(body))
    store, who = TriggerStore(services.database), (entity, entity_id)
    return {"data": store.set_entity_limits(who, "game", scope_id, limits, services.clock.now())}


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


# -- parsing and formatting -------------------------------------------------------------------


@contextmanager
def unprocessable_if_invalid() -> Iterator[None]:
    """T6: a 422 that names every invalid field."""
    try:
        yield
    except ValidationError as error:
        raise Unprocessable(validation_errors(error)) from error
    except ValueError as error:
        field, _, message = str(error).partition(": ")
        raise Unprocessable([{"field": field.strip("'"), "message": message}]) from error


def change_trigger(services: AppServices, id: str, change: Callable[[Json], Any]) -> StoredTrigger:
    """Applies a change to the current version; retries if the trigger has changed meanwhile."""
    store = TriggerStore(services.database)
    for _ in range(CHANGE_TRIES):
        known = store.get(id)
        body = change(known.trigger.model_dump(mode="json", exclude_none=True))
        with unprocessable_if_invalid():
            after = store.update(id, parse_trigger(body), services.clock.now(), was=known.version)
        if after is not None:
            return after
    raise Busy(f"trigger {id} is being changed by other requests")


def outbox(services: AppServices) -> Outbox:
    return Outbox(services.database)


def as_data(one: StoredTrigger) -> Json:
    return trigger_json(one.id, one.trigger, one.counts)


def as_activation(one: Document) -> Json:
    return {
        "id": one["_id"],
        "type": "activation",
        "attributes": {
            **one["notification"],
            "at": one["at"],
            "retracted_by": one["retracted_by"],
        },
    }


def as_subscription(one: Document) -> Json:
    names = ("url", "entity", "entity_id", "scope_id", "created_at", "failures", "last_error")
    attributes = {name: one.get(name) for name in names}
    attributes["url"] = without_credentials(one["url"])
    return {"id": one["_id"], "type": "subscription", "attributes": attributes}


def as_letter(one: Document) -> Json:
    names = ("subscription_id", "attempts", "last_error", "failed_at", "body")
    attributes = {name: one.get(name) for name in names}
    return {"id": one["_id"], "type": "notification", "attributes": attributes}
