"""Reading accepts documents of older and newer versions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import IntEnum, StrEnum
from typing import Any, Literal

import pytest

from footy_assets.store.documents import DocumentConverter


class Colour(StrEnum):
    RED = "red"


class Rank(IntEnum):
    FIRST = 1


@dataclass(frozen=True, slots=True)
class Part:
    name: str
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Whole:
    id: int
    part: Part
    colour: Colour = Colour.RED
    rank: Rank | None = None
    kind: Literal["a", "b"] = "a"
    parts: tuple[Part, ...] = ()
    by_colour: Mapping[Colour, Part] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)


AT = datetime(2025, 5, 10, tzinfo=UTC)
CONVERTER = DocumentConverter()
CONVERTER.rename(Whole, id="_id")
WHOLE = Whole(
    1,
    Part("p", AT),
    rank=Rank.FIRST,
    parts=(Part("q"),),
    by_colour={Colour.RED: Part("r")},
    facts={"deep": {"list": [1, 2.5, None]}},
)
STORED = {
    "_id": 1,
    "part": {"name": "p", "at": AT},
    "colour": "red",
    "rank": 1,
    "kind": "a",
    "parts": [{"name": "q", "at": None}],
    "by_colour": {"red": {"name": "r", "at": None}},
    "facts": {"deep": {"list": [1, 2.5, None]}},
}


def test_a_stored_value_is_read_back_equal() -> None:
    document = CONVERTER.document(WHOLE)
    assert document == STORED
    assert type(document["colour"]) is str
    assert type(document["rank"]) is int
    assert CONVERTER.read(document, Whole) == WHOLE


def test_fields_that_are_not_ours_are_ignored_and_missing_ones_have_their_default() -> None:
    stored = {"_id": 1, "part": {"name": "p", "new": 1}, "newer": [1]}
    assert CONVERTER.read(stored, Whole) == Whole(1, Part("p"))


def test_a_field_without_a_default_must_be_there() -> None:
    with pytest.raises(KeyError, match="part"):
        CONVERTER.read({"_id": 1}, Whole)


def test_values_are_taken_as_they_are() -> None:
    """Another version may have written values that this one would not."""
    whole = CONVERTER.read({"_id": "1", "part": {"name": None}, "kind": "c"}, Whole)
    assert (whole.id, whole.part.name, whole.kind) == ("1", None, "c")


def test_an_unknown_value_of_an_enum_is_an_error() -> None:
    with pytest.raises(ValueError, match="blue"):
        CONVERTER.read({**STORED, "colour": "blue"}, Whole)
