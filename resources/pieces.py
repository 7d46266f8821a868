"""Reads the pieces of a provider's answer one by one: one that cannot be read spoils no other."""

from collections.abc import Iterable
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from footy_assets.matchday.rules.feed import Unreadable

Piece = TypeVar("Piece", bound=BaseModel)


def read_piece(model: type[Piece], item: Any, subject: str, bad: list[Unreadable]) -> Piece | None:
    """None, and an entry in `bad`, if it cannot be read."""
    try:
        return model.model_validate(item)
    except ValidationError as error:
        bad.append(Unreadable(subject, first_problem(error)))
        return None


def read_pieces(
    model: type[Piece], items: Iterable[Any], subject: str, bad: list[Unreadable]
) -> list[Piece]:
    return [found for item in items if (found := read_piece(model, item, subject, bad)) is not None]


def first_problem(error: Exception) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors()[0]
    return f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"
