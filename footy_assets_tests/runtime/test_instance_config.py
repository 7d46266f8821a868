"""The `dagster.yaml` of one machine and of several, and the settings that several need."""

import stat
from pathlib import Path
from typing import Any

import pytest
import yaml
from dagster import DagsterInstance
from pydantic import SecretStr

from footy_assets.errors import BadInput
from footy_assets.run_labels import WORK_TAG
from footy_assets.runtime import instance_config as module
from footy_assets.runtime.home import Home, read_packaged
from footy_assets.runtime.instance_config import (
    instance_config,
    instance_environment,
    open_instance,
    require_distributed_settings,
    require_shared_servers,
    with_driver,
    worker_config,
)
from footy_assets.settings import Settings, load_settings, settings_of

POSTGRES = "postgresql://footy:p%40ss@db.example:5433/runs?sslmode=require"
BROKER = "amqp://footy:hunter2@mq.example/footy"


def shared(**more: Any) -> Settings:
    return settings_of(
        dagster_postgres_url=POSTGRES,
        broker_url=BROKER,
        s3_endpoint_url="https://s3.example",
        s3_access_key_id="key",
        s3_secret_access_key="s3cret",
        **more,
    )


def test_without_settings_the_packaged_file_stays_as_it_is() -> None:
    assert instance_config(settings_of()) == read_packaged("dagster.yaml")
    assert instance_environment(settings_of()) == {}


def test_a_prepared_home_has_what_the_settings_ask_for(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    home.prepare(instance_config(settings_of(clip_runs=5)))
    with open_instance(home, {}) as instance:
        settings = instance.get_concurrency_config()
        assert settings.run_queue_config is not None
        assert settings.run_queue_config.max_concurrent_runs == 7
    written = yaml.safe_load((home.dagster / "dagster.yaml").read_text())
    limits = {one["key"]: one for one in written["run_queue"]["tag_concurrency_limits"]}
    assert limits[WORK_TAG]["limit"] == 5
    assert stat.S_IMODE((home.dagster / "dagster.yaml").stat().st_mode) == 0o600


def test_runs_go_to_the_broker_and_are_never_resumed() -> None:
    config = yaml.safe_load(instance_config(shared()))
    assert config["run_launcher"]["class"] == "WorkerWatchingLauncher"
    celery = config["run_launcher"]["config"]["config_source"]
    assert celery["task_acks_late"]
    assert celery["task_reject_on_worker_lost"]
    assert celery["worker_cancel_long_running_tasks_on_connection_loss"]
    assert celery["broker_heartbeat"] == 10
    assert celery["broker_transport_options"] == {"confirm_publish": True}
    assert celery["task_publish_retry_policy"]["max_retries"] > 30
    assert config["run_monitoring"]["max_resume_run_attempts"] == 0
    assert config["run_monitoring"]["start_timeout_seconds"] > 180
    assert config["compute_logs"]["class"] == "S3ComputeLogManager"


def test_a_worker_reports_a_run_that_comes_again_as_failed() -> None:
    """With `run_monitoring`, Dagster ignores it as a duplicate."""
    config = yaml.safe_load(worker_config(shared()))
    assert "run_monitoring" not in config
    assert "run_launcher" not in config
    assert config["storage"] == yaml.safe_load(instance_config(shared()))["storage"]


@pytest.mark.parametrize("written", [instance_config(shared()), worker_config(shared())])
def test_no_file_holds_a_password(written: str) -> None:
    for secret in ("p%40ss", "hunter2", "s3cret"):
        assert secret not in written


def test_the_driver_is_named_and_the_rest_of_the_url_stays() -> None:
    named = "postgresql+psycopg2://footy:p%40ss@db.example:5433/runs?sslmode=require"
    assert with_driver(SecretStr(POSTGRES)) == named
    env = instance_environment(shared())
    assert (env["DAGSTER_POSTGRES_URL"], env["DAGSTER_RESULTS_URL"]) == (named, f"db+{named}")
    assert env["DAGSTER_BROKER_URL"] == BROKER
    assert env["AWS_ACCESS_KEY_ID"] == "key"


def test_dagster_accepts_both_files_as_they_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in instance_environment(shared()).items():
        monkeypatch.setenv(name, value)
    for name, text in (("up", instance_config(shared())), ("worker", worker_config(shared()))):
        # The storage would connect; the rest of the file is checked as it is.
        config = {key: value for key, value in yaml.safe_load(text).items() if key != "storage"}
        folder = tmp_path / name
        folder.mkdir()
        (folder / "dagster.yaml").write_text(yaml.safe_dump(config))
        with DagsterInstance.from_config(str(folder)) as instance:
            launcher = type(instance.run_launcher).__name__
            assert launcher == ("WorkerWatchingLauncher" if name == "up" else "DefaultRunLauncher")


def test_a_broker_needs_postgres() -> None:
    with pytest.raises(BadInput, match="SQLite") as raised:
        require_distributed_settings(settings_of(broker_url=BROKER))
    assert "FOOTY_DAGSTER_POSTGRES_URL" in raised.value.fix
    require_distributed_settings(shared())
    require_distributed_settings(settings_of())


def test_sweeps_side_by_side_need_a_browser_each() -> None:
    with pytest.raises(BadInput, match="FOOTY_SWEEPS"):
        require_distributed_settings(settings_of(sweeps=2, sites=("x", "bluesky")))
    require_distributed_settings(settings_of(sweeps=2, sites=("bluesky",)))
    require_distributed_settings(shared(sweeps=2, sites=("x",)))
    config = yaml.safe_load(instance_config(settings_of(sweeps=3)))
    assert config["run_queue"]["max_concurrent_runs"] == 2 + 3 + 1


def test_what_is_not_installed_is_named_with_what_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    require_distributed_settings(settings_of())
    with pytest.raises(BadInput, match="dagster_postgres, psycopg2, dagster_celery") as raised:
        require_distributed_settings(shared())
    assert "footy-assets[distributed]" in raised.value.fix


def test_workers_cannot_use_embedded_servers() -> None:
    with pytest.raises(BadInput, match="FOOTY_MONGO_URI and FOOTY_S3_ENDPOINT_URL"):
        require_shared_servers(settings_of())
    require_shared_servers(shared(mongo_uri="mongodb://db.example"))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("dagster_postgres_url", "mysql://db.example/runs"),
        ("dagster_postgres_url", "db.example"),
        ("broker_url", "redis://mq.example"),
    ],
)
def test_urls_of_other_servers_are_refused_by_name(name: str, value: str) -> None:
    with pytest.raises(BadInput, match=f"FOOTY_{name.upper()}"):
        load_settings(**{name: value})
