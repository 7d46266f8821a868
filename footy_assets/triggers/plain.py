"""Values that can be stored and shown: what JSON can say and a database cannot keep is refused."""

import math
from typing import Any

MOST_DEPTH = 20
MOST_NUMBER = 2**53


def plain_text(text: str) -> str:
    """Readable, and text at all: half a character pair is none."""
    if any(ord(letter) < 32 or ord(letter) == 127 for letter in text):
        raise ValueError("has control characters")
    return _encodable(text)


def plain_name(name: str) -> str:
    """Of a field. An object with `$ref` would come back from the database as a reference."""
    if name == "$ref":
        raise ValueError("$ref is no name that can be kept")
    return plain_text(name)


def plain_number(number: float) -> float:
    if abs(number) > MOST_NUMBER or not math.isfinite(number):
        raise ValueError(f"numbers go up to {MOST_NUMBER}")
    return number


def plain_json(value: Any, depth: int = 0) -> Any:
    if depth > MOST_DEPTH:
        raise ValueError(f"goes deeper than {MOST_DEPTH} levels")
    if isinstance(value, dict):
        for name, inner in value.items():
            plain_name(name)
            plain_json(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            plain_json(inner, depth + 1)
    elif isinstance(value, str):
        _encodable(value)
    elif isinstance(value, int | float):
        plain_number(value)
    return value


def _encodable(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("is not valid text") from None
    return text
