"""Paging with opaque cursors, each the position after which the next page starts."""

import base64
import binascii
import json
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import Annotated, Any, TypeVar

from fastapi import Query

from footy_assets.errors import BadInput

T = TypeVar("T")

Limit = Annotated[int, Query(ge=1, le=200, description="Items on a page.")]
Cursor = Annotated[
    str | None,
    Query(max_length=300, pattern=r"^[A-Za-z0-9_=-]+$", description="`next` of the previous page."),
]


def encoded(values: Sequence[Any]) -> str:
    plain = [{"at": v.isoformat()} if isinstance(v, datetime) else v for v in values]
    return base64.urlsafe_b64encode(json.dumps(plain).encode()).decode()


def decoded(cursor: str, kinds: Sequence[type]) -> list[Any]:
    """The values of a cursor; raises `BadInput` for anything that this API did not issue."""
    try:
        plain = json.loads(base64.urlsafe_b64decode(cursor))
        values = [_parse_time(v["at"]) if isinstance(v, dict) else v for v in plain]
        # Half a surrogate pair cannot be sent to MongoDB.
        "".join(v for v in values if isinstance(v, str)).encode()
    except (ValueError, TypeError, KeyError, OverflowError, binascii.Error, RecursionError):
        values = []
    whole = len(values) == len(kinds)
    if not whole or not all(_fits(v, kind) for v, kind in zip(values, kinds, strict=True)):
        raise BadInput("the cursor is invalid", "Use `next` of the previous page, unchanged")
    return values


def _parse_time(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    if at.tzinfo is None:
        raise ValueError("the time has no zone")
    return at.astimezone(UTC)


def _fits(value: Any, kind: type) -> bool:
    if kind is int:
        return type(value) is int and abs(value) < 2**53
    if kind is datetime:
        return isinstance(value, datetime)
    return isinstance(value, kind)


def page(
    found: Iterable[T], limit: int, place: Callable[[T], Sequence[Any]]
) -> tuple[list[T], str | None]:
    """The first `limit` items, and the cursor of the next page if there is one."""
    items = list(islice(found, limit + 1))
    if len(items) <= limit:
        return items, None
    return items[:limit], encoded(place(items[limit - 1]))
