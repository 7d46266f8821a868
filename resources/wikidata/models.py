"""Answers of `wbsearchentities` and `wbgetentities`, as far as they are read.

The API writes an empty object as `[]`, which is read as `{}`.
"""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field


def _object(value: Any) -> Any:
    return {} if value == [] else value


class WikiModel(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class WikiError(WikiModel):
    code: str
    info: str = ""


class Envelope(WikiModel):
    """Any answer. HTTP 200 may contain an `error`."""

    error: WikiError | None = None
    search: list[Any] | None = None
    entities: Annotated[dict[str, Any] | None, BeforeValidator(_object)] = None


class SearchHit(WikiModel):
    id: str = Field(pattern=r"^Q\d+$")
    label: str = ""
    description: str = ""


class Term(WikiModel):
    language: str
    value: str


class Snak(WikiModel):
    """`value` is an object of the datavalue's type; a snak may also say "unknown" or "none"."""

    snaktype: str
    datavalue: Annotated[dict[str, Any], BeforeValidator(_object)] = Field(default_factory=dict)


class Statement(WikiModel):
    mainsnak: Snak
    rank: str = "normal"
    qualifiers: Annotated[dict[str, Any], BeforeValidator(_object)] = Field(default_factory=dict)


class ItemValue(WikiModel):
    id: str = Field(pattern=r"^Q\d+$")


class TextValue(WikiModel):
    language: str
    text: str


Terms = Annotated[dict[str, Term], BeforeValidator(_object)]
TermLists = Annotated[dict[str, list[Term]], BeforeValidator(_object)]
# Statements stay raw: each is parsed on its own, so that an invalid one affects no other.
Claims = Annotated[dict[str, list[Any]], BeforeValidator(_object)]


class Entity(WikiModel):
    id: str
    missing: Any = None
    labels: Terms = Field(default_factory=dict)
    descriptions: Terms = Field(default_factory=dict)
    aliases: TermLists = Field(default_factory=dict)
    claims: Claims = Field(default_factory=dict)
