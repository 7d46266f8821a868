"""Converts frozen dataclasses to MongoDB documents and back, for every room's store."""

from collections.abc import Callable, Mapping
from datetime import datetime
from enum import IntEnum, StrEnum
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

from cattrs import Converter
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

from footy_assets.store.collections import Document

T = TypeVar("T")

# Types that MongoDB stores and returns unchanged.
STORED_AS_IS: tuple[type, ...] = (bool, int, float, str, datetime)


class DocumentConverter(Converter):
    """Stores fields under their own names, enums by value, tuples as lists.

    Reading does not validate: a missing field gets its default, and an unknown field is ignored.
    """

    def __init__(self) -> None:
        super().__init__(detailed_validation=False, unstruct_collection_overrides={tuple: list})
        for kind in STORED_AS_IS:
            self.register_structure_hook(kind, _as_it_is)
        self.register_structure_hook_func(_is_stored_as_is, lambda value, _: value)
        for enum in (StrEnum, IntEnum):
            self.register_unstructure_hook(enum, lambda member: member.value)

    def rename(self, kind: type, **names: str) -> None:
        """Stores fields of a dataclass under other names, such as its id as `_id`."""
        fields: dict[str, Any] = {name: override(rename=stored) for name, stored in names.items()}
        self.register_unstructure_hook(kind, make_dict_unstructure_fn(kind, self, **fields))
        self.register_structure_hook(kind, make_dict_structure_fn(kind, self, **fields))

    def store_as(self, kind: Any, write: Callable[[Any], Any], read: Callable[[Any], Any]) -> None:
        """Stores values of a type in a form of their own."""
        self.register_unstructure_hook_func(lambda other: other == kind, write)
        self.register_structure_hook_func(lambda other: other == kind, lambda value, _: read(value))

    def document(self, value: Any) -> Document:
        document: Document = self.unstructure(value)
        return document

    def read(self, document: Mapping[str, Any], kind: type[T]) -> T:
        return self.structure(document, kind)


def _is_stored_as_is(kind: Any) -> bool:
    if get_origin(kind) in (Union, UnionType):
        return all(map(_is_stored_as_is, get_args(kind)))
    return get_origin(kind) is Literal or kind in (*STORED_AS_IS, object, Any, NoneType)


def _as_it_is(value: Any, kind: type) -> Any:
    """Kinds of text and number, such as enums, are made of what was stored."""
    return value if kind in STORED_AS_IS else kind(value)
