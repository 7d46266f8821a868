"""Y12: exports seasons as Parquet tables; equal content gives equal bytes."""

import os
from contextlib import suppress
from pathlib import Path
from time import time

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from footy_assets.history.rules.documents import Row
from footy_assets.history.rules.key import LeagueSeason
from footy_assets.history.rules.tables import TABLES, Table, rows_of
from footy_assets.history.store.documents import SeasonRecord
from footy_assets.history.store.seasons import HistoryStore

ARROW_TYPES = {
    "int": pa.int64(),
    "float": pa.float64(),
    "text": pa.string(),
    "date": pa.date32(),
}
LEFTOVER_AFTER_SECONDS = 600.0
# Nullable types: integers stay integers where values are missing.
PANDAS_TYPES = {"int": "Int64", "float": "Float64", "text": "string", "date": "object"}


def schema_of(table: Table) -> pa.Schema:
    """The Arrow schema, with the meaning of the table and of each column."""
    fields = [
        pa.field(c.name, ARROW_TYPES[c.kind], c.nullable, {"meaning": c.meaning})
        for c in table.columns
    ]
    return pa.schema(fields, {"meaning": f"one row for {table.meaning}"})


def frame_of(table: Table, rows: list[Row]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=[c.name for c in table.columns], dtype="object")
    return frame.astype({c.name: PANDAS_TYPES[c.kind] for c in table.columns})


def export_current(store: HistoryStore, record: SeasonRecord, folder: Path) -> dict[str, Path]:
    """Y7, Y12: writes the tables and marks the season as exported."""
    written = export(store, record.key, folder)
    store.mark_exported(record)
    return written


def export(store: HistoryStore, key: LeagueSeason, folder: Path) -> dict[str, Path]:
    """Writes `<table>/<league>-<season>.parquet` for each table; a folder reads as one table."""
    content, venues = store.content(key), store.rows(key, "/venues")
    written = {}
    for table in TABLES:
        frame = frame_of(table, rows_of(table, key, content, venues))
        written[table.name] = _write(table, frame, folder / table.name, key)
    return written


def _write(table: Table, frame: pd.DataFrame, folder: Path, key: LeagueSeason) -> Path:
    """Atomic: a concurrent reader sees the old file or the new one."""
    schema = schema_of(table)
    found = pa.Table.from_pandas(frame, schema=schema, preserve_index=False)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{key.league}-{key.season}.parquet"
    _delete_leftovers(folder)
    # Parquet readers skip file names that start with a dot.
    unfinished = folder / f".{path.stem}.{os.getpid()}.tmp"
    pq.write_table(found.cast(schema).replace_schema_metadata(schema.metadata), unfinished)
    unfinished.replace(path)
    return path


def _delete_leftovers(folder: Path) -> None:
    """Deletes unfinished files of killed processes; files still being written are younger."""
    for left in folder.glob("*.tmp"):
        with suppress(FileNotFoundError):
            if time() - left.stat().st_mtime > LEFTOVER_AFTER_SECONDS:
                left.unlink()
