"""The names of Dagster that are not public, all in this one place, each with the reason.

`footy_assets_tests/test_dagster_internals.py` fails when Dagster changes one of them, or when any
other module uses one.
"""

import multiprocessing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dagster as dg
import structlog

log = structlog.get_logger()

# What a run launcher says of the worker of a run.
RunHealth = Any

# The daemon has no public module to run with `python -m`; its console script may not be installed
# beside the interpreter.
DAEMON_MODULE = "dagster._daemon"
# What the code server loads for each run.
RUN_WORKER_MODULE = "dagster._grpc.impl"
# The defaults of Dagster's command line.
UI_REFRESH_MS = 2000
STATEMENT_TIMEOUT_MS = 15_000
POOL_RECYCLE_SECONDS = 3600
POOL_OVERFLOW = 20


def backfill_request(
    context: dg.SensorEvaluationContext,
    assets: Iterable[dg.AssetsDefinition],
    partitions: Sequence[str],
    tags: Mapping[str, str],
) -> dg.RunRequest:
    """One backfill of chosen partitions, from a sensor. The public API has only single partitions
    and ranges; Dagster's own automation requests backfills in this way."""
    from dagster._core.definitions.assets.graph.asset_graph_subset import AssetGraphSubset
    from dagster._core.definitions.events import AssetKeyPartitionKey

    assert context.repository_def is not None
    wanted = {AssetKeyPartitionKey(asset.key, key) for asset in assets for key in partitions}
    subset = AssetGraphSubset.from_asset_partition_set(wanted, context.repository_def.asset_graph)
    return dg.RunRequest.for_asset_graph_subset(asset_graph_subset=subset, tags=tags)


def find_backfill(instance: dg.DagsterInstance, tag: str, value: str) -> str | None:
    """The id of the backfill with this tag. The public API lists none."""
    from dagster._core.execution.backfill import BulkActionsFilter

    found = instance.get_backfills(filters=BulkActionsFilter(tags={tag: value}))
    return found[0].backfill_id if found else None


def fork_run_workers(preloaded: Sequence[str]) -> None:
    """Run workers of this code server fork from a process that has loaded these modules. Dagster
    spawns an interpreter for each run, and has no setting for it."""
    from dagster._grpc.server import DagsterApiServer

    forking: Any = multiprocessing.get_context("forkserver")
    forking.set_forkserver_preload(list(preloaded))
    # The server sets "spawn" on itself as it is made; a property of the class goes before that.
    DagsterApiServer._mp_ctx = property(lambda _: forking, lambda *_: None)  # type: ignore


def keep_noticing_dead_workers() -> None:
    """The thread of this code server that looks for dead run workers survives what goes wrong, and
    looks again. Dagster's own ends when it cannot write, as on a full disk: a run whose worker is
    gone then counts as running for half an hour, and no sweep and no batch takes its place."""
    from dagster._grpc.server import DagsterApiServer

    look = DagsterApiServer._check_for_orphaned_runs

    def look_or_look_again(server: DagsterApiServer) -> None:
        try:
            look(server)
        except Exception as error:
            log.warning("dead_workers_not_recorded", reason=str(error))

    DagsterApiServer._check_for_orphaned_runs = look_or_look_again  # type: ignore


@contextmanager
def dagster_web_app(workspace: Path) -> Iterator[Any]:
    """The Dagster UI as an ASGI app. Its command line serves the same to everybody, and has no
    place for a guard."""
    from dagster._core.workspace.context import WorkspaceProcessContext
    from dagster._core.workspace.load_target import WorkspaceFileTarget
    from dagster_webserver.app import create_app_from_workspace_process_context
    from dagster_webserver.version import __version__

    with dg.DagsterInstance.get() as instance:
        instance.optimize_for_webserver(STATEMENT_TIMEOUT_MS, POOL_RECYCLE_SECONDS, POOL_OVERFLOW)
        target = WorkspaceFileTarget([str(workspace)])
        with WorkspaceProcessContext(instance, target, version=__version__) as context:
            yield create_app_from_workspace_process_context(
                context, live_data_poll_rate=UI_REFRESH_MS
            )


def run_of_input(context: dg.InputContext) -> dg.DagsterRun:
    """The run that loads an input. An I/O manager has no public way to it: `upstream_output` names
    the run that made the value, which in a re-execution is the failed one."""
    return context.step_context.dagster_run


def is_running(health: RunHealth) -> bool:
    """What a launcher says of a run's worker. The public API has no names for its answers."""
    from dagster._core.launcher import WorkerStatus

    return bool(health.status == WorkerStatus.RUNNING)


def lost_worker(reason: str) -> RunHealth:
    """What a launcher says of a run whose worker is gone."""
    from dagster._core.launcher import CheckRunHealthResult, WorkerStatus

    return CheckRunHealthResult(WorkerStatus.FAILED, reason)


def free_concurrency_slots(instance: dg.DagsterInstance, run_id: str) -> None:
    """Gives up the slots in pools that a run holds. The public API frees none, and a run that is
    reported as failed keeps them."""
    storage = instance.event_log_storage
    if storage.supports_global_concurrency_limits:
        storage.free_concurrency_slots_for_run(run_id)


def failed_ticks(instance: dg.DagsterInstance) -> int:
    """How many ticks of sensors and schedules failed. The public API lists no ticks."""
    from dagster._core.scheduler.instigation import TickStatus

    failed = [TickStatus.FAILURE]
    return sum(
        len(instance.get_ticks(one.instigator_origin_id, one.selector_id, statuses=failed))
        for one in instance.all_instigator_state()
    )


def end_ticks_now(instance: dg.DagsterInstance, now: float) -> None:
    """Sensors whose last tick lies in the future tick again. The time of day was set back; Dagster
    waits until it is later than that tick, and has no public way to say otherwise."""
    from dagster._core.definitions.run_request import InstigatorType
    from dagster._core.scheduler.instigation import SensorInstigatorData

    for state in instance.all_instigator_state(instigator_type=InstigatorType.SENSOR):
        data = state.instigator_data
        if not isinstance(data, SensorInstigatorData):
            continue
        times = {name: getattr(data, name) for name in data._fields if name.endswith("_timestamp")}
        later: dict[str, Any] = {
            name: now for name, at in times.items() if at is not None and at > now
        }
        if later:
            instance.update_instigator_state(state.with_data(data._replace(**later)))
