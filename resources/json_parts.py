"""The parts of a JSON answer that are used.

Of the rest, which is most of it, msgspec makes no objects: it takes a tenth of the time.
"""

from functools import cache
from typing import Annotated, Any, TypedDict, get_args, get_origin

import msgspec
from pydantic import BaseModel, BeforeValidator

# What decoding raises if the content is not JSON.
NOT_JSON = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
# What it raises if the content is JSON of another type. It is one of those above: catch it first.
OTHER_TYPE = msgspec.ValidationError
NULL = b"null"


def to_bytes(value: Any) -> bytes:
    """A part that was left as JSON, or made JSON again."""
    if isinstance(value, bytes):
        return value
    return bytes(value) if isinstance(value, msgspec.Raw) else msgspec.json.encode(value)


# Marks a field that is left as JSON, for the field's validator to decode.
RAW = "raw JSON"
# The type of one that stays JSON, to be decoded when it is needed.
RawJson = Annotated[bytes, RAW, BeforeValidator(to_bytes)]

# Marks a list or an object whose items are left as JSON.
RAW_ITEMS = "items in raw JSON"


def _items_to_bytes(value: Any) -> Any:
    """Of another value nothing: the model refuses it."""
    if isinstance(value, dict):
        return {name: to_bytes(item) for name, item in value.items()}
    return [to_bytes(item) for item in value] if isinstance(value, list) else value


RawItems = Annotated[list[bytes] | dict[str, bytes], RAW_ITEMS, BeforeValidator(_items_to_bytes)]


def decode(content: bytes) -> Any:
    return msgspec.json.decode(content)


def is_list(content: bytes) -> bool:
    return content.startswith(b"[")


def used_parts(model: type[BaseModel], content: bytes) -> dict[str, Any]:
    """The fields that the model has, and those of the models that it requires within it."""
    return _decoder(model).decode(content)


def used_parts_of_items(
    model: type[BaseModel], items: str, item: type[BaseModel], content: bytes
) -> dict[str, Any]:
    """As `used_parts`, with a list `items` whose items are JSON of those fields alone that `item`
    has: one pass over all of it. Raises `OTHER_TYPE` if it is not a list of objects."""
    found = _decoder_of_items(model, items, item).decode(content)
    if items in found:
        found[items] = [_as_json(parts) for parts in found[items]]
    return found


def _as_json(parts: dict[str, msgspec.Raw]) -> bytes:
    return b"{%b}" % b",".join([b'"%b":%b' % (name.encode(), raw) for name, raw in parts.items()])


@cache
def _decoder_of_items(
    model: type[BaseModel], items: str, item: type[BaseModel]
) -> msgspec.json.Decoder[dict[str, Any]]:
    names = [field.alias or name for name, field in item.model_fields.items()]
    make: Any = TypedDict
    of_one: Any = make(f"{item.__name__}RawParts", dict.fromkeys(names, msgspec.Raw), total=False)
    fields = {**_fields_of(model), items: list[of_one]}
    return msgspec.json.Decoder(make(f"{model.__name__}Of{item.__name__}", fields, total=False))


@cache
def _decoder(model: type[BaseModel]) -> msgspec.json.Decoder[dict[str, Any]]:
    return msgspec.json.Decoder(_parts_of(model))


def _parts_of(model: type[BaseModel]) -> Any:
    # mypy knows only those whose fields are written out.
    make: Any = TypedDict
    return make(f"{model.__name__}Parts", _fields_of(model), total=False)


def _fields_of(model: type[BaseModel]) -> dict[str, Any]:
    return {
        field.alias or name: _part(field.annotation, field.metadata)
        for name, field in model.model_fields.items()
    }


def _part(annotation: Any, metadata: Any = ()) -> Any:
    """Any value where more than one type is allowed: the model decides."""
    if RAW in metadata:
        return msgspec.Raw
    if RAW_ITEMS in metadata:
        return list[msgspec.Raw] | dict[str, msgspec.Raw]
    if get_origin(annotation) is Annotated:
        inner, *more = get_args(annotation)
        return _part(inner, more)
    if get_origin(annotation) is list:
        item: Any = _part(get_args(annotation)[0])
        return list[item]
    is_model = isinstance(annotation, type) and issubclass(annotation, BaseModel)
    return _parts_of(annotation) if is_model else Any
