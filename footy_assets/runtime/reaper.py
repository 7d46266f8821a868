"""Cleans up after a crash: leftover processes, and runs that Dagster believes to be running."""

import os
import signal
import time
from contextlib import suppress
from typing import Any

from dagster import DagsterInstance, DagsterRunStatus, RunsFilter

from footy_assets.dagster_internals import free_concurrency_slots
from footy_assets.runtime.home import Home
from resources.embedded.process import ProcessIdentity
from resources.embedded.shared import ServerRecord

WITH_A_WORKER = [
    DagsterRunStatus.STARTING,
    DagsterRunStatus.STARTED,
    DagsterRunStatus.CANCELING,
]
# On runs that wait in the broker or that a worker took from it; dagster-celery sets it.
BROKER_TASK_TAG = "dagster-celery/task_id"
GROUP_GONE_SECONDS = 10.0


def end_leftover_processes(home: Home) -> int:
    """Ends processes that a killed supervisor left behind, with their children."""
    ended = 0
    for child in home.read_record().get("children", []):
        ended += _end_group(child)
    return ended


def end_leftover_servers(home: Home) -> int:
    """Ends embedded servers that are still running, before their home is deleted."""
    ended = 0
    for name in ("mongo", "s3"):
        record = ServerRecord.read(home.path / name / "server.json")
        if record is not None and record.process.is_alive():
            record.process.end(grace_seconds=0)
            ended += 1
    return ended


def reap_orphaned_runs(instance: DagsterInstance) -> list[str]:
    """Marks runs as failed whose worker died with the last supervisor, and frees their slots.

    Only for start-up: nothing of this instance runs yet, so every worker is gone. Runs that the
    broker has are left alone: their workers are processes of `footy worker`, here or elsewhere.
    """
    orphans = [
        run
        for run in instance.get_runs(RunsFilter(statuses=WITH_A_WORKER))
        if BROKER_TASK_TAG not in run.tags
    ]
    for run in orphans:
        instance.report_run_failed(run, "The run's worker died in a crash; found at start-up.")
        free_concurrency_slots(instance, run.run_id)
    return [run.run_id for run in orphans]


def _end_group(child: dict[str, Any]) -> bool:
    """Kills a process group; its leader may be gone while children are alive."""
    leader = ProcessIdentity(int(child["pid"]), str(child["born"]))
    if not leader.is_alive() and _is_someone_else(leader):
        return False
    try:
        os.killpg(leader.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return False
    deadline = time.monotonic() + GROUP_GONE_SECONDS
    with suppress(ProcessLookupError):
        while time.monotonic() < deadline:
            os.killpg(leader.pid, 0)
            time.sleep(0.05)
    return True


def _is_someone_else(leader: ProcessIdentity) -> bool:
    """Whether the pid was reused by another process."""
    try:
        os.kill(leader.pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return not leader.is_alive()
