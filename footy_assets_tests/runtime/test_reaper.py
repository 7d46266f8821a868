"""After a crash: orphaned runs are marked failed, leftover processes ended."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from dagster import DagsterInstance, DagsterRunStatus, job, op
from dagster_celery.tags import DAGSTER_CELERY_TASK_ID_TAG

from footy_assets.runtime.home import Home
from footy_assets.runtime.reaper import end_leftover_processes, reap_orphaned_runs
from footy_assets_tests.runs import stored_run
from footy_assets_tests.waiting import wait_until
from resources.embedded.process import OwnedProcess

pytestmark = pytest.mark.slow


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[DagsterInstance]:
    with DagsterInstance.local_temp(str(tmp_path)) as instance:
        yield instance


@pytest.mark.parametrize(
    "status", [DagsterRunStatus.STARTING, DagsterRunStatus.STARTED, DagsterRunStatus.CANCELING]
)
def test_a_run_whose_worker_died_is_marked_failed(
    instance: DagsterInstance, status: DagsterRunStatus
) -> None:
    run = stored_run(instance, status=status)
    assert reap_orphaned_runs(instance) == [run.run_id]
    reaped = instance.get_run_by_id(run.run_id)
    assert reaped is not None
    assert reaped.status == DagsterRunStatus.FAILURE


@pytest.mark.parametrize(
    "status", [DagsterRunStatus.NOT_STARTED, DagsterRunStatus.SUCCESS, DagsterRunStatus.FAILURE]
)
def test_a_run_without_a_worker_is_left_alone(
    instance: DagsterInstance, status: DagsterRunStatus
) -> None:
    run = stored_run(instance, status=status)
    assert reap_orphaned_runs(instance) == []
    kept = instance.get_run_by_id(run.run_id)
    assert kept is not None
    assert kept.status == status


@pytest.mark.parametrize("status", [DagsterRunStatus.STARTING, DagsterRunStatus.STARTED])
def test_a_run_that_the_broker_has_is_left_to_its_worker(
    instance: DagsterInstance, status: DagsterRunStatus
) -> None:
    run = stored_run(instance, status=status)
    instance.add_run_tags(run.run_id, {DAGSTER_CELERY_TASK_ID_TAG: "of a worker elsewhere"})
    assert reap_orphaned_runs(instance) == []
    kept = instance.get_run_by_id(run.run_id)
    assert kept is not None
    assert kept.status == status


def test_a_real_run_that_ended_is_not_touched(instance: DagsterInstance) -> None:
    @op
    def nothing() -> None: ...

    @job
    def quick() -> None:
        nothing()

    done = quick.execute_in_process(instance=instance)
    assert reap_orphaned_runs(instance) == []
    kept = instance.get_run_by_id(done.run_id)
    assert kept is not None
    assert kept.status == DagsterRunStatus.SUCCESS


def test_what_a_killed_supervisor_left_is_ended_with_its_own_children(tmp_path: Path) -> None:
    home = Home(tmp_path)
    grandchild = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {SLEEP!r}])"
    process = OwnedProcess.start("x", [sys.executable, "-c", grandchild], log=tmp_path / "x.log")
    leader = psutil.Process(process.identity.pid)
    wait_until(lambda: len(leader.children(recursive=True)) == 1)
    family = [leader, *leader.children(recursive=True)]
    home.write_record({"children": [{"pid": process.identity.pid, "born": process.identity.born}]})
    process.popen.kill()
    process.popen.wait()
    assert end_leftover_processes(home) == 1
    wait_until(lambda: not any(is_running(one) for one in family))


def test_a_stranger_with_the_same_pid_is_left_alone(tmp_path: Path) -> None:
    home = Home(tmp_path)
    stranger = subprocess.Popen([sys.executable, "-c", SLEEP], start_new_session=True)
    try:
        home.write_record({"children": [{"pid": stranger.pid, "born": "another time"}]})
        assert end_leftover_processes(home) == 0
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


SLEEP = "import time; time.sleep(60)"


def is_running(process: psutil.Process) -> bool:
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
