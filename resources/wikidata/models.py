"""`wbsearchentities` and `wbgetentities` as they answer: what we use is typed.

PHP writes an empty object as `[]`; that is read as what it means.
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
    """Every answer. HTTP 200 may carry an `error`."""

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
# Statements stay raw: each is read on its own, so that one bad one spoils no other.
Claims = Annotated[dict[str, list[Any]], BeforeValidator(_object)]


class Entity(WikiModel):
    id: str
    missing: Any = None
    labels: Terms = Field(default_factory=dict)
    descriptions: Terms = Field(default_factory=dict)
    aliases: TermLists = Field(default_factory=dict)
    claims: Claims = Field(default_factory=dict)
