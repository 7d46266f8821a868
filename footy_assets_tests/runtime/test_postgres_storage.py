"""Dagster's storage in a real Postgres, where one is installed (`apt-get install postgresql`)."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from dagster import DagsterRunStatus
from pydantic import SecretStr

from benchmarks.servers import INITDB, postgres_server
from footy_assets.runtime.home import Home
from footy_assets.runtime.instance_config import (
    instance_config,
    instance_environment,
    open_instance,
)
from footy_assets.runtime.shared_servers import postgres_health
from footy_assets.settings import settings_of
from footy_assets_tests.runs import stored_run

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(INITDB is None, reason="no PostgreSQL here: apt-get install postgresql"),
]


@pytest.fixture(scope="module")
def postgres_url() -> Iterator[str]:
    with postgres_server() as server:
        yield server.url


def test_runs_are_in_postgres_and_another_home_sees_them(postgres_url: str, tmp_path: Path) -> None:
    settings = settings_of(dagster_postgres_url=postgres_url)
    homes = [Home(tmp_path / "one"), Home(tmp_path / "two")]
    for home in homes:
        home.prepare(instance_config(settings))
    with open_instance(homes[0], instance_environment(settings)) as instance:
        run = stored_run(instance, status=DagsterRunStatus.STARTED)
    with open_instance(homes[1], instance_environment(settings)) as instance:
        found = instance.get_run_by_id(run.run_id)
    assert found is not None
    assert found.status == DagsterRunStatus.STARTED
    assert not list(tmp_path.rglob("*.db"))


def test_the_version_of_postgres_is_shown(postgres_url: str) -> None:
    health = postgres_health(SecretStr(postgres_url))
    assert health.ok
    assert health.detail.startswith("PostgreSQL ")
