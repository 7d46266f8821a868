"""Does the 30 s poll keep its pace while other runs keep the machine busy?

The whole stack at the pace of real life: embedded MongoDB and S3, Dagster's code server,
webserver and daemon, and a simulated provider in its own process with all matches in play.
Meanwhile runs like those that make clips fill the run queue and every core.
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

from benchmarks.figures import Row, add_output_options, machine, publish, say, table, verdict_list
from benchmarks.meters import CpuMeter, p50
from benchmarks.provider_process import ProviderProcess, provider_process
from footy_assets.cli.signals import stop_on_signals
from footy_assets.clock import ScaledClock
from footy_assets.runtime import dagster_processes
from footy_assets.runtime.supervisor import Running, running
from footy_assets.settings import load_settings, project_root
from footy_assets.store.collections import EVENTS, FIXTURES, POLLS, Document
from resources.mongo.connection import connect

# From 14:15 to 15:24 every match of the simulated day is being played.
STARTS_AT = datetime(2025, 5, 10, 14, 16, tzinfo=UTC)
MOST_TICKS = 100
SHORTEST, LONGEST = 28.0, 35.0
READY_WITHIN_SECONDS = 240.0
LOOK_EVERY_SECONDS = 5.0
# The requests of one poll go out together; what is further apart belongs to the next poll.
POLLS_APART_SECONDS = 10.0
SENSOR, LOAD_JOB = "live_poll", "clips_like"
LOAD_MODULE = "benchmarks.clips_like_load"

SPACING_COLUMNS = {
    "seen_by": "spacing of polls, seen by",
    "count": "spacings",
    "min": "min s",
    "p50": "p50 s",
    "max": "max s",
    "outside": f"outside {SHORTEST:g}–{LONGEST:g} s",
}
FIGURE_COLUMNS = {"figure": "figure", "value": "value"}


@dataclass
class Watch:
    """What was seen while the ticks went by."""

    began: float
    queued: list[int] = field(default_factory=list)
    under_way: list[int] = field(default_factory=list)


def main() -> int:
    asked = parse_arguments()
    where, stopped = machine(), stop_on_signals()
    clock = ScaledClock(STARTS_AT, 1.0, time.time())
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="footy-live-"))
        provider = stack.enter_context(provider_process(asked.fixtures, clock))
        up = stack.enter_context(whole_stack(Path(folder), provider, clock, asked.load))
        database = stack.enter_context(connect(up.mongo_uri, "footy"))
        instance = stack.enter_context(DagsterInstance.from_config(str(up.home.dagster)))
        say("waiting until all fixtures are active" + " and the queue is full" * asked.load)
        wait_until_ready(up, database, instance, asked, stopped.is_set)
        pids = {name: child.identity.pid for name, child in up.children.items()}
        pids |= {"provider": provider.pid, "mongod": database.command("serverStatus")["pid"]}
        cpu, watch = CpuMeter(pids), Watch(time.time())
        watch_ticks(up, instance, asked.ticks, watch, stopped.is_set)
        result = {"machine": where, "fixtures": asked.fixtures, "load": asked.load} | figures(
            up, instance, database, provider, clock, watch, cpu.percent()
        )
    verdicts = judge(result, asked.load)
    result["verdicts"] = verdicts
    rows = [{"figure": name, "value": value} for name, value in result["figures"].items()]
    tables = [
        f"{where} {asked.fixtures} fixtures, {'with' if asked.load else 'without'} load.",
        table(result["spacings"], SPACING_COLUMNS),
        table(rows, FIGURE_COLUMNS),
        verdict_list(verdicts),
    ]
    publish("live_loop" if asked.load else "live_loop_no_load", result, tables, asked)
    if stopped.is_set():
        return 130
    return 0 if all(verdicts.values()) else 1


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.live_loop", description=__doc__)
    parser.add_argument("--ticks", type=int, default=20, help=f"30 s each (≤{MOST_TICKS})")
    parser.add_argument("--fixtures", type=int, default=100)
    parser.add_argument(
        "--no-load", dest="load", action="store_false", help="only the poll, for comparison"
    )
    add_output_options(parser)
    asked = parser.parse_args()
    if not 1 <= asked.ticks <= MOST_TICKS:
        parser.error(f"--ticks is from 1 to {MOST_TICKS}: then the first matches are over")
    if not 1 <= asked.fixtures < 1_000:
        parser.error("--fixtures is from 1 to 999: a simulated day has no more")
    return asked


@contextmanager
def whole_stack(
    folder: Path, provider: ProviderProcess, clock: ScaledClock, load: bool
) -> Iterator[Running]:
    """What `footy up` starts; the load joins the project's own code location."""
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
        patch.dict(os.environ, PYTHONPATH=str(project_root())),
        running(settings, say) as up,
    ):
        yield up


def wait_until_ready(
    up: Running,
    database: Database[Document],
    instance: DagsterInstance,
    asked: argparse.Namespace,
    stopped: Callable[[], bool],
) -> None:
    deadline = time.monotonic() + READY_WITHIN_SECONDS

    def ready() -> bool:
        if time.monotonic() > deadline:
            raise SystemExit(f"not ready within {READY_WITHIN_SECONDS:g} s")
        active = database[FIXTURES].count_documents({"state": "active"})
        polled = database[POLLS].count_documents({})
        busy = not asked.load or (loaded(instance)[0] and loaded(instance)[1])
        return stopped() or bool(active == asked.fixtures and polled and busy)

    up.watch(until=ready)


def watch_ticks(
    up: Running, instance: DagsterInstance, ticks: int, watch: Watch, stopped: Callable[[], bool]
) -> None:
    """Until one tick more than asked for has ended: that many spacings."""
    next_look, told = 0.0, 0

    def enough() -> bool:
        nonlocal next_look, told
        if time.monotonic() < next_look:
            return stopped()
        next_look = time.monotonic() + LOOK_EVERY_SECONDS
        queued, under_way = loaded(instance)
        watch.queued.append(queued)
        watch.under_way.append(under_way)
        seen = len(live_ticks(instance, watch.began))
        if seen > told:
            say(f"tick {seen} of {ticks + 1}, {queued} runs queued, {under_way} under way")
            told = seen
        return stopped() or seen > ticks

    up.watch(until=enough)


def loaded(instance: DagsterInstance) -> tuple[int, int]:
    """Runs of the load that wait, and those that are under way."""

    def count(*statuses: DagsterRunStatus) -> int:
        return instance.get_runs_count(RunsFilter(job_name=LOAD_JOB, statuses=list(statuses)))

    under_way = count(DagsterRunStatus.STARTING, DagsterRunStatus.STARTED)
    return count(DagsterRunStatus.QUEUED), under_way


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
    asked = sorted(
        request.at.timestamp()
        for request in provider.requests()
        if "ids" in request.params and request.at >= after
    )
    first = asked[:1]
    return first + [b for a, b in pairwise(asked) if b - a > POLLS_APART_SECONDS]


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
    took = [tick.end_timestamp - tick.timestamp for tick in ticks if tick.end_timestamp]
    began_there = datetime.fromtimestamp(
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
            spacing("the provider", poll_starts(provider, began_there)),
        ],
        "figures": {
            "tick duration p50, s": p50(took),
            "tick duration max, s": max(took),
            "ticks that did not poll": sum("quota" in (tick.skip_reason or "") for tick in ticks),
            "failed ticks": sum(tick.status.value == "FAILURE" for tick in ticks),
            "restarts of Dagster's processes": sum(map(len, up.restarts.values())),
            "polls that changed something": database[POLLS].count_documents(
                {"at": {"$gte": began_there}}
            ),
            "materializations of live_events": len(records),
            "goals in the database": database[EVENTS].count_documents({}),
            "load runs ended well": ended["SUCCESS"],
            "load runs failed": ended["FAILURE"],
            "load runs queued, fewest": min(watch.queued),
            "load runs under way, mean": fmean(watch.under_way),
            **{f"CPU of {name}, % of a core": percent for name, percent in cpu.items()},
        },
    }


def judge(result: Row, load: bool) -> dict[str, bool]:
    seen = result["figures"]
    verdicts = {
        f"every poll came {SHORTEST:g} to {LONGEST:g} s after the one before": not any(
            row["outside"] for row in result["spacings"]
        ),
        "no tick failed and nothing had to be restarted": not (
            seen["failed ticks"] or seen["restarts of Dagster's processes"]
        ),
    }
    if load:
        verdicts["runs were waiting in the queue all the time"] = (
            seen["load runs queued, fewest"] > 0
        )
        verdicts["the load's own runs ended well"] = (
            seen["load runs ended well"] > 0 and not seen["load runs failed"]
        )
    return verdicts


if __name__ == "__main__":
    sys.exit(main())
