"""The parts of `footy up`, each as a process of its own, for containers.

`footy code-server` is the first: it prepares the database, the bucket and the home, which daemon
and Dagster UI share with it. The others take what they find.
"""

import os
import sys
from collections.abc import Callable

from footy_assets.clips.work_folders import WORK, sweep_leftovers
from footy_assets.dagster_internals import DAEMON_MODULE, end_ticks_now
from footy_assets.errors import BadInput
from footy_assets.runtime.dagster_processes import (
    LONGEST_SOCKET_PATH,
    code_server_arguments,
)
from footy_assets.runtime.file_systems import require_local_folder
from footy_assets.runtime.home import Home
from footy_assets.runtime.instance_config import (
    instance_config,
    instance_environment,
    open_instance,
    require_distributed_settings,
    require_shared_servers,
)
from footy_assets.runtime.reaper import reap_orphaned_runs
from footy_assets.runtime.shared_servers import require_shared_answers
from footy_assets.runtime.supervisor import UPGRADE_WAIT_SECONDS
from footy_assets.setting_lists import as_environment
from footy_assets.settings import Settings
from footy_assets.store.collections import ensure_indexes
from footy_assets.store.migrate import upgrade
from resources.mongo.connection import open_mongo
from resources.s3.connection import open_s3


def serve_code(settings: Settings, on_progress: Callable[[str], None]) -> None:
    """Prepares what all parts share, then becomes the code server."""
    home = prepare_parts(settings, on_progress)
    socket = home.code_server_socket
    if len(os.fsencode(socket)) > LONGEST_SOCKET_PATH:
        raise BadInput(f"{socket} is too long for a socket", "Set FOOTY_HOME to a shorter path")
    socket.unlink(missing_ok=True)
    arguments = code_server_arguments(home, socket)
    _become(settings, home, "footy_assets.runtime.code_server", *arguments)


def run_daemon(settings: Settings, now: float) -> None:
    """Becomes Dagster's daemon."""
    home = _prepared_home(settings)
    with open_instance(home, instance_environment(settings)) as instance:
        end_ticks_now(instance, now)
    _become(settings, home, DAEMON_MODULE, "run", "-w", str(home.workspace))


def show_dagster_ui(settings: Settings) -> None:
    """Becomes the Dagster UI behind our access control."""
    _become(settings, _prepared_home(settings), "footy_assets.runtime.webserver")


def prepare_parts(settings: Settings, on_progress: Callable[[str], None]) -> Home:
    """Upgrades the documents, and writes the Dagster instance, while no `footy up` runs here."""
    require_distributed_settings(settings)
    require_shared_servers(settings, "other processes")
    require_local_folder(settings.home)
    require_shared_answers(settings)
    home = Home(settings.home)
    with home.locked():
        home.prepare(instance_config(settings))
        with open_mongo(settings, checked=False) as database:
            upgrade(database, on_progress, wait=UPGRADE_WAIT_SECONDS)
            ensure_indexes(database)
        with open_s3(settings) as clips:
            clips.ensure_bucket()
        with open_instance(home, instance_environment(settings)) as instance:
            reaped = reap_orphaned_runs(instance)
        if reaped:
            on_progress(f"Marked {len(reaped)} run(s) of an earlier crash as failed")
        if swept := sweep_leftovers(home.path / WORK):
            on_progress(f"Removed {swept} work folder(s) of an earlier crash")
    return home


def part_environment(settings: Settings, home: Home) -> dict[str, str]:
    return {
        **os.environ,
        **as_environment(settings),
        **instance_environment(settings),
        "FOOTY_HOME": str(home.path),
        "DAGSTER_HOME": str(home.dagster),
        "DAGSTER_DISABLE_TELEMETRY": "1",
        "PYTHONUNBUFFERED": "1",
    }


def _prepared_home(settings: Settings) -> Home:
    """Raises `BadInput` where there is no Dagster instance; who prepared it does not matter."""
    home = Home(settings.home)
    for file in (home.dagster / "dagster.yaml", home.workspace):
        if not file.is_file():
            raise BadInput(f"{file} is missing", "Start `footy code-server` with this FOOTY_HOME")
    return home


def _become(settings: Settings, home: Home, module: str, *arguments: str) -> None:
    """The part takes the place of this process: signals and the exit code are its own."""
    command = [sys.executable, "-m", module, *arguments]
    os.execve(sys.executable, command, part_environment(settings, home))
