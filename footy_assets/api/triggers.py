"""T14: triggers, snapshots and subscriptions over HTTP."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Path, Query
from pydantic import AnyHttpUrl, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from footy_assets.api.guard import MayChange
from footy_assets.api.parts import Parts, Shared
from footy_assets.api.problems import CHANGING, Unprocessable
from footy_assets.api.tagged import TaggedRoute
from footy_assets.errors import Busy
from footy_assets.operations.triggers import NOTIFICATION_POLICY
from footy_assets.operations.triggers import explain as explain_snapshot
from footy_assets.store.collections import Document
from footy_assets.store.trigger_outbox import Outbox
from footy_assets.store.trigger_snapshots import SnapshotStore
from footy_assets.store.trigger_targets import match_targets
from footy_assets.store.triggers import StoredTrigger, TriggerStore
from footy_assets.triggers.documents import attributes_of, faults, read_trigger, shown
from footy_assets.triggers.snapshot import Name, Snapshot
from footy_assets.triggers.trigger import Limits, known_limits
from footy_assets.triggers.vocabulary import metadata

router = APIRouter(prefix="/api/v1", route_class=TaggedRoute, tags=["triggers"], responses=CHANGING)

MOST_SNAPSHOTS = 1_000
CHANGE_TRIES = 5
Json = dict[str, Any]
Told = Annotated[Any, Body()]
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


class Asked(BaseModel):
    """What to explain: a stored snapshot by its id, or one that is given."""

    model_config = ConfigDict(extra="forbid")

    snapshot_id: Name | None = None
    snapshot: Snapshot | None = None


# -- triggers -------------------------------------------------------------------------------


@router.get("/triggers/metadata", summary="What a form is drawn from")
def vocabulary(parts: Shared, scope_id: Scope = "", scope: Literal["game"] = "game") -> Json:
    """With the teams and players of a match."""
    teams, players = match_targets(parts.database, scope_id)
    attributes = {"scope": scope, "scope_id": scope_id, "events": metadata(teams, players)}
    return {"data": {"id": scope_id, "type": "metadata", "attributes": attributes}}


@router.get("/triggers", summary="Triggers, by whose they are and on which match")
def listing(
    parts: Shared,
    entity: Only = None,
    entity_id: Only = None,
    scope: Literal["game"] = "game",
    scope_id: Only = None,
    limit: Count = 100,
    offset: Offset = 0,
) -> Json:
    wanted = {"entity": entity, "entity_id": entity_id, "scope": scope, "scope_id": scope_id}
    found = TriggerStore(parts.database).find(limit, offset, **wanted)
    return {"data": [as_data(one) for one in found]}


@router.post("/triggers", summary="Make a trigger", status_code=201, dependencies=[MayChange])
def create(parts: Shared, told: Told) -> Json:
    with faults_named():
        trigger = read_trigger(told)
    return {"data": as_data(TriggerStore(parts.database).create(trigger, parts.clock.now()))}


@router.get("/triggers/{id}", summary="One trigger, with its counts")
def read(parts: Shared, id: Id) -> Json:
    return {"data": as_data(TriggerStore(parts.database).get(id))}


@router.put("/triggers/{id}", summary="Replace a trigger", dependencies=[MayChange])
def replace(parts: Shared, id: Id, told: Told) -> Json:
    return {"data": as_data(changed(parts, id, lambda _: told))}


@router.patch("/triggers/{id}", summary="Change what is given", dependencies=[MayChange])
def update(parts: Shared, id: Id, told: Told) -> Json:
    given = attributes_of(told)
    if not isinstance(given, dict):
        raise Unprocessable([{"field": "data.attributes", "message": "is not an object"}])

    def merged(known: Json) -> Json:
        head = given.get("trigger", {})
        whole = {"trigger": {**known["trigger"], **head}} if isinstance(head, dict) else {}
        return {**known, **given, **whole}

    return {"data": as_data(changed(parts, id, merged))}


@router.delete("/triggers/{id}", summary="End a trigger", status_code=204, dependencies=[MayChange])
def delete(parts: Shared, id: Id) -> None:
    TriggerStore(parts.database).delete(id, parts.clock.now())


@router.put("/triggers/{id}/limits", summary="Set its limits", dependencies=[MayChange])
def limit(parts: Shared, id: Id, told: Told) -> Json:
    """T9: raising a limit revives a finished trigger."""
    return {"data": as_data(changed(parts, id, lambda known: {**known, "limits": told}))}


@router.get("/triggers/{id}/activations", summary="When it fired, and why")
def activations(parts: Shared, id: Id, limit: Count = 100) -> Json:
    store = TriggerStore(parts.database)
    store.get(id)
    return {"data": [as_activation(one) for one in store.activations(id, limit)]}


@router.post("/triggers/{id}/explain", summary="What it says to a snapshot, and why")
def explain(parts: Shared, id: Id, told: Told = None) -> Json:
    """T13: changes nothing, so anyone may ask who may read."""
    with faults_named():
        asked = Asked.model_validate(told or {})
    explanation = explain_snapshot(parts.database, id, asked.snapshot or asked.snapshot_id)
    return {"data": {"id": id, "type": "explanation", "attributes": explanation}}


# -- limits of entities ---------------------------------------------------------------------


@router.get("/entities/{entity}/{entity_id}/limits", summary="Limits of all its triggers")
def entity_limits(parts: Shared, entity: Id, entity_id: Id, scope_id: Scope) -> Json:
    store = TriggerStore(parts.database)
    return {"data": store.entity_limits((entity, entity_id), "game", scope_id)}


@router.put("/entities/{entity}/{entity_id}/limits", summary="Set them", dependencies=[MayChange])
def set_entity_limits(
    parts: Shared, entity: Id, entity_id: Id, scope_id: Scope, told: Told
) -> Json:
    with faults_named():
        limits = known_limits(LIMITS.validate_python(told))
    store, who = TriggerStore(parts.database), (entity, entity_id)
    return {"data": store.set_entity_limits(who, "game", scope_id, limits, parts.clock.now())}


# -- snapshots ------------------------------------------------------------------------------


@router.post("/snapshots", summary="Tell what happened", status_code=202, dependencies=[MayChange])
def push(parts: Shared, told: Told) -> Json:
    """One snapshot or a list; all are good, or none is stored. Known ids change nothing."""
    several = told if isinstance(told, list) else [told]
    if not 0 < len(several) <= MOST_SNAPSHOTS:
        wrong = f"takes 1 to {MOST_SNAPSHOTS} snapshots"
        raise Unprocessable([{"field": "body", "message": wrong}])
    with faults_named():
        if isinstance(told, list):
            good = TypeAdapter(list[Snapshot]).validate_python(told)
        else:
            good = [Snapshot.model_validate(told)]
    stored = SnapshotStore(parts.database).store(good)
    return {"data": {"received": len(good), "stored": stored}}


# -- subscriptions --------------------------------------------------------------------------


@router.post("/subscriptions", summary="Be told", status_code=201, dependencies=[MayChange])
def subscribe(parts: Shared, told: Told) -> Json:
    """The secret is told once, here: signatures are made with it."""
    with faults_named():
        asked = Subscription.model_validate(told)
    only = asked.model_dump(include={"entity", "entity_id", "scope_id"})
    made = outbox(parts).subscribe(str(asked.url), parts.clock.now(), asked.secret, **only)
    data = as_subscription(made)
    data["attributes"]["secret"] = made["secret"]
    return {"data": data}


@router.get("/subscriptions", summary="Who is told", dependencies=[MayChange])
def subscriptions(parts: Shared) -> Json:
    return {"data": [as_subscription(one) for one in outbox(parts).subscriptions()]}


@router.delete(
    "/subscriptions/{id}", summary="Be told no more", status_code=204, dependencies=[MayChange]
)
def unsubscribe(parts: Shared, id: Id) -> None:
    outbox(parts).unsubscribe(id, parts.clock.now())


@router.get("/notifications/dead", summary="What no try could deliver", dependencies=[MayChange])
def dead_letters(parts: Shared, limit: Count = 100) -> Json:
    return {"data": [as_letter(one) for one in outbox(parts).dead_letters(limit)]}


@router.post(
    "/notifications/{id}/replay",
    summary="Try one of them again",
    status_code=202,
    dependencies=[MayChange],
)
def resend(parts: Shared, id: Id) -> Json:
    outbox(parts).replay(id, parts.clock.now())
    return {"data": {"id": id, "type": "notification"}}


# -- reading and showing --------------------------------------------------------------------


@contextmanager
def faults_named() -> Iterator[None]:
    """T6: every wrong field by name."""
    try:
        yield
    except ValidationError as error:
        raise Unprocessable(faults(error)) from error
    except ValueError as error:
        field, _, message = str(error).partition(": ")
        raise Unprocessable([{"field": field.strip("'"), "message": message}]) from error


def changed(parts: Parts, id: str, change: Callable[[Json], Any]) -> StoredTrigger:
    """Made of the trigger as it is now: nobody's change is lost to one made at the same time."""
    store = TriggerStore(parts.database)
    for _ in range(CHANGE_TRIES):
        known = store.get(id)
        told = change(known.trigger.model_dump(mode="json", exclude_none=True))
        with faults_named():
            after = store.update(id, read_trigger(told), parts.clock.now(), was=known.version)
        if after is not None:
            return after
    raise Busy(f"trigger {id} keeps being changed by others")


def outbox(parts: Parts) -> Outbox:
    return Outbox(parts.database, NOTIFICATION_POLICY)


def as_data(one: StoredTrigger) -> Json:
    return shown(one.id, one.trigger, one.counts)


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
    return {"id": one["_id"], "type": "subscription", "attributes": attributes}


def as_letter(one: Document) -> Json:
    names = ("subscription_id", "attempts", "last_error", "failed_at", "body")
    attributes = {name: one.get(name) for name in names}
    return {"id": one["_id"], "type": "notification", "attributes": attributes}
