"""Whether Dagster's run monitoring learns that a run's worker is gone."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from footy_assets.dagster_internals import is_running
from footy_assets.queue_names import presence_queue
from footy_assets.runtime import run_launcher as module
from footy_assets.runtime.instance_config import CELERY_SETTINGS
from footy_assets.runtime.reaper import BROKER_TASK_TAG
from footy_assets.runtime.run_launcher import WorkerWatchingLauncher
from footy_assets_tests.runs import stored_run

WORKER, TASK = "clips-7@host", "task-1"


@pytest.fixture
def launcher(tmp_path: Path) -> WorkerWatchingLauncher:
    made: WorkerWatchingLauncher = WorkerWatchingLauncher(
        default_queue="footy-browser",
        broker="memory://",
        backend=f"db+sqlite:///{tmp_path / 'results.db'}",
        config_source=CELERY_SETTINGS,
    )
    return made


@pytest.fixture
def run() -> Iterator[dg.DagsterRun]:
    with dg.DagsterInstance.ephemeral() as instance:
        stored = stored_run(instance, dg.DagsterRunStatus.STARTED)
        instance.add_run_tags(stored.run_id, {BROKER_TASK_TAG: TASK})
        found = instance.get_run_by_id(stored.run_id)
        assert found is not None
        yield found


def take(launcher: Any) -> None:
    """As a worker that takes the run's task from the broker."""
    launcher.celery.backend.store_result(TASK, {"pid": 1, "hostname": WORKER}, "STARTED")


@pytest.mark.parametrize(("connected", "running"), [(True, True), (False, False), (None, True)])
def test_a_run_whose_worker_is_gone_has_failed(
    connected: bool | None,
    running: bool,
    launcher: WorkerWatchingLauncher,
    run: dg.DagsterRun,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A broker that does not answer says nothing about workers."""
    asked = []

    def has_consumer(url: str, queue: str) -> bool | None:
        asked.append((url, queue))
        return connected

    monkeypatch.setattr(module, "has_consumer", has_consumer)
    take(launcher)
    health = launcher.check_run_worker_health(run)
    assert is_running(health) is running
    assert asked == [("memory://", presence_queue(WORKER))]
    if not running:
        assert WORKER in str(health.msg)


def test_the_broker_is_not_asked_about_a_run_that_ended(
    launcher: WorkerWatchingLauncher, run: dg.DagsterRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "has_consumer", lambda *_: pytest.fail("asked"))
    launcher.celery.backend.store_result(TASK, 0, "SUCCESS")
    launcher.check_run_worker_health(run)
