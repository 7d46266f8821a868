"""dagster-celery's launcher, which also notices that a run's worker is gone.

RabbitMQ gives the task of a lost worker to another one, which reports the run as failed; but where
every slot is at work, that takes until one is free. The broker knows at once: each worker has a
queue of its own there (`worker.py`), which it takes from as long as it is connected.
"""

from dagster import DagsterRun
from dagster_celery.launcher import CeleryRunLauncher

from footy_assets.dagster_internals import RunHealth, is_running, lost_worker
from footy_assets.queue_names import presence_queue
from footy_assets.runtime.reaper import BROKER_TASK_TAG
from resources.broker.queues import has_consumer


class WorkerWatchingLauncher(CeleryRunLauncher):  # type: ignore[misc]
    def check_run_worker_health(self, run: DagsterRun) -> RunHealth:
        """Dagster's run monitoring reports a run as failed whose worker is gone. A broker that does
        not answer says nothing about workers."""
        health: RunHealth = super().check_run_worker_health(run)
        worker = self._worker_of(run) if is_running(health) else None
        if worker and has_consumer(self.broker, presence_queue(worker)) is False:
            return lost_worker(f"{worker} is no longer connected to the broker")
        return health

    def _worker_of(self, run: DagsterRun) -> str | None:
        """The name of the worker that took the run from the broker."""
        taken_by = self.celery.AsyncResult(run.tags[BROKER_TASK_TAG]).info
        return taken_by.get("hostname") if isinstance(taken_by, dict) else None
