"""T14, T22: triggers and the entities they belong to, over HTTP."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Path, Query
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from footy_assets.gallery.etags import ETagRoute
from footy_assets.gallery.guard import MayChange
from footy_assets.gallery.problems import CHANGING, Unprocessable
from footy_assets.gallery.services import AppServices, Services
from footy_assets.store.collections import Document
from footy_assets.triggers.edit import (
    EditedTrigger,
    change_trigger,
    merge,
    shown_trigger,
)
from footy_assets.triggers.explain import explain_trigger
from footy_assets.triggers.rules.documents import attributes_of, validation_errors
from footy_assets.triggers.rules.snapshot import Name, Snapshot, known_sport
from footy_assets.triggers.rules.sports import FOOTBALL, SPORTS
from footy_assets.triggers.rules.targets import WrongTargets
from footy_assets.triggers.rules.trigger import Limits, known_limits
from footy_assets.triggers.rules.vocabulary import metadata
from footy_assets.triggers.store.entities import EntityStore
from footy_assets.triggers.store.targets import match_targets
from footy_assets.triggers.store.triggers import TriggerStore
from footy_assets.triggers.subscribe import create_subscribed
from footy_assets.triggers.subscribers import open_channels
from resources.notify.channels import ChannelSubscriber

router = APIRouter(prefix="/api/v1", route_class=ETagRoute, tags=["triggers"], responses=CHANGING)

Json = dict[str, Any]
JsonBody = Annotated[Any, Body()]
Id = Annotated[str, Path(max_length=200)]
Scope = Annotated[str, Query(max_length=200, description="A match, by its id.")]
Only = Annotated[str | None, Query(max_length=200)]
Count = Annotated[int, Query(ge=1, le=1_000)]
Offset = Annotated[int, Query(ge=0, le=1_000_000)]
LIMITS = TypeAdapter(Limits)


class ExplainRequest(BaseModel):
    """The snapshot to explain: a stored one by its id, or a new one."""

    model_config = ConfigDict(extra="forbid")

    snapshot_id: Name | None = None
    snapshot: Snapshot | None = None


# -- triggers -------------------------------------------------------------------------------


@router.get("/triggers/metadata", summary="The standard events, for a form")
def vocabulary(
    services: Services,
    scope_id: Scope = "",
    scope: Literal["game"] = "game",
    sport: Annotated[str, Query(max_length=50)] = FOOTBALL,
) -> Json:
    """T23: includes the teams and players of a match, and the limits that a form offers."""
    with unprocessable_if_invalid("sport"):
        known_sport(sport)
    known = match_targets(services.database, scope_id, sport)
    attributes = {
        "scope": scope,
        "scope_id": scope_id,
        "sport": sport,
        "sports": list(SPORTS),
        "events": metadata(known.teams, known.players, sport),
        "limits": [dict(one) for one in SPORTS[sport].limits],
        "rosters_known": known.all_players,
    }
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
    return {"data": [shown_trigger(one, services.clock.now()) for one in found]}


@router.post("/triggers", summary="Create a trigger", status_code=201, dependencies=[MayChange])
def create(services: Services, body: JsonBody) -> Json:
    """T17: `subscription` beside `trigger` subscribes to it in the same step. T19: `warnings`
    names targets that could not be checked, since no roster is known."""
    with unprocessable_if_invalid(), closing(channels(services)) as opened:
        made = create_subscribed(services.database, body, opened, services.clock.now())
    answer = as_edited(services, made.edited)
    if made.subscription is not None:
        answer["subscription"] = {"id": made.subscription["_id"]}
    return answer


@router.get("/triggers/{id}", summary="One trigger, with its counts")
def read(services: Services, id: Id) -> Json:
    found = TriggerStore(services.database).get(id)
    return {"data": shown_trigger(found, services.clock.now())}


@router.put("/triggers/{id}", summary="Replace a trigger", dependencies=[MayChange])
def replace(services: Services, id: Id, body: JsonBody) -> Json:
    return changed(services, id, lambda _: body)


@router.patch("/triggers/{id}", summary="Update a trigger", dependencies=[MayChange])
def update(services: Services, id: Id, body: JsonBody) -> Json:
    given = attributes_of(body)
    if not isinstance(given, dict):
        raise Unprocessable([{"field": "data.attributes", "message": "is not an object"}])
    return changed(services, id, merge(given))


@router.delete(
    "/triggers/{id}", summary="Delete a trigger", status_code=204, dependencies=[MayChange]
)
def delete(services: Services, id: Id) -> None:
    TriggerStore(services.database).delete(id, services.clock.now())


@router.put("/triggers/{id}/limits", summary="Set its limits", dependencies=[MayChange])
def limit(services: Services, id: Id, body: JsonBody) -> Json:
    """T9: raising a limit revives a finished trigger."""
    return changed(services, id, lambda known: {**known, "limits": body})


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


# -- entities --------------------------------------------------------------------------------


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


@router.post(
    "/entities/{entity}/{entity_id}/disable",
    summary="Silence all its triggers",
    dependencies=[MayChange],
)
def disable(services: Services, entity: Id, entity_id: Id, scope_id: Only = None) -> Json:
    return set_disabled(services, (entity, entity_id), True, scope_id)


@router.post(
    "/entities/{entity}/{entity_id}/enable",
    summary="Let all its triggers fire again",
    dependencies=[MayChange],
)
def enable(services: Services, entity: Id, entity_id: Id, scope_id: Only = None) -> Json:
    return set_disabled(services, (entity, entity_id), False, scope_id)


def set_disabled(
    services: AppServices, entity: tuple[str, str], disabled: bool, scope_id: str | None
) -> Json:
    store = EntityStore(services.database)
    ids = store.set_disabled(entity, disabled, services.clock.now(), scope_id)
    return {"data": {"disabled": disabled, "changed": ids}}


# -- parsing and formatting -------------------------------------------------------------------


@contextmanager
def unprocessable_if_invalid(only_field: str = "") -> Iterator[None]:
    """T6: a 422 that names every invalid field."""
    try:
        yield
    except WrongTargets as error:
        raise Unprocessable(error.faults) from error
    except ValidationError as error:
        raise Unprocessable(validation_errors(error)) from error
    except ValueError as error:
        text = f"{only_field}: {error}" if only_field else str(error)
        field, _, message = text.partition(": ")
        raise Unprocessable([{"field": field.strip("'"), "message": message}]) from error


def channels(services: AppServices) -> ChannelSubscriber:
    """Starts its process at the first use; close it."""
    return open_channels(private_addresses=services.settings.notify_private_addresses)


def changed(services: AppServices, id: str, change: Callable[[Json], Any]) -> Json:
    with unprocessable_if_invalid():
        edited = change_trigger(services.database, id, change, services.clock.now())
    return as_edited(services, edited)


def as_edited(services: AppServices, edited: EditedTrigger) -> Json:
    data = shown_trigger(edited.stored, services.clock.now())
    return {"data": data, "warnings": list(edited.warnings)}


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
