"""`footy worker`: Celery workers that run what `footy up` hands to the broker."""

import ctypes
import os
import signal
import socket
import sys
from typing import Any

from footy_assets.errors import BadInput
from footy_assets.queue_names import BROWSER_QUEUE, CLIPS_QUEUE, presence_queue
from footy_assets.runtime.alive import note_heartbeats
from footy_assets.runtime.code_server import PRELOADED, PRELOADED_FOR_CLIPS
from footy_assets.runtime.dagster_processes import MODULE
from footy_assets.runtime.file_systems import require_local_folder
from footy_assets.runtime.home import Home
from footy_assets.runtime.instance_config import (
    BROKER_VARIABLE,
    CELERY_SETTINGS,
    RESULTS_VARIABLE,
    instance_environment,
    require_distributed_settings,
    require_shared_servers,
    worker_config,
)
from footy_assets.runtime.niceness import RUN_WORKER_NICENESS
from footy_assets.runtime.shared_servers import require_shared_answers
from footy_assets.setting_lists import as_environment
from footy_assets.settings import Settings
from resources.embedded.process import PR_SET_PDEATHSIG
from resources.mongo.connection import open_mongo

# What a run needs only behind a broker; none of it starts a thread either.
STORAGE = (
    "celery.backends.database",
    "dagster_aws.s3.compute_log_manager",
    "dagster_postgres",
)
# A broker that was restarted keeps the queue for so long without a worker.
PRESENCE_EXPIRES_SECONDS = 60.0
QUEUES = {
    "clips": (CLIPS_QUEUE,),
    "browser": (BROWSER_QUEUE,),
    "all": (BROWSER_QUEUE, CLIPS_QUEUE),
}


def prepare_worker(settings: Settings) -> dict[str, str]:
    """Checks settings and servers, writes the instance, and returns the worker's environment."""
    if settings.broker_url is None:
        raise BadInput(
            "FOOTY_BROKER_URL is not set: without a broker, `footy up` runs everything itself",
            "Set it, and FOOTY_DAGSTER_POSTGRES_URL, to what `footy up` has",
        )
    require_distributed_settings(settings)
    require_shared_servers(settings)
    require_local_folder(settings.home)
    home = Home(settings.home)
    home.prepare_worker(worker_config(settings))
    require_shared_answers(settings)
    # Its runs would all fail on documents of another version.
    with open_mongo(settings):
        pass
    return {
        **as_environment(settings),
        **instance_environment(settings),
        "FOOTY_HOME": str(settings.home),
        "DAGSTER_HOME": str(home.worker),
        "DAGSTER_DISABLE_TELEMETRY": "1",
        # BLAS would start threads before the fork.
        "OPENBLAS_NUM_THREADS": os.environ.get("OPENBLAS_NUM_THREADS", "1"),
    }


def run_worker(settings: Settings, queue: str, slots: int) -> None:
    """Works until a signal: the first ends it after its runs, the second one at once."""
    os.environ.update(prepare_worker(settings))
    note_heartbeats(Home(settings.home))
    name = f"{queue}-{os.getpid()}@{socket.gethostname()}"
    make_worker_app(queue).worker_main(
        [
            *("worker", "--queues", ",".join(QUEUES[queue]), "--concurrency", str(slots)),
            # A run leaves nothing behind for the next: each has a fork of its own.
            *("--max-tasks-per-child", "1", "--hostname", name),
            *("--loglevel", settings.log_level, "--without-gossip", "--without-mingle"),
        ]
    )


def make_worker_app(queue: str) -> Any:
    """The Celery app with the settings of the launcher, which loads our code before it forks, and
    for clips what judges them."""
    from celery.signals import worker_process_init
    from dagster_celery.make_app import make_app
    from dagster_celery.tasks import create_execute_job_task

    modules = PRELOADED if queue == "browser" else PRELOADED_FOR_CLIPS
    app = make_app(
        {
            "broker": os.environ[BROKER_VARIABLE],
            "backend": os.environ[RESULTS_VARIABLE],
            "include": [*modules, *STORAGE, MODULE],
            "config_source": CELERY_SETTINGS,
        }
    )
    create_execute_job_task(app)
    app.steps["consumer"].add(_presence_step())
    worker_process_init.connect(_prepare_run_process, weak=False)
    return app


def _presence_step() -> Any:
    """Shows the broker, and so `run_launcher.py`, that this worker is connected, until its last run
    has ended. Celery's own queue of a worker ends when the worker begins to stop."""
    from celery import bootsteps
    from kombu import Consumer, Queue

    class Presence(bootsteps.StartStopStep):  # type: ignore[misc]
        requires = ("celery.worker.consumer.connection:Connection",)

        def start(self, consumer: Any) -> None:
            """For each connection anew."""
            name = presence_queue(consumer.hostname)
            queue = Queue(name, auto_delete=True, expires=PRESENCE_EXPIRES_SECONDS)
            Consumer(consumer.connection.channel(), [queue], no_ack=True).consume()

    return Presence


def _prepare_run_process(**_: object) -> None:
    """A run ends with its worker, which may be killed, and yields to what else runs here."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    os.nice(RUN_WORKER_NICENESS)
