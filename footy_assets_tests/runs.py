"""Runs in an instance's storage that nobody executes."""

import dagster as dg


@dg.job
def nothing() -> None: ...


def stored_run(
    instance: dg.DagsterInstance, status: dg.DagsterRunStatus, job: dg.JobDefinition = nothing
) -> dg.DagsterRun:
    return instance.create_run_for_job(job, status=status)
