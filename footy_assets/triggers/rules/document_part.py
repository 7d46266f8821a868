"""T20: what the parts of a trigger's document have in common."""

import re
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from footy_assets.triggers.rules.plain import plain_text

CAPITAL = re.compile(r"(?<=[a-z0-9])([A-Z])")
MAX_KEPT = 1_000

# Kept and shown back, but of no meaning to the engine.
KeptText = Annotated[str, Field(max_length=MAX_KEPT), AfterValidator(plain_text)]
KeptList = Annotated[tuple[KeptText, ...], Field(max_length=MAX_KEPT)]


def whole_number(value: Any) -> Any:
    """A whole number that is written as a string."""
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() else value


WrittenNumber = BeforeValidator(whole_number)


class DocumentPart(BaseModel):
    """Fields may be written `scope_id` or `scopeId`; unknown ones are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _snake_case(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        return {cls._field_name(name): value for name, value in given.items()}

    @classmethod
    def _field_name(cls, name: Any) -> Any:
        if not isinstance(name, str) or name in cls.model_fields:
            return name
        plain = CAPITAL.sub(r"_\1", name).lower()
        return plain if plain in cls.model_fields else name
