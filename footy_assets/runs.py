"""Dagster runs: whether one is active, and deleting old ones."""

import shutil
from collections.abc import Collection, Mapping
from datetime import datetime
from pathlib import Path

import dagster as dg
from dagster import DagsterInstance, DagsterRunStatus

FINISHED = [DagsterRunStatus.SUCCESS, DagsterRunStatus.FAILURE, DagsterRunStatus.CANCELED]
BATCH_SIZE = 100


def has_active_run(
    instance: DagsterInstance, job_name: str, tags: Mapping[str, str] | None = None
) -> bool:
    """Is a run of this job (with these tags) queued or running?"""
    return count_active_runs(instance, job_name, tags) > 0


def count_active_runs(
    instance: DagsterInstance, job_name: str, tags: Mapping[str, str] | None = None
) -> int:
    """How many runs of this job (with these tags) are queued or running.

    Not one that was created and never queued: if the daemon is killed in between, and the time of
    day was set back before, nobody takes it up again.
    """
    idle = [*FINISHED, DagsterRunStatus.NOT_STARTED]
    statuses = [status for status in DagsterRunStatus if status not in idle]
    active = dg.RunsFilter(job_name=job_name, statuses=statuses, tags=dict(tags or {}))
    return instance.get_runs_count(active)


def ended_runs(instance: DagsterInstance, run_ids: Collection[str]) -> set[str]:
    """Those of the runs that are over, or deleted."""
    if not run_ids:
        return set()
    found = instance.get_runs(dg.RunsFilter(run_ids=list(run_ids)))
    return set(run_ids) - {run.run_id for run in found if not run.is_finished}


def prune_runs(instance: DagsterInstance, before: datetime) -> int:
    """Delete finished runs created before a moment, with the files that `delete_run` leaves."""
    pruned = 0
    storage = Path(instance.storage_directory())
    while records := instance.get_run_records(
        dg.RunsFilter(statuses=FINISHED, created_before=before), limit=BATCH_SIZE
    ):
        for record in records:
            run_id = record.dagster_run.run_id
            instance.delete_run(run_id)
            shutil.rmtree(storage / run_id, ignore_errors=True)
            pruned += 1
    return pruned
