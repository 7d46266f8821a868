"""Dagster's private names: one module uses them, and they behave as it expects."""

import ast
import asyncio
import inspect
from datetime import date
from functools import cache
from pathlib import Path
from threading import Event, Lock, Thread
from types import SimpleNamespace
from typing import Any

import dagster as dg
import httpx
import pytest

from footy_assets import dagster_internals
from footy_assets.dagster_internals import (
    backfill_request,
    dagster_web_app,
    end_ticks_now,
    failed_ticks,
    find_backfill,
    free_concurrency_slots,
    keep_noticing_dead_workers,
    run_of_input,
)
from footy_assets.definitions import defs
from footy_assets.matchday.assets import fixtures, live_events
from footy_assets.runtime.dagster_guard import GRAPHQL
from footy_assets_tests.waiting import wait_until

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("footy_assets", "resources", "sensors", "footy_assets_tests", "benchmarks", "docs")
PRIVATE = ("dagster._", "dagster_webserver", "dagster_aws._")
# Attributes of public classes that Dagster does not document.
UNDOCUMENTED = {"step_context", "event_log_storage"}


@cache
def code_of_others() -> list[tuple[Path, ast.Import | ast.ImportFrom | ast.Attribute]]:
    """Of files that have one of the names at all: parsing all of them takes seconds."""
    return [
        (path, node)
        for folder in FOLDERS
        for path in sorted((ROOT / folder).rglob("*.py"))
        if path.name not in ("dagster_internals.py", "test_dagster_internals.py")
        if any(name in (text := path.read_text()) for name in (*PRIVATE, *UNDOCUMENTED))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Import | ast.ImportFrom | ast.Attribute)
    ]


def test_no_other_module_imports_a_private_name_of_dagster() -> None:
    for path, node in code_of_others():
        imported = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        if isinstance(node, ast.Import):
            imported = [alias.name for alias in node.names]
        found = [name for name in imported if name.startswith(PRIVATE)]
        assert not found, f"{path.relative_to(ROOT)} imports {found}"


def test_no_other_module_reads_an_undocumented_attribute_of_dagster() -> None:
    for path, node in code_of_others():
        if isinstance(node, ast.Attribute):
            assert node.attr not in UNDOCUMENTED, f"{path.relative_to(ROOT)}:{node.lineno}"


def test_the_modules_that_are_run_by_name_exist() -> None:
    for name in (dagster_internals.DAEMON_MODULE, dagster_internals.RUN_WORKER_MODULE):
        __import__(name)


def test_a_code_server_still_picks_its_way_to_start_runs_by_that_attribute() -> None:
    from dagster._grpc.server import DagsterApiServer

    assert "self._mp_ctx = " in inspect.getsource(DagsterApiServer)


def test_a_sensor_requests_a_backfill_of_chosen_partitions(tmp_path: Path) -> None:
    with dg.DagsterInstance.local_temp(str(tmp_path)) as instance:
        repository = defs().get_repository_def()
        context = dg.build_sensor_context(instance=instance, repository_def=repository)
        days = [date(2025, 5, 10).isoformat(), date(2025, 5, 24).isoformat()]
        request = backfill_request(context, (fixtures, live_events), days, {"footy/test": "1"})
        subset = request.asset_graph_subset
        assert subset is not None
        requested = {
            (one.asset_key.to_user_string(), one.partition_key)
            for one in subset.iterate_asset_partitions()
        }
        assert requested == {(asset, day) for asset in ("fixtures", "live_events") for day in days}
        assert find_backfill(instance, "footy/test", "1") is None
        assert failed_ticks(instance) == 0


def test_the_ui_is_an_app_that_others_can_serve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))
    monkeypatch.setenv("DAGSTER_DISABLE_TELEMETRY", "1")
    workspace = tmp_path / "workspace.yaml"
    workspace.write_text("load_from: []")

    async def ask(app: Any) -> tuple[httpx.Response, httpx.Response]:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://ui") as client:
            query = {"query": "{ version }"}
            return await client.get("/runs"), await client.post(GRAPHQL, json=query)

    with dagster_web_app(workspace) as app:
        page, answer = asyncio.run(ask(app))
        assert "<html" in page.text
        assert answer.json()["data"]["version"] == dg.__version__
        paths = {getattr(route, "path", "") for route in app.routes}
        posted = {
            route.path for route in app.routes if "POST" in (getattr(route, "methods", None) or ())
        }
    # The guard names the path of GraphQL; all others that change something take POST alone.
    assert GRAPHQL in paths
    assert {path.split("/")[1].partition("_")[0] for path in posted} == {"graphql", "report"}


def test_an_input_is_loaded_for_the_run_that_asks_for_it() -> None:
    loaded_for: list[dg.DagsterRun] = []

    class Shelf(dg.IOManager):
        def handle_output(self, context: dg.OutputContext, obj: object) -> None: ...

        def load_input(self, context: dg.InputContext) -> int:
            loaded_for.append(run_of_input(context))
            return 1

    @dg.op
    def one() -> int:
        return 1

    @dg.op
    def reads(number: int) -> None: ...

    @dg.job(resource_defs={"io_manager": dg.IOManagerDefinition.hardcoded_io_manager(Shelf())})
    def counting() -> None:
        reads(one())

    done = counting.execute_in_process(tags={"footy/who": "ada"})
    (run,) = loaded_for
    assert (run.run_id, run.tags["footy/who"]) == (done.run_id, "ada")


def test_the_slots_of_a_run_are_free_for_others(tmp_path: Path) -> None:
    with dg.DagsterInstance.local_temp(str(tmp_path)) as instance:
        storage = instance.event_log_storage
        storage.set_concurrency_slots("browser", 1)
        assert storage.claim_concurrency_slot("browser", "dead", "step").is_claimed
        assert not storage.claim_concurrency_slot("browser", "next", "step").is_claimed
        free_concurrency_slots(instance, "dead")
        assert storage.claim_concurrency_slot("browser", "next", "step").is_claimed


def test_sensors_whose_last_tick_lies_in_the_future_tick_again(tmp_path: Path) -> None:
    from dagster._core.definitions.run_request import InstigatorType
    from dagster._core.remote_origin import (
        RegisteredCodeLocationOrigin,
        RemoteInstigatorOrigin,
        RemoteRepositoryOrigin,
    )
    from dagster._core.scheduler.instigation import (
        InstigatorState,
        InstigatorStatus,
        SensorInstigatorData,
    )

    now, repository = 1000.0, RemoteRepositoryOrigin(RegisteredCodeLocationOrigin("footy"), "all")
    with dg.DagsterInstance.local_temp(str(tmp_path)) as instance:
        for name, at in (("ahead", now + 600), ("behind", now - 30)):
            data = SensorInstigatorData(
                at, None, 30, "cursor", at, now - 90, last_tick_success_timestamp=at
            )
            origin = RemoteInstigatorOrigin(repository, name)
            kind, running = InstigatorType.SENSOR, InstigatorStatus.RUNNING
            instance.add_instigator_state(InstigatorState(origin, kind, running, data))
        end_ticks_now(instance, now)
        found = {one.name: one.instigator_data for one in instance.all_instigator_state()}
    ahead, behind = found["ahead"], found["behind"]
    assert isinstance(ahead, SensorInstigatorData)
    assert isinstance(behind, SensorInstigatorData)
    assert (ahead.last_tick_timestamp, ahead.last_tick_start_timestamp) == (now, now)
    assert (ahead.last_tick_success_timestamp, ahead.last_sensor_start_timestamp) == (now, 910)
    assert (ahead.cursor, ahead.min_interval) == ("cursor", 30)
    assert behind.last_tick_timestamp == 970


def test_a_dead_worker_is_noticed_after_a_time_in_which_nothing_could_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a full disk the code server's thread cannot write that a run's worker is gone."""
    from dagster._grpc import server

    own_look = server.DagsterApiServer._check_for_orphaned_runs
    monkeypatch.setattr(server.DagsterApiServer, "_check_for_orphaned_runs", own_look)
    monkeypatch.setattr(server, "CLEANUP_TICK", 0.01)
    keep_noticing_dead_workers()

    @dg.job
    def nothing() -> None: ...

    with dg.DagsterInstance.local_temp(str(tmp_path)) as instance:
        run = instance.create_run_for_job(nothing)
        looks: list[str] = []

        class Gone:
            exitcode = -9

            def is_alive(self) -> bool:
                looks.append("")
                if len(looks) == 1:
                    raise OSError("No space left on device")
                return False

        ended = Event()
        code_server: Any = SimpleNamespace(
            _execution_lock=Lock(),
            _executions={run.run_id: (Gone(), instance.get_ref())},
            _server_termination_event=ended,
            _shutdown_once_executions_finish_event=Event(),
        )
        own = server.DagsterApiServer
        code_server._clear_run = code_server._executions.pop
        code_server._check_for_orphaned_runs = lambda: own._check_for_orphaned_runs(code_server)
        thread = Thread(target=own._cleanup_thread, args=(code_server,), daemon=True)
        thread.start()
        wait_until(lambda: not code_server._executions or not thread.is_alive())
        ended.set()
        found = instance.get_run_by_id(run.run_id)
        assert found is not None
        assert found.status is dg.DagsterRunStatus.FAILURE
