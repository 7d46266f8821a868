"""Refuses values that are valid JSON but cannot be stored or displayed."""

import math
from typing import Any

MAX_DEPTH = 20
MAX_NUMBER = 2**53


def plain_text(text: str) -> str:
    """Text without control characters and lone surrogates."""
    if any(ord(letter) < 32 or ord(letter) == 127 for letter in text):
        raise ValueError("has control characters")
    return _encodable(text)


def plain_name(name: str) -> str:
    """A field name. MongoDB would return an object with `$ref` as a reference."""
    if name == "$ref":
        raise ValueError("$ref is not allowed as a name")
    return plain_text(name)


def plain_number(number: float) -> float:
    if abs(number) > MAX_NUMBER or not math.isfinite(number):
        raise ValueError(f"numbers go up to {MAX_NUMBER}")
    return number


def plain_json(value: Any, depth: int = 0) -> Any:
    if depth > MAX_DEPTH:
        raise ValueError(f"goes deeper than {MAX_DEPTH} levels")
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
