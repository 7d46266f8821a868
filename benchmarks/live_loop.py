"""Whether polls stay 30 s apart while other runs keep the machine busy.

The whole stack in real time: embedded MongoDB and S3, Dagster's code server, webserver and daemon,
and a simulated provider in its own process with all matches in play. Runs that imitate clips runs
fill the run queue and every core.
"""

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any
from unittest.mock import patch

from dagster import AssetKey, AssetRecordsFilter, DagsterInstance, DagsterRunStatus, RunsFilter
from pymongo.database import Database

from benchmarks.figures import (
    Row,
    add_output_options,
    log_progress,
    machine,
    publish,
    table,
    verdict_list,
)
from benchmarks.meters import CpuMeter, p50
from benchmarks.provider_process import ProviderProcess, provider_process
from footy_assets.cli.signals import stop_on_signals
from footy_assets.clock import ScaledClock
from footy_assets.runtime import dagster_processes
from footy_assets.runtime.supervisor import Running, running
from footy_assets.settings import PACKAGE_ROOT, load_settings
from footy_assets.store.collections import EVENTS, FIXTURES, POLLS, Document
from resources.mongo.connection import connect

# From 14:15 to 15:24 every match of the simulated day is in play.
STARTS_AT = datetime(2025, 5, 10, 14, 16, tzinfo=UTC)
MOST_TICKS = 100
SHORTEST, LONGEST = 28.0, 35.0
READY_TIMEOUT_SECONDS = 240.0
CHECK_EVERY_SECONDS = 5.0
# Requests of one poll are sent together; a request later than this belongs to the next poll.
POLLS_APART_SECONDS = 10.0
SENSOR, LOAD_JOB = "live_poll", "clips_like"
LOAD_MODULE = "benchmarks.clips_like_load"

SPACING_COLUMNS = {
    "seen_by": "interval between polls, measured by",
    "count": "intervals",
    "min": "min s",
    "p50": "p50 s",
    "max": "max s",
    "outside": f"outside {SHORTEST:g}–{LONGEST:g} s",
}
FIGURE_COLUMNS = {"figure": "figure", "value": "value"}


@dataclass
class Watch:
    """Lengths of the run queue, sampled while the ticks are measured."""

    began: float
    queued: list[int] = field(default_factory=list)
    in_progress: list[int] = field(default_factory=list)


def main() -> int:
    arguments = parse_arguments()
    machine_note, stopped = machine(), stop_on_signals()
    clock = ScaledClock(STARTS_AT, 1.0, time.time())
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="footy-live-"))
        provider = stack.enter_context(provider_process(arguments.fixtures, clock))
        up = stack.enter_context(whole_stack(Path(folder), provider, clock, arguments.load))
        database = stack.enter_context(connect(up.mongo_uri, "footy"))
        instance = stack.enter_context(DagsterInstance.from_config(str(up.home.dagster)))
        log_progress(
            "waiting until all fixtures are active" + " and the queue is full" * arguments.load
        )
        wait_until_ready(up, database, instance, arguments, stopped.is_set)
        pids = {name: child.identity.pid for name, child in up.children.items()}
        pids |= {"provider": provider.pid, "mongod": database.command("serverStatus")["pid"]}
        cpu, watch = CpuMeter(pids), Watch(time.time())
        watch_ticks(up, instance, arguments.ticks, watch, stopped.is_set)
        result = {
            "machine": machine_note,
            "fixtures": arguments.fixtures,
            "load": arguments.load,
        } | figures(up, instance, database, provider, clock, watch, cpu.percent())
    verdicts = judge(result, arguments.load)
    result["verdicts"] = verdicts
    rows = [{"figure": name, "value": value} for name, value in result["figures"].items()]
    tables = [
        f"{machine_note} {arguments.fixtures} fixtures, "
        f"{'with' if arguments.load else 'without'} load.",
        table(result["spacings"], SPACING_COLUMNS),
        table(rows, FIGURE_COLUMNS),
        verdict_list(verdicts),
    ]
    publish("live_loop" if arguments.load else "live_loop_no_load", result, tables, arguments)
    if stopped.is_set():
        return 130
    return 0 if all(verdicts.values()) else 1


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.live_loop", description=__doc__)
    parser.add_argument(
        "--ticks", type=int, default=20, help=f"ticks of 30 s to measure (at most {MOST_TICKS})"
    )
    parser.add_argument("--fixtures", type=int, default=100)
    parser.add_argument(
        "--no-load",
        dest="load",
        action="store_false",
        help="measure without the other runs, for comparison",
    )
    add_output_options(parser)
    arguments = parser.parse_args()
    if not 1 <= arguments.ticks <= MOST_TICKS:
        parser.error(f"--ticks is from 1 to {MOST_TICKS}: the first matches end after that")
    if not 1 <= arguments.fixtures < 1_000:
        parser.error("--fixtures is from 1 to 999: a simulated day has no more")
    return arguments


@contextmanager
def whole_stack(
    folder: Path, provider: ProviderProcess, clock: ScaledClock, load: bool
) -> Iterator[Running]:
    """What `footy up` starts, with the load in the project's own code location."""
    settings = load_settings(
        home=folder,
        mongo_uri=None,
        s3_endpoint_url=None,
        dagster_port=0,
        clock=clock.spec(),
        api_football_url=provider.url,
        tracked_teams="*",
        sites=(),
    )
    with (
        patch.object(
            dagster_processes, "MODULE", LOAD_MODULE if load else dagster_processes.MODULE
        ),
        patch.dict(os.environ, PYTHONPATH=str(PACKAGE_ROOT)),
        running(settings, log_progress) as up,
    ):
        yield up


def wait_until_ready(
    up: Running,
    database: Database[Document],
    instance: DagsterInstance,
    arguments: argparse.Namespace,
    stopped: Callable[[], bool],
) -> None:
    deadline = time.monotonic() + READY_TIMEOUT_SECONDS

    def ready() -> bool:
        if time.monotonic() > deadline:
            raise SystemExit(f"not ready within {READY_TIMEOUT_SECONDS:g} s")
        active = database[FIXTURES].count_documents({"state": "active"})
        polled = database[POLLS].count_documents({})
        busy = not arguments.load or (load_run_counts(instance)[0] and load_run_counts(instance)[1])
        return stopped() or bool(active == arguments.fixtures and polled and busy)

    up.watch(until=ready)


def watch_ticks(
    up: Running, instance: DagsterInstance, ticks: int, watch: Watch, stopped: Callable[[], bool]
) -> None:
    """Wait until one tick more than requested has ended, which gives the requested intervals."""
    next_check, reported = 0.0, 0

    def is_done() -> bool:
        nonlocal next_check, reported
        if time.monotonic() < next_check:
            return stopped()
        next_check = time.monotonic() + CHECK_EVERY_SECONDS
        queued, in_progress = load_run_counts(instance)
        watch.queued.append(queued)
        watch.in_progress.append(in_progress)
        seen = len(live_ticks(instance, watch.began))
        if seen > reported:
            log_progress(
                f"tick {seen} of {ticks + 1}, {queued} runs queued, {in_progress} in progress"
            )
            reported = seen
        return stopped() or seen > ticks

    up.watch(until=is_done)


def load_run_counts(instance: DagsterInstance) -> tuple[int, int]:
    """The number of load runs that are queued, and that are in progress."""

    def count(*statuses: DagsterRunStatus) -> int:
        return instance.get_runs_count(RunsFilter(job_name=LOAD_JOB, statuses=list(statuses)))

    in_progress = count(DagsterRunStatus.STARTING, DagsterRunStatus.STARTED)
    return count(DagsterRunStatus.QUEUED), in_progress


def live_ticks(instance: DagsterInstance, after: float) -> list[Any]:
    """Ended ticks of the live poll, oldest first."""
    ticks = [
        tick
        for state in instance.all_instigator_state()
        if state.instigator_name == SENSOR
        for tick in instance.get_ticks(state.instigator_origin_id, state.selector_id, after=after)
        if tick.status.value != "STARTED"
    ]
    return sorted(ticks, key=lambda tick: tick.timestamp)


def poll_starts(provider: ProviderProcess, after: datetime) -> list[float]:
    """When the provider saw the first request of each poll."""
    asked = [
        (request.params["ids"].count("-"), request.at.timestamp())
        for request in provider.requests()
        if "ids" in request.params and request.at >= after
    ]
    # F11: between them, single matches may be polled again.
    most = max((ids for ids, _ in asked), default=0)
    moments = sorted(at for ids, at in asked if ids == most)
    later_starts = [b for a, b in pairwise(moments) if b - a > POLLS_APART_SECONDS]
    return moments[:1] + later_starts


def spacing(seen_by: str, moments: Sequence[float]) -> Row:
    gaps = [later - earlier for earlier, later in pairwise(moments)] or [0.0]
    return {
        "seen_by": seen_by,
        "count": len(gaps),
        "min": min(gaps),
        "p50": p50(gaps),
        "max": max(gaps),
        "outside": sum(not SHORTEST <= gap <= LONGEST for gap in gaps),
    }


def figures(
    up: Running,
    instance: DagsterInstance,
    database: Database[Document],
    provider: ProviderProcess,
    clock: ScaledClock,
    watch: Watch,
    cpu: dict[str, float],
) -> Row:
    ticks = live_ticks(instance, watch.began)
    durations = [tick.end_timestamp - tick.timestamp for tick in ticks if tick.end_timestamp]
    began_on_clock = datetime.fromtimestamp(
        watch.began - clock.anchor + clock.starts_at.timestamp(), UTC
    )
    records = instance.fetch_materializations(
        AssetRecordsFilter(asset_key=AssetKey("live_events"), after_timestamp=watch.began),
        limit=1_000,
    ).records
    ended = Counter(
        record.dagster_run.status.value
        for record in instance.get_run_records(RunsFilter(job_name=LOAD_JOB))
        if record.end_time and record.end_time >= watch.began
    )
    return {
        "spacings": [
            spacing("Dagster's ticks", [tick.timestamp for tick in ticks]),
            spacing("the provider", poll_starts(provider, began_on_clock)),
        ],
        "figures": {
            "tick duration p50, s": p50(durations),
            "tick duration max, s": max(durations),
            "ticks that did not poll": sum("quota" in (tick.skip_reason or "") for tick in ticks),
            "failed ticks": sum(tick.status.value == "FAILURE" for tick in ticks),
            "restarts of Dagster's processes": sum(map(len, up.restarts.values())),
            "polls that changed something": database[POLLS].count_documents(
                {"at": {"$gte": began_on_clock}}
            ),
            "materializations of live_events": len(records),
            "goals in the database": database[EVENTS].count_documents({}),
            "load runs succeeded": ended["SUCCESS"],
            "load runs failed": ended["FAILURE"],
            "load runs queued, min": min(watch.queued),
            "load runs in progress, mean": fmean(watch.in_progress),
            **{f"CPU of {name}, % of a core": percent for name, percent in cpu.items()},
        },
    }


def judge(result: Row, load: bool) -> dict[str, bool]:
    values = result["figures"]
    verdicts = {
        f"every interval between polls is {SHORTEST:g} to {LONGEST:g} s": not any(
            row["outside"] for row in result["spacings"]
        ),
        "no tick failed and no process was restarted": not (
            values["failed ticks"] or values["restarts of Dagster's processes"]
        ),
    }
    if load:
        verdicts["runs were queued at all times"] = values["load runs queued, min"] > 0
        verdicts["the load runs succeeded"] = (
            values["load runs succeeded"] > 0 and not values["load runs failed"]
        )
    return verdicts


if __name__ == "__main__":
    sys.exit(main())
