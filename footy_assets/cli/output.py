"""Output of commands: one JSON value or a table on stdout; logs go to stderr."""

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from footy_assets.cli.arguments import shortened
from footy_assets.errors import BadInput
from footy_assets.parsing import ID_AT_PROVIDER, LARGEST_INTEGER

Json = Annotated[bool, typer.Option("--json", help="Print one JSON value and nothing else.")]

INTERRUPTED = 130
UNEXPECTED = 70
# A pipe has no width: do not truncate cells.
PIPE_WIDTH = 240
ID = re.compile(r"\d{1,19}", re.ASCII)


def stdout() -> Console:
    return _console() if _console().is_terminal else _console(width=PIPE_WIDTH)


def stderr() -> Console:
    return _console(stderr=True)


def _console(**options: Any) -> Console:
    """Names of players, files and sites are text: `[/b]` and `:x:` in them mean nothing."""
    return Console(highlight=False, markup=False, emoji=False, **options)


def print_json(value: Any, default: Callable[[Any], str] = str) -> None:
    """`default` formats what JSON has no form for, such as times."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, default=default) + "\n")


def print_rows(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str], empty: str) -> None:
    """Print a table: `columns` maps field names to headings."""
    if not rows:
        stdout().print(empty)
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in columns.values():
        table.add_column(heading)
    for row in rows:
        table.add_row(*(_cell(row[name]) for name in columns))
    stdout().print(table)


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)


def parse_day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise BadInput(f"{shortened(text)!r} is not a date", "Write it as 2025-05-10") from None


def parse_match_ids(texts: Iterable[str]) -> list[int | str]:
    """Ids of ours, and those of providers such as `espn:760415`, as they are given."""
    found: list[int | str] = []
    for part in " ".join(texts).replace(",", " ").split():
        if ":" not in part:
            found += parse_ids([part])
        elif re.fullmatch(ID_AT_PROVIDER, part):
            found.append(part)
        else:
            raise BadInput(
                f"{shortened(part)!r} is not the id of a match",
                "Ids are whole numbers, or a provider with its own id, for example espn:760415",
            )
    if not found:
        raise BadInput("no fixture id given", "Ids are whole numbers, for example 1208021")
    return found


def parse_ids(texts: Iterable[str]) -> list[int]:
    ids = []
    for part in " ".join(texts).replace(",", " ").replace("-", " ").split():
        if not (ID.fullmatch(part) and 0 < int(part) <= LARGEST_INTEGER):
            raise BadInput(
                f"{shortened(part)!r} is not a fixture id",
                "Ids are whole numbers, for example 1208021",
            )
        ids.append(int(part))
    if not ids:
        raise BadInput("no fixture id given", "Ids are whole numbers, for example 1208021")
    return ids


@contextmanager
def progress(text: str, quiet: bool) -> Iterator[None]:
    """A spinner on a terminal, nothing elsewhere."""
    console = stderr()
    if quiet or not console.is_terminal:
        yield
        return
    with console.status(Text(text)):
        yield
