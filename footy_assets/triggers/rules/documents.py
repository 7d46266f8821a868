"""T14: triggers as JSON, and the validation errors of an invalid one."""

from typing import Any

from pydantic import ValidationError

from footy_assets.triggers.rules.trigger import Head, Trigger

Json = dict[str, Any]


def attributes_of(body: Any) -> Any:
    """`{"data": {"attributes": …}}`, or the attributes alone."""
    if isinstance(body, dict) and isinstance(body.get("data"), dict):
        return body["data"].get("attributes", {})
    return body


def parse_trigger(body: Any) -> Trigger:
    """Ignores `counts`, so that a client may send back what it has read."""
    attributes = attributes_of(body)
    if isinstance(attributes, dict):
        attributes = {name: value for name, value in attributes.items() if name != "counts"}
        if "trigger" not in attributes:
            attributes = _nest_head(attributes)
    return Trigger.model_validate(attributes)


def _nest_head(attributes: Json) -> Json:
    """Accepts a flat form: moves the fields of the trigger's head into `trigger`."""
    head = {name: value for name, value in attributes.items() if name in Head.model_fields}
    rest = {name: value for name, value in attributes.items() if name not in head}
    return {"trigger": head, **rest}


def trigger_json(id: str, trigger: Trigger, counts: dict[str, int]) -> Json:
    """A trigger as the API returns it."""
    attributes = trigger.model_dump(mode="json", exclude_none=True)
    return {"id": id, "type": "trigger", "attributes": {**attributes, "counts": counts}}


def _is_within(part: tuple[Any, ...], whole: tuple[Any, ...]) -> bool:
    """A list is called too short if its only entry is invalid, which is an error of its own."""
    return len(part) > len(whole) and part[: len(whole)] == whole


def validation_errors(error: ValidationError) -> list[Json]:
    """Every invalid field with a message; a validator of a model names its field in the message.

    T20: all unknown fields are one error, which names each once.
    """
    found = []
    unknown = []
    errors = error.errors(include_url=False, include_input=False, include_context=False)
    for one in errors:
        if one["type"] == "too_short" and any(
            _is_within(other["loc"], one["loc"]) for other in errors
        ):
            continue
        path = ".".join(str(part) for part in one["loc"] if part != "[key]")
        if one["type"] == "extra_forbidden":
            unknown.append(path)
            continue
        message = one["msg"].removeprefix("Value error, ")
        named, colon, rest = message.partition(": ")
        if colon and " " not in named:
            path = ".".join(part for part in (path, named.strip("'")) if part)
            message = rest
        found.append({"field": path, "message": message})
    if unknown:
        message = f"unknown fields: {', '.join(unknown)}" if unknown[1:] else "is an unknown field"
        found.insert(0, {"field": unknown[0], "message": message})
    return found
