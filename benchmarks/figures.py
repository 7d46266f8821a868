"""Prints the figures of a benchmark: tables for people and for the docs, JSON for programs."""

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def add_output_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON value, no tables")
    parser.add_argument(
        "--into",
        type=Path,
        metavar="FILE",
        help="also write the tables into this document, between the benchmark's two markers",
    )


def log_progress(text: str) -> None:
    """Print one line on stderr."""
    sys.stderr.write(f"{text}\n")


def publish(name: str, result: Row, tables: Sequence[str], arguments: argparse.Namespace) -> None:
    text = "\n\n".join(tables)
    sys.stdout.write(f"{json.dumps(result, default=str) if arguments.json else text}\n")
    if arguments.into is not None:
        replace_figures(arguments.into, name, text)


def replace_figures(document: Path, name: str, text: str) -> None:
    begin, end = f"<!-- figures: {name} -->", f"<!-- end: {name} -->"
    before, _, rest = document.read_text().partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        raise SystemExit(f"{document} has no markers for the figures: {begin} … {end}")
    document.write_text(f"{before}{begin}\n\n{text}\n\n{end}{after}")


def table(rows: Sequence[Row], columns: Mapping[str, str]) -> str:
    """A Markdown table that also reads well in a terminal; columns of numbers are right-aligned."""
    aligned = []
    for name, heading in columns.items():
        cells = [heading, *(_cell(row[name]) for row in rows)]
        width = max(map(len, cells))
        if all(isinstance(row[name], int | float) for row in rows):
            cells = [cell.rjust(width) for cell in cells]
            cells.insert(1, "-" * (width - 1) + ":")
        else:
            cells = [cell.ljust(width) for cell in cells]
            cells.insert(1, "-" * width)
        aligned.append(cells)
    return "\n".join(f"| {' | '.join(line)} |" for line in zip(*aligned, strict=True))


def verdict_list(verdicts: Mapping[str, bool]) -> str:
    return "\n".join(
        f"- {'yes' if passed else '**NO**'}: {name}" for name, passed in verdicts.items()
    )


def machine() -> str:
    """Date, number of cores, and the load average, which shows whether other work was running."""
    now, load = datetime.now(UTC), os.getloadavg()[0]
    return f"{now:%Y-%m-%d %H:%M} UTC, {os.cpu_count()} cores, load average at start {load:.1f}."


def _cell(value: Any) -> str:
    if isinstance(value, float):
        whole = value.is_integer() or abs(value) >= 100
        return f"{value:,.0f}" if whole else f"{value:,.2f}" if abs(value) < 10 else f"{value:.1f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
