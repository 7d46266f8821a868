"""Runs that are stored in a Dagster instance but never executed."""

import dagster as dg


@dg.job
def nothing() -> None: ...


def stored_run(
    instance: dg.DagsterInstance, status: dg.DagsterRunStatus, job: dg.JobDefinition = nothing
) -> dg.DagsterRun:
    return instance.create_run_for_job(job, status=status)
