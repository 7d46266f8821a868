"""Reads JSON and YAML that people or other programs wrote, within limits.

Without limits a few kilobytes of brackets exceed Python's recursion, a large file takes minutes,
and MongoDB cannot store what JSON can say: numbers beyond 64 bit and halves of characters.
"""

import json
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError, ValidatorFunctionWrapHandler, WrapValidator

from footy_assets.errors import BadInput

MAX_BYTES = 1_000_000
MAX_DEPTH = 60
MAX_YAML_NODES = 20_000
LARGEST_INTEGER = 2**63 - 1
# A match by the id that a provider has for it: `espn:760415`.
ID_AT_PROVIDER = r"[a-z0-9_-]{1,64}:[!-~]{1,100}"


def _or_none(value: Any, read: ValidatorFunctionWrapHandler) -> Any:
    try:
        return read(value)
    except ValidationError:
        return None


# Of a field that is optional: what cannot be read is missing.
IfReadable = WrapValidator(_or_none)


def read_text(path: Path, max_bytes: int = MAX_BYTES) -> str:
    """The text of a file. Raises `BadInput`."""
    try:
        with path.open("rb") as file:
            return decode_text(file.read(max_bytes + 1), str(path), max_bytes)
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from error


def decode_text(content: bytes, name: str, max_bytes: int = MAX_BYTES) -> str:
    if len(content) > max_bytes:
        raise BadInput(f"{name} is larger than {max_bytes / 1_000_000:g} MB")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise BadInput(f"{name} is not UTF-8 text (byte {error.start + 1})") from error


def parse_json(text: str) -> Any:
    """The value of a JSON text. Raises `ValueError` that says what is wrong."""
    if len(text) > MAX_BYTES:
        raise ValueError(f"longer than {MAX_BYTES} characters")
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels") from None
    _check(value)
    return value


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number of JSON")


def _check(value: Any) -> None:
    level, depth = [value], 0
    while level:
        if depth > MAX_DEPTH:
            raise ValueError(f"nested deeper than {MAX_DEPTH} levels")
        inner: list[Any] = []
        for one in level:
            if isinstance(one, dict):
                inner += [*one.keys(), *one.values()]
            elif isinstance(one, list):
                inner += one
            elif isinstance(one, str):
                _check_text(one)
            elif isinstance(one, int) and abs(one) > LARGEST_INTEGER:
                raise ValueError(f"a number is beyond {LARGEST_INTEGER}")
        level, depth = inner, depth + 1


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("a text has half of a character (a lone surrogate)") from None


class LimitedYamlLoader(yaml.SafeLoader):
    """Refuses deep nesting, and aliases that make a small file a large value."""

    def __init__(self, text: str) -> None:
        if len(text) > MAX_BYTES:
            raise yaml.YAMLError(f"longer than {MAX_BYTES} characters")
        super().__init__(text)
        self._depth = self._nodes = 0
        self._sizes: dict[int, int] = {}

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        is_alias, before = isinstance(event, yaml.AliasEvent), self._nodes
        self._depth, self._nodes = self._depth + 1, self._nodes + 1
        if self._depth > MAX_DEPTH:
            raise self._refusal(f"nested deeper than {MAX_DEPTH} levels", event)
        node = super().compose_node(parent, index)
        self._depth -= 1
        if is_alias:
            self._nodes += self._sizes.get(id(node), MAX_YAML_NODES)
        if self._nodes > MAX_YAML_NODES:
            raise self._refusal(f"more than {MAX_YAML_NODES} values", event)
        self._sizes[id(node)] = max(self._sizes.get(id(node), 0), self._nodes - before)
        return node

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """Names the line of an invalid date or number."""
        try:
            return super().construct_object(node, deep)
        except (ValueError, OverflowError) as error:
            mark = node.start_mark
            raise yaml.constructor.ConstructorError(None, None, str(error), mark) from error

    @staticmethod
    def _refusal(problem: str, event: Any) -> yaml.MarkedYAMLError:
        return yaml.composer.ComposerError(None, None, problem, event.start_mark)
