"""T14: the shape that triggers are read and shown in, and the fields that a bad one has wrong."""

from typing import Any

from pydantic import ValidationError

from footy_assets.triggers.trigger import Head, Trigger

Json = dict[str, Any]


def attributes_of(told: Any) -> Any:
    """`{"data": {"attributes": …}}`, or the attributes alone."""
    if isinstance(told, dict) and isinstance(told.get("data"), dict):
        return told["data"].get("attributes", {})
    return told


def read_trigger(told: Any) -> Trigger:
    """Counts are ours: whoever sends back what was read may leave them in."""
    attributes = attributes_of(told)
    if isinstance(attributes, dict):
        attributes = {name: value for name, value in attributes.items() if name != "counts"}
        if "trigger" not in attributes:
            attributes = _gathered(attributes)
    return Trigger.model_validate(attributes)


def _gathered(attributes: Json) -> Json:
    """Written flat, as people do: what belongs to the trigger's head stands beside the rest."""
    head = {name: value for name, value in attributes.items() if name in Head.model_fields}
    rest = {name: value for name, value in attributes.items() if name not in head}
    return {"trigger": head, **rest}


def shown(id: str, trigger: Trigger, counts: dict[str, int]) -> Json:
    """A trigger as the API gives it."""
    attributes = trigger.model_dump(mode="json", exclude_none=True)
    return {"id": id, "type": "trigger", "attributes": {**attributes, "counts": counts}}


def faults(error: ValidationError) -> list[Json]:
    """Every wrong field by its path, with a sentence; a model's own rule names its field itself."""
    found = []
    for one in error.errors(include_url=False, include_input=False, include_context=False):
        path = ".".join(str(part) for part in one["loc"] if part != "[key]")
        message = one["msg"].removeprefix("Value error, ")
        named, colon, rest = message.partition(": ")
        if colon and " " not in named:
            path = ".".join(part for part in (path, named.strip("'")) if part)
            message = rest
        found.append({"field": path, "message": message})
    return found
