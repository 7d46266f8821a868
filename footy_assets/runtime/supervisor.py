"""The supervisor behind `footy up`: starts all processes in order, watches and stops them."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import structlog
from dagster import DagsterInstance

from footy_assets.clips.work_folders import WORK, sweep_leftovers
from footy_assets.dagster_internals import end_ticks_now
from footy_assets.errors import BadInput, Unavailable
from footy_assets.gallery.access import access_of
from footy_assets.runtime.dagster_guard import access_to_dagster
from footy_assets.runtime.dagster_processes import (
    code_server_socket,
    start_code_server,
    start_daemon,
    start_webserver,
    stop_with_children,
    wait_for_code_server,
    wait_for_webserver,
)
from footy_assets.runtime.disk import DiskGuard
from footy_assets.runtime.file_systems import require_local_folder
from footy_assets.runtime.home import Home
from footy_assets.runtime.instance_config import (
    instance_config,
    instance_environment,
    open_instance,
    require_distributed_settings,
    require_shared_servers,
)
from footy_assets.runtime.listen_process import has_listener, start_listener
from footy_assets.runtime.provider_process import has_other_providers, start_provider_watch
from footy_assets.runtime.reaper import end_leftover_processes, reap_orphaned_runs
from footy_assets.runtime.restarts import Part, Restarts
from footy_assets.runtime.shared_servers import require_shared_answers
from footy_assets.runtime.time_of_day import TimeOfDay
from footy_assets.runtime.web_process import start_web_app, wait_for_web_app
from footy_assets.setting_lists import as_environment
from footy_assets.settings import Settings
from footy_assets.store.collections import ensure_indexes
from footy_assets.store.migrate import upgrade
from footy_assets.web_server.access import Access
from resources.embedded.mongod import embedded_mongo
from resources.embedded.ports import free_ports, is_free
from resources.embedded.process import OwnedProcess, log_tail
from resources.embedded.shared import SharedServer
from resources.embedded.weed import embedded_s3
from resources.mongo.connection import connect
from resources.s3.connection import open_s3

log = structlog.get_logger()

LOOK_SECONDS = 0.5
# For a `footy migrate` that is under way.
UPGRADE_WAIT_SECONDS = 600.0
OLD_MONGODB = (
    "Warning: the embedded MongoDB 6.0 gets no security fixes any more, and other machines can "
    "reach what uses it. Set FOOTY_MONGO_URI to a server that is kept up to date."
)
CODE_SERVER = "code-server"
DAEMON = "daemon"


@dataclass
class Running:
    """A running stack."""

    home: Home
    ui: str
    gallery: str
    mongo_uri: str = field(repr=False)
    reaped: list[str]
    disk: DiskGuard
    restarts: Restarts
    children: dict[str, OwnedProcess] = field(default_factory=dict)
    starters: dict[str, Callable[[], OwnedProcess]] = field(default_factory=dict)
    servers: dict[str, SharedServer[Any]] = field(default_factory=dict)
    time_of_day: TimeOfDay = field(default_factory=TimeOfDay)
    instance_env: dict[str, str] = field(default_factory=dict, repr=False)

    def instance(self) -> AbstractContextManager[DagsterInstance]:
        return open_instance(self.home, self.instance_env)

    def start(self, name: str) -> OwnedProcess:
        process = self.starters[name]()
        self.children[name] = process
        self.write_record()
        return process

    def write_record(self) -> None:
        children = [child.identity for child in self.children.values()]
        record = {
            "ui": self.ui,
            "gallery": self.gallery,
            "failing": self.restarts.failing,
            "children": [{"pid": child.pid, "born": child.born} for child in children],
        }
        try:
            self.home.write_record(record)
        except OSError as error:
            # On Linux the children end with us, with or without a record.
            log.warning("record_not_written", reason=error.strerror)

    def revive(self) -> None:
        """Restarts servers and children that ended, each with its own delays. While the disk is
        full nothing is started: it would end at once, or do half of its work."""
        was_full = self.disk.is_full
        if self.disk.look():
            return
        if was_full:
            self.restarts.forget_delays()
            self._replace_silent_servers()
        if seconds := self.time_of_day.set_back_by():
            log.warning("time_of_day_set_back", seconds=round(seconds))
            stop_with_children([self.children[DAEMON]])
        failing = dict(self.restarts.failing)
        self.restarts.revive({**self._server_parts(), **self._child_parts()})
        if failing != self.restarts.failing:
            self.write_record()

    def _server_parts(self) -> dict[str, Part]:
        return {
            name: Part(server.is_alive, server.revive, lambda: "its process is gone")
            for name, server in self.servers.items()
        }

    def _child_parts(self) -> dict[str, Part]:
        return {
            name: Part(
                partial(_is_running, process),
                partial(self._restart, name, process),
                partial(_explain_end, process),
            )
            for name, process in self.children.items()
        }

    def _restart(self, name: str, process: OwnedProcess) -> None:
        stop_with_children([process])
        if name == CODE_SERVER:
            # Its run workers ended too.
            with self.instance() as instance:
                reap_orphaned_runs(instance)
        if name == DAEMON:
            with self.instance() as instance:
                end_ticks_now(instance, self.time_of_day.now())
        self.start(name)

    def _replace_silent_servers(self) -> None:
        """A server may outlive a full disk and refuse writes from then on."""
        for name, server in self.servers.items():
            try:
                server.replace_if_silent()
            except Unavailable as error:
                log.warning("server_not_replaced", server=name, reason=str(error))

    def watch(self, until: Callable[[], bool]) -> None:
        while not until():
            self.revive()
            time.sleep(LOOK_SECONDS)


@contextmanager
def running(
    settings: Settings,
    on_progress: Callable[[str], None] = lambda _: None,
) -> Iterator[Running]:
    """Starts everything; on exit stops everything, also after an error."""
    for access in accesses(settings):
        access.require_token()
    require_distributed_settings(settings)
    require_local_folder(settings.home)
    if settings.broker_url is not None:
        require_shared_servers(settings)
    require_shared_answers(settings)
    home = Home(settings.home)
    on_progress = _never_raise(on_progress)
    with ExitStack() as stack:
        stack.enter_context(home.locked())
        home.prepare(instance_config(settings))
        end_leftover_processes(home)
        if swept := sweep_leftovers(settings.home / WORK):
            on_progress(f"Removed {swept} work folder(s) of an earlier crash")
        port = settings.dagster_port or free_ports(1)[0]
        web_port = settings.api_port or free_ports(1)[0]
        require_free(port, "the Dagster UI", "FOOTY_DAGSTER_PORT")
        require_free(web_port, "the web app", "FOOTY_API_PORT")
        with_other_providers = has_other_providers(settings)
        settings = settings.model_copy(update={"dagster_port": port, "api_port": web_port})
        servers: dict[str, SharedServer[Any]] = {}
        env = {**os.environ, **as_environment(settings)}
        env |= servers_env(settings, stack, servers, on_progress)
        env |= {
            "FOOTY_HOME": str(settings.home),
            "FOOTY_DAGSTER_PORT": str(port),
            "FOOTY_API_PORT": str(web_port),
            "DAGSTER_HOME": str(home.dagster),
            "DAGSTER_DISABLE_TELEMETRY": "1",
            "PYTHONUNBUFFERED": "1",
        }
        env |= (instance_env := instance_environment(settings))
        with open_instance(home, instance_env) as instance:
            reaped = reap_orphaned_runs(instance)
        if reaped:
            on_progress(f"Marked {len(reaped)} run(s) of an earlier crash as failed")
        code_socket = stack.enter_context(code_server_socket(home))
        ui, gallery = settings.dagster_public_url or settings.dagster_url, settings.gallery_url
        disk, restarts = DiskGuard(home.path, on_progress), Restarts(on_progress)
        mongo_uri = env["FOOTY_MONGO_URI"]
        up = Running(home, ui, gallery, mongo_uri, reaped, disk, restarts, servers=servers)
        up.instance_env = instance_env
        up.starters = {
            CODE_SERVER: lambda: start_code_server(home, env, code_socket),
            "webserver": lambda: start_webserver(home, env),
            DAEMON: lambda: start_daemon(home, env),
            "web": lambda: start_web_app(home, env),
            "sources": lambda: start_provider_watch(home, env),
            "listen": lambda: start_listener(home, env),
        }
        stack.callback(lambda: home.record.unlink(missing_ok=True))
        stack.callback(lambda: stop_with_children(list(up.children.values())))
        on_progress("Starting Dagster: code server, webserver, daemon")
        wait_for_code_server(up.start(CODE_SERVER), code_socket)
        webserver = up.start("webserver")
        up.start(DAEMON)
        on_progress("Starting the web app")
        web = up.start("web")
        if with_other_providers:
            on_progress("Starting the watcher of the other football providers")
            up.start("sources")
        if has_listener(settings):
            on_progress("Starting the listener")
            up.start("listen")
        wait_for_webserver(webserver, settings.dagster_url, settings.api_token)
        wait_for_web_app(web, settings.api_host, web_port)
        yield up


def _is_running(process: OwnedProcess) -> bool:
    return process.popen.poll() is None


def _explain_end(process: OwnedProcess) -> str:
    code, tail = process.popen.poll(), log_tail(process.log)
    return f"{process.name} ended with code {code}: {tail} (see {process.log})"


def _never_raise(on_progress: Callable[[str], None]) -> Callable[[str], None]:
    """The terminal may be a file on a full disk."""

    def report(text: str) -> None:
        with suppress(OSError):
            on_progress(text)

    return report


def require_free(port: int, who: str, setting: str) -> None:
    if not is_free(port):
        raise BadInput(
            f"port {port} is in use, but {who} needs it",
            f"Set {setting} to a free port, or to 0 for any",
        )


def accesses(settings: Settings) -> tuple[Access, Access]:
    """Who may reach the Dagster UI, and who the web app."""
    return access_to_dagster(settings), access_of(settings)


def servers_env(
    settings: Settings,
    stack: ExitStack,
    servers: dict[str, SharedServer[Any]],
    on_progress: Callable[[str], None],
) -> dict[str, str]:
    """Starts embedded servers unless configured; returns their addresses for the children."""
    env: dict[str, str] = {}
    if settings.mongo_uri is not None:
        env["FOOTY_MONGO_URI"] = settings.mongo_uri.get_secret_value()
    else:
        on_progress("Starting MongoDB (embedded)")
        if any(access.reachable_from_outside for access in accesses(settings)):
            on_progress(OLD_MONGODB)
        servers["mongo"] = embedded_mongo(settings.home)
        env["FOOTY_MONGO_URI"] = stack.enter_context(servers["mongo"]).uri
    with connect(env["FOOTY_MONGO_URI"], settings.mongo_database) as database:
        upgrade(database, on_progress, wait=UPGRADE_WAIT_SECONDS)
        ensure_indexes(database)
    if settings.s3_endpoint_url is None:
        on_progress("Starting S3 (embedded)")
        servers["s3"] = embedded_s3(settings.home)
        server = stack.enter_context(servers["s3"])
        env |= {
            "FOOTY_S3_ENDPOINT_URL": server.endpoint_url,
            "FOOTY_S3_ACCESS_KEY_ID": server.access_key_id,
            "FOOTY_S3_SECRET_ACCESS_KEY": server.secret_access_key,
        }
    else:
        with open_s3(settings) as clips:
            clips.ensure_bucket()
    return env
