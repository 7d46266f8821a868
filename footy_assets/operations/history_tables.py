"""Y12: seasons as Parquet tables: typed, documented, and the same bytes for the same content."""

import os
from contextlib import suppress
from pathlib import Path
from time import time

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from footy_assets.history.documents import Row
from footy_assets.history.key import LeagueSeason
from footy_assets.history.tables import TABLES, Table, rows_of
from footy_assets.store.history import HistoryStore
from footy_assets.store.history_documents import SeasonRecord

ARROW_TYPES = {
    "int": pa.int64(),
    "float": pa.float64(),
    "text": pa.string(),
    "date": pa.date32(),
}
LEFT_BEHIND_SECONDS = 600.0
# Whole numbers stay whole where some are missing.
PANDAS_TYPES = {"int": "Int64", "float": "Float64", "text": "string", "date": "object"}


def schema_of(table: Table) -> pa.Schema:
    """Each column carries its meaning, each table its own."""
    fields = [
        pa.field(c.name, ARROW_TYPES[c.kind], c.nullable, {"meaning": c.meaning})
        for c in table.columns
    ]
    return pa.schema(fields, {"meaning": f"one row for {table.meaning}"})


def frame_of(table: Table, rows: list[Row]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=[c.name for c in table.columns], dtype="object")
    return frame.astype({c.name: PANDAS_TYPES[c.kind] for c in table.columns})


def export_whole(store: HistoryStore, record: SeasonRecord, folder: Path) -> dict[str, Path]:
    """Y7, Y12: into the folder that is kept up to date; that they are written is remembered."""
    written = export(store, record.key, folder)
    store.exported(record)
    return written


def export(store: HistoryStore, key: LeagueSeason, folder: Path) -> dict[str, Path]:
    """Write `<table>/<league>-<season>.parquet` for each table: a table's folder reads as one."""
    content, venues = store.content(key), store.rows(key, "/venues")
    written = {}
    for table in TABLES:
        frame = frame_of(table, rows_of(table, key, content, venues))
        written[table.name] = _write(table, frame, folder / table.name, key)
    return written


def _write(table: Table, frame: pd.DataFrame, folder: Path, key: LeagueSeason) -> Path:
    """Whoever reads meanwhile sees the old file or the new one."""
    schema = schema_of(table)
    found = pa.Table.from_pandas(frame, schema=schema, preserve_index=False)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{key.league}-{key.season}.parquet"
    _clear(folder)
    # Readers of a folder pass over names with a dot before them.
    unfinished = folder / f".{path.stem}.{os.getpid()}.tmp"
    pq.write_table(found.cast(schema).replace_schema_metadata(schema.metadata), unfinished)
    unfinished.replace(path)
    return path


def _clear(folder: Path) -> None:
    """What was left by those who were killed as they wrote; who still writes is younger."""
    for left in folder.glob("*.tmp"):
        with suppress(FileNotFoundError):
            if time() - left.stat().st_mtime > LEFT_BEHIND_SECONDS:
                left.unlink()
