"""P1: names that a person can read, on every run."""

from collections.abc import Collection
from datetime import date, datetime

import dagster as dg

LABEL_TAG = "footy/label"


def label_run(context: dg.AssetExecutionContext, label: str) -> None:
    """Name the run after the first thing it does, unless whoever asked for it named it."""
    run = context.instance.get_run_by_id(context.run.run_id)
    if run is not None and LABEL_TAG not in run.tags:
        context.instance.add_run_tags(run.run_id, {LABEL_TAG: label})


def ingest_label(days: Collection[date]) -> str:
    first, last = min(days), max(days)
    span = f"{first:%d_%m_%Y}" if first == last else f"{first:%d_%m_%Y}-{last:%d_%m_%Y}"
    return f"ingest-{span}"


def monitor_label(moment: datetime) -> str:
    return f"monitor-{moment:%d_%m_%Y-%H:%M}"


def retention_label(moment: datetime) -> str:
    return f"retention-{moment:%d_%m_%Y-%H:%M}"
