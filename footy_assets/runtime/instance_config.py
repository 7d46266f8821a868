"""The `dagster.yaml` of this machine, made from the packaged one and the settings.

It names environment variables instead of URLs: Dagster sends an instance's configuration to run
workers, and shows it in the UI.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import yaml
from dagster import DagsterInstance
from pydantic import SecretStr

from footy_assets.errors import BadInput
from footy_assets.queue_names import BROWSER_QUEUE
from footy_assets.run_labels import WORK_TAG
from footy_assets.runtime.home import Home, read_packaged
from footy_assets.settings import Settings
from footy_assets.site_name import SiteName

POSTGRES_VARIABLE = "DAGSTER_POSTGRES_URL"
BROKER_VARIABLE = "DAGSTER_BROKER_URL"
RESULTS_VARIABLE = "DAGSTER_RESULTS_URL"
# The driver that the extra installs; SQLAlchemy 2.1 takes `postgresql://` for another one.
DRIVER = "postgresql+psycopg2"
COMPUTE_LOGS_PREFIX = "compute-logs"
# Runs that are neither of clips nor sweeps, and come beside them.
OTHER_RUNS = 1
# A run that waits in the broker for a slot counts as starting.
START_IN_BROKER_SECONDS = 1800
LOST_WORKER_SECONDS = 3
# What `footy up` and `footy worker` must agree on.
CELERY_SETTINGS: dict[str, Any] = {
    # A task of a worker that is gone goes to another one, which reports its run as failed.
    "task_acks_late": True,
    "task_reject_on_worker_lost": True,
    "worker_prefetch_multiplier": 1,
    "broker_heartbeat": 10,
    "worker_cancel_long_running_tasks_on_connection_loss": True,
    "broker_connection_retry_on_startup": True,
    # A run that a broker took and lost as it ended would count as starting for half an hour.
    "broker_transport_options": {"confirm_publish": True},
    # About two minutes: while the broker restarts, runs wait in Dagster's queue and do not fail.
    "task_publish_retry_policy": {
        "max_retries": 45,
        "interval_start": 0.2,
        "interval_step": 0.5,
        "interval_max": 3.0,
    },
    # Priority 0 is the last in RabbitMQ, and in Celery with RabbitMQ.
    "task_queue_max_priority": 10,
}


def needed_packages(settings: Settings) -> list[str]:
    """Of the extra `distributed`, what these settings need and is not installed."""
    wanted = []
    if settings.dagster_postgres_url is not None:
        wanted += ["dagster_postgres", "psycopg2"]
    if settings.broker_url is not None:
        wanted += ["dagster_celery", "celery"]
    return [name for name in wanted if find_spec(name) is None]


def require_distributed_settings(settings: Settings) -> None:
    """The settings fit each other, and what they need is installed."""
    if missing := needed_packages(settings):
        raise BadInput(
            f"FOOTY_DAGSTER_POSTGRES_URL and FOOTY_BROKER_URL need {', '.join(missing)}",
            "Install them: pip install 'footy-assets[distributed]'",
        )
    if settings.broker_url is not None and settings.dagster_postgres_url is None:
        raise BadInput(
            "FOOTY_BROKER_URL is set, but workers cannot share a SQLite file",
            "Set FOOTY_DAGSTER_POSTGRES_URL too",
        )
    if settings.sweeps > 1 and SiteName.X in settings.sites and settings.broker_url is None:
        raise BadInput(
            "FOOTY_SWEEPS is more than 1, but one machine has one browser with a login to X",
            "Leave FOOTY_SWEEPS at 1, or give each sweep a browser worker (FOOTY_BROKER_URL)",
        )


def require_shared_servers(settings: Settings, who: str = "workers") -> None:
    """Workers reach the database and the clips of `footy up`; embedded servers are its own."""
    unset = {
        "FOOTY_MONGO_URI": settings.mongo_uri,
        "FOOTY_S3_ENDPOINT_URL": settings.s3_endpoint_url,
    }
    if missing := [name for name, value in unset.items() if value is None]:
        raise BadInput(
            f"{who} cannot reach embedded servers, and {' and '.join(missing)} is not set",
            "Set it to a server that every machine reaches",
        )


def instance_config(settings: Settings) -> str:
    """For `footy up`: the packaged file as it is, where no setting changes it."""
    packaged = read_packaged("dagster.yaml")
    config = yaml.safe_load(packaged)
    unchanged = yaml.safe_load(packaged)
    queue = config["run_queue"]
    queue["max_concurrent_runs"] = settings.clip_runs + settings.sweeps + OTHER_RUNS
    for limit in queue["tag_concurrency_limits"]:
        if limit["key"] == WORK_TAG:
            limit["limit"] = settings.clip_runs
    config |= _shared_storage(settings)
    if settings.broker_url is not None:
        config["run_launcher"] = {
            "module": "footy_assets.runtime.run_launcher",
            "class": "WorkerWatchingLauncher",
            "config": {
                "broker": {"env": BROKER_VARIABLE},
                "backend": {"env": RESULTS_VARIABLE},
                "default_queue": BROWSER_QUEUE,
                "config_source": CELERY_SETTINGS,
            },
        }
        config["run_monitoring"] |= {
            "start_timeout_seconds": START_IN_BROKER_SECONDS,
            # Resuming raises a TypeError in the launcher of dagster-celery.
            "max_resume_run_attempts": 0,
            # How long a run whose worker is gone counts as running, at most.
            "poll_interval_seconds": LOST_WORKER_SECONDS,
        }
    return packaged if config == unchanged else yaml.safe_dump(config, sort_keys=False)


def worker_config(settings: Settings) -> str:
    """For `footy worker`. Without `run_monitoring`: with it, a run whose task comes again because
    its worker died is ignored as a duplicate; without, it is reported as failed at once."""
    shared = {"telemetry": {"enabled": False}, "nux": {"enabled": False}}
    return yaml.safe_dump(shared | _shared_storage(settings), sort_keys=False)


def _shared_storage(settings: Settings) -> dict[str, Any]:
    config: dict[str, Any] = {}
    if settings.dagster_postgres_url is not None:
        config["storage"] = {"postgres": {"postgres_url": {"env": POSTGRES_VARIABLE}}}
    if settings.broker_url is not None and settings.s3_endpoint_url is not None:
        config["compute_logs"] = {
            "module": "dagster_aws.s3.compute_log_manager",
            "class": "S3ComputeLogManager",
            "config": {
                "bucket": settings.s3_bucket,
                "prefix": COMPUTE_LOGS_PREFIX,
                "endpoint_url": settings.s3_endpoint_url,
                "region": settings.s3_region,
                "skip_empty_files": True,
            },
        }
    return config


def instance_environment(settings: Settings) -> dict[str, str]:
    """What the `dagster.yaml` of these settings refers to."""
    env: dict[str, str] = {}
    if settings.dagster_postgres_url is not None:
        url = with_driver(settings.dagster_postgres_url)
        env |= {POSTGRES_VARIABLE: url, RESULTS_VARIABLE: f"db+{url}"}
    if settings.broker_url is not None:
        env[BROKER_VARIABLE] = settings.broker_url.get_secret_value()
        keys = settings.s3_access_key_id, settings.s3_secret_access_key
        if keys[0] is not None and keys[1] is not None:
            # Dagster's S3 logs know only the AWS credential chain.
            env["AWS_ACCESS_KEY_ID"] = keys[0].get_secret_value()
            env["AWS_SECRET_ACCESS_KEY"] = keys[1].get_secret_value()
    return env


def with_driver(url: SecretStr) -> str:
    return urlunsplit(urlsplit(url.get_secret_value())._replace(scheme=DRIVER))


@contextmanager
def open_instance(home: Home, variables: Mapping[str, str]) -> Iterator[DagsterInstance]:
    """The instance of `footy up`. Dagster reads the variables of its file from the environment."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        with DagsterInstance.from_config(str(home.dagster)) as instance:
            yield instance
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
