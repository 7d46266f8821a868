"""How a benchmark gives its figures: tables for people and for the docs, JSON for machines."""

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
        help="also put the tables into this document, between the benchmark's two markers",
    )


def say(text: str) -> None:
    """Progress, on stderr."""
    sys.stderr.write(f"{text}\n")


def publish(name: str, result: Row, tables: Sequence[str], asked: argparse.Namespace) -> None:
    text = "\n\n".join(tables)
    sys.stdout.write(f"{json.dumps(result, default=str) if asked.json else text}\n")
    if asked.into is not None:
        replace_figures(asked.into, name, text)


def replace_figures(document: Path, name: str, text: str) -> None:
    begin, end = f"<!-- figures: {name} -->", f"<!-- end: {name} -->"
    before, _, rest = document.read_text().partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        raise SystemExit(f"{document} has no place for the figures: {begin} … {end}")
    document.write_text(f"{before}{begin}\n\n{text}\n\n{end}{after}")


def table(rows: Sequence[Row], columns: Mapping[str, str]) -> str:
    """Markdown that also reads well in a terminal."""
    cells = [list(columns.values()), *([_cell(row[name]) for name in columns] for row in rows)]
    widths = [max(len(line[n]) for line in cells) for n in range(len(columns))]
    numeric = [rows and isinstance(rows[0][name], int | float) for name in columns]
    rule = [
        "-" * (w - 1) + ":" if right else "-" * w for w, right in zip(widths, numeric, strict=True)
    ]
    padded = [
        [
            c.rjust(w) if right else c.ljust(w)
            for c, w, right in zip(line, widths, numeric, strict=True)
        ]
        for line in cells
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in (padded[0], rule, *padded[1:]))


def verdict_list(verdicts: Mapping[str, bool]) -> str:
    return "\n".join(f"- {'yes' if held else '**NO**'}: {name}" for name, held in verdicts.items())


def machine() -> str:
    """Where and when; the load tells whether the machine was quiet."""
    load = os.getloadavg()[0]
    cores = os.cpu_count()
    return (
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, {cores} cores, load {load:.1f} before we began."
    )


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.2f}" if abs(value) < 10 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
