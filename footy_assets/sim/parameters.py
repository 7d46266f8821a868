"""The parameters of a request to the provider, and its words for those that are invalid."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

Params = Mapping[str, str]


@dataclass(frozen=True)
class InvalidParameters(Exception):
    """A parameter is unknown or invalid."""

    errors: dict[str, str]


def reject_unknown(params: Params, known: set[str]) -> None:
    strange = {name: f"The {name.capitalize()} field do not exist." for name in params}
    for name in known:
        strange.pop(name, None)
    if strange:
        raise InvalidParameters(strange)


def number(params: Params, name: str) -> int:
    if name not in params:
        raise InvalidParameters({name: f"The {name.capitalize()} field is required."})
    if not params[name].isascii() or not params[name].isdigit():
        raise InvalidParameters({name: f"The {name.capitalize()} field must contain an integer."})
    return int(params[name])


def ids_of(text: str, name: str = "ids") -> list[int]:
    if not re.fullmatch(r"\d+(-\d+)*", text, re.ASCII):
        raise InvalidParameters(
            {name: f"The {name.capitalize()} field must be in the format id-id-id."}
        )
    return list(dict.fromkeys(int(part) for part in text.split("-")))


def date_of(text: str) -> date:
    try:
        if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text, re.ASCII):
            return date.fromisoformat(text)
    except ValueError:
        pass
    raise InvalidParameters(
        {"date": "The Date field must contain a valid date in the format YYYY-MM-DD."}
    )
