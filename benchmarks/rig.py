"""`footy up` and `footy worker` behind PostgreSQL and RabbitMQ, for a simulated matchday."""

import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from dagster import DagsterInstance, DagsterRunStatus, RunsFilter
from pydantic import SecretStr

from benchmarks.figures import log_progress
from benchmarks.hosts import Host, Program, network_host
from benchmarks.recoveries import FaultTime, RunTimes
from benchmarks.servers import Postgres, RabbitMQ, postgres_server, rabbitmq_server
from footy_assets.clock import ScaledClock
from footy_assets.run_labels import WORK_TAG
from footy_assets.runtime.demo import STREAM_AHEAD
from footy_assets.runtime.demo_settings import PROVIDER_KEY, demo_settings
from footy_assets.runtime.home import Home
from footy_assets.runtime.instance_config import (
    RESULTS_VARIABLE,
    instance_environment,
    open_instance,
)
from footy_assets.runtime.reaper import BROKER_TASK_TAG
from footy_assets.setting_lists import as_environment
from footy_assets.settings import Settings, load_settings
from footy_assets.sim import SimServer, World
from footy_assets.sim.fan_sites import SITES, FanSites, open_fan_sites
from footy_assets.sim.fans import Fans
from resources.embedded.mongod import embedded_mongo
from resources.embedded.weed import embedded_s3

FOOTY = Path(sys.executable).with_name("footy")
LOOPBACK_PORT = re.compile(r"127\.0\.0\.1:(\d+)")
UI_LINE = re.compile(r"Dagster UI: (http://\S+)")
START_SECONDS = 180.0
AT_WORK = [DagsterRunStatus.STARTED]


@dataclass(frozen=True)
class Day:
    """A matchday that is played, with its provider, its fans and their sites."""

    world: World
    fans: Fans
    clock: ScaledClock
    provider: SimServer
    sites: FanSites


@contextmanager
def simulated_day(
    world: World, begins_at: datetime, speed: float, lead: timedelta
) -> Iterator[Day]:
    """`lead` is in real time: what the stack needs to start."""
    fans = Fans(world, load_settings().home / "footage", SITES)
    with fans.rendering() as films:
        log_progress("Rendering the fans' films")
        for film in films.films:
            film.result()
    clock = ScaledClock(begins_at - speed * lead, speed, time.time())
    with (
        SimServer(world, clock, key=PROVIDER_KEY) as provider,
        open_fan_sites(fans, clock, clock.starts_at - STREAM_AHEAD) as sites,
    ):
        yield Day(world, fans, clock, provider, sites)


@dataclass
class Rig:
    settings: Settings
    folder: Path
    postgres: Postgres
    rabbitmq: RabbitMQ
    control: Program = field(init=False)
    workers: list[Program] = field(default_factory=list)
    faults: list[FaultTime] = field(default_factory=list)

    def __post_init__(self) -> None:
        environment = self.environment()
        log = self.folder / "up.log"
        self.control = Program("control", [str(FOOTY), "up"], environment, log)

    def environment(self) -> dict[str, str]:
        plain = {k: v for k, v in os.environ.items() if not k.startswith("FOOTY_")}
        return plain | as_environment(self.settings)

    @contextmanager
    def hosts(self, *numbers: int) -> Iterator[list[Host]]:
        """Hosts that reach the servers."""
        written = " ".join(as_environment(self.settings).values())
        ports = {int(port) for port in LOOPBACK_PORT.findall(written)}
        with ExitStack() as stack:
            yield [stack.enter_context(network_host(number, ports)) for number in numbers]

    def add_worker(self, name: str, queue: str, host: Host | None = None) -> Program:
        """A worker with one slot and a folder of its own."""
        command = [str(FOOTY), "worker", "--queue", queue, "--slots", "1"]
        environment = self.environment() | {"FOOTY_HOME": str(self.folder / name)}
        log = self.folder / f"{name}.log"
        made = Program(name, host.command(*command) if host else command, environment, log)
        self.workers.append(made)
        return made

    def start_control(self) -> str:
        """The address of Dagster's UI."""
        known = len(self._control_log())
        self.control.start()
        found = ""

        def is_up() -> bool:
            nonlocal found
            shown = UI_LINE.search(self._control_log()[known:])
            found = shown.group(1) if shown else ""
            return bool(found)

        wait_for(is_up, START_SECONDS, needed=True)
        return found

    @contextmanager
    def ended(self) -> Iterator[None]:
        """Ends `footy up` and the workers, also after an error."""
        try:
            yield
        finally:
            for worker in self.workers:
                worker.end()
            self.control.stop()

    @contextmanager
    def instance(self) -> Iterator[DagsterInstance]:
        variables = instance_environment(self.settings)
        with open_instance(Home(self.settings.home), variables) as instance:
            yield instance

    def clips_at_work(self) -> bool:
        with self.instance() as instance:
            wanted = RunsFilter(statuses=AT_WORK, tags={WORK_TAG: "clips"})
            return bool(instance.get_runs_count(wanted))

    def clip_processes(self, for_seconds: float) -> set[int]:
        """What workers have forked for runs of clips that are at work for at least so long."""
        from celery import Celery

        results = Celery(backend=instance_environment(self.settings)[RESULTS_VARIABLE])
        with self.instance() as instance:
            wanted = RunsFilter(statuses=AT_WORK, tags={WORK_TAG: "clips"})
            records = instance.get_run_records(wanted)
        before = time.time() - for_seconds
        runs = [one.dagster_run for one in records if (one.start_time or before) < before]
        taken = [results.AsyncResult(run.tags[BROKER_TASK_TAG]).info for run in runs]
        return {one["pid"] for one in taken if isinstance(one, dict) and "pid" in one}

    def has_success_after(self, moment: float) -> bool:
        try:
            return any(
                run.status == DagsterRunStatus.SUCCESS and (run.began or 0) > moment
                for run in self.runs(limit=30)
            )
        except Exception as error:  # a server may still be away
            log_progress(f"not yet: {type(error).__name__}")
            return False

    def runs(self, limit: int | None = None) -> list[RunTimes]:
        with self.instance() as instance:
            return [RunTimes.of(record) for record in instance.get_run_records(limit=limit)]

    def unfinished(self) -> list[str]:
        with self.instance() as instance:
            return [run.run_id for run in instance.get_runs() if not run.is_finished]

    def _control_log(self) -> str:
        return self.control.log.read_text() if self.control.log.exists() else ""


@contextmanager
def shared_rig(day: Day, folder: Path, **more: object) -> Iterator[Rig]:
    """The servers run; `footy up` and the workers are to be started."""
    log_progress("Starting servers")
    with (
        embedded_mongo(folder, die_with_parent=True) as mongo,
        embedded_s3(folder, die_with_parent=True) as s3,
        postgres_server() as postgres,
        rabbitmq_server() as rabbitmq,
    ):
        home = Home(folder / "control")
        home.prepare()
        settings = demo_settings(load_settings(), home, day.clock, day.provider, day.sites)
        shared = {
            "mongo_uri": SecretStr(mongo.uri),
            "s3_endpoint_url": s3.endpoint_url,
            "s3_access_key_id": SecretStr(s3.access_key_id),
            "s3_secret_access_key": SecretStr(s3.secret_access_key),
            "dagster_postgres_url": SecretStr(postgres.url),
            "broker_url": SecretStr(rabbitmq.url),
        }
        yield Rig(settings.model_copy(update=shared | more), folder, postgres, rabbitmq)


def wait_for(condition: Callable[[], bool], seconds: float, *, needed: bool = False) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.3)
    if needed:
        raise SystemExit(f"what the benchmark waits for did not happen within {seconds:g} s")
    return False
