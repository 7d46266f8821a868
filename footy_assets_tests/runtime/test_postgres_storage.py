"""Dagster's storage in a real Postgres, where one is installed (`apt-get install postgresql`)."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from dagster import DagsterRunStatus
from pydantic import SecretStr

from footy_assets.runtime.home import Home
from footy_assets.runtime.instance_config import (
    instance_config,
    instance_environment,
    open_instance,
)
from footy_assets.runtime.shared_servers import postgres_health
from footy_assets.settings import settings_of
from footy_assets_tests.runs import stored_run
from resources.embedded.ports import free_ports

FOLDERS = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
INITDB = shutil.which("initdb") or next((str(one / "initdb") for one in FOLDERS), None)
USER = "postgres"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(INITDB is None, reason="no PostgreSQL here: apt-get install postgresql"),
]


@pytest.fixture(scope="module")
def postgres_url() -> Iterator[str]:
    assert INITDB is not None
    port = free_ports(1)[0]
    # Postgres refuses to run as root, and its user cannot enter a folder of pytest's.
    folder = Path(tempfile.mkdtemp(prefix="footy-postgres-"))
    as_user = {"user": USER} if os.geteuid() == 0 else {}
    if as_user:
        owner = pwd.getpwnam(USER)
        os.chown(folder, owner.pw_uid, owner.pw_gid)
    data, control = folder / "data", [str(Path(INITDB).with_name("pg_ctl")), "-D"]
    options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off"

    def run(*command: str) -> None:
        subprocess.run(
            command,
            check=True,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            **as_user,  # type: ignore[call-overload]
        )

    try:
        run(INITDB, "-D", str(data), "-U", "footy", "-A", "trust", "-E", "UTF8", "--no-sync")
        run(*control, str(data), "-o", options, "-l", str(folder / "log"), "-w", "start")
        try:
            yield f"postgresql://footy@127.0.0.1:{port}/postgres"
        finally:
            run(*control, str(data), "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder)


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
