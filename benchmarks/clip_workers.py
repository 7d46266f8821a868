"""Clips a minute with 1, 2 and 4 workers behind the broker, and with the local launcher.

A simulated matchday of one goal each leaves videos that wait; then, again and again from the same
documents, the real `fetch_clips` fetches, judges and stores them. Each worker, and the local
launcher with its one slot, has the same share of a core, by a group of its own in the kernel's CPU
scheduler (cgroup v1). How soon a run starts is measured without that limit, on runs of one small
job. Needs root, and Debian's postgresql and rabbitmq-server.
"""

import argparse
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import psutil
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
from benchmarks.hosts import Program
from benchmarks.meters import p50
from benchmarks.rig import Rig, shared_rig, simulated_day, wait_for
from footy_assets.gallery.dagster_ui import DagsterUi
from footy_assets.search.rules.video import VideoState
from footy_assets.search.store.videos import VideoStore
from footy_assets.sim.single_goals import STARTS_AT, one_goal_each
from footy_assets.store.collections import (
    ATTEMPTS,
    CLIPS,
    EVENTS,
    FIXTURES,
    HELD_FILES,
    LEASES,
    VIDEOS,
    Document,
)
from resources.mongo.connection import open_mongo

CPU_GROUPS = Path("/sys/fs/cgroup/cpu")
PERIOD_MICROSECONDS = 100_000
# Against the 1,024 of any other process: what else runs on the machine takes nothing of a share.
WEIGHT = 30_000
WORKERS = (1, 2, 4)
SPEED = 15.0
STACK_STARTS_WITHIN = timedelta(seconds=40)
# What the runs of clips change.
STATE = (ATTEMPTS, CLIPS, EVENTS, FIXTURES, HELD_FILES, LEASES, VIDEOS)
SMALL_JOB = "retention"
PAUSE_SECONDS = 4.0
SLOWEST_START = 2.5
COLUMNS = {
    "runs": "runs of clips",
    "videos": "videos judged a minute",
    "clips": "clips stored a minute",
    "times": "times one worker",
}


@dataclass(frozen=True)
class Share:
    """A part of one core, for all processes of a group together."""

    cores: float

    @contextmanager
    def group(self, name: str) -> Iterator[Path]:
        folder = CPU_GROUPS / f"footy-{name}"
        folder.mkdir()
        (folder / "cpu.cfs_period_us").write_text(str(PERIOD_MICROSECONDS))
        (folder / "cpu.cfs_quota_us").write_text(str(round(self.cores * PERIOD_MICROSECONDS)))
        (folder / "cpu.shares").write_text(str(WEIGHT))
        try:
            yield folder
        finally:
            # The kernel removes a group when its last process is gone.
            wait_for(lambda: not (folder / "tasks").read_text(), 30)
            folder.rmdir()


def main() -> int:
    arguments = parse_arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))
    note, share = machine(), Share(arguments.share)
    moments = [timedelta(seconds=number) for number in range(arguments.goals)]
    world = one_goal_each(moments)
    rows: list[Row] = []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="footy-workers-")))
        day = stack.enter_context(simulated_day(world, STARTS_AT, SPEED, STACK_STARTS_WITHIN))
        rig = stack.enter_context(
            shared_rig(day, folder, clip_runs=max(WORKERS), search_attempts=1)
        )
        stack.enter_context(rig.ended())
        database = stack.enter_context(open_mongo(rig.settings))
        browser = rig.add_worker("browser", "browser")
        browser.start()
        ui = rig.start_control()
        backlog = wait_for_backlog(database, arguments.goals)
        starts = {"broker": start_seconds(rig, ui, arguments.starts)}
        for number in WORKERS if arguments.seconds else ():
            workers = [rig.add_worker(f"{number}-{n}", "clips") for n in range(number)]
            with ExitStack() as groups:
                names = [groups.enter_context(share.group(one.name)) for one in workers]
                groups.callback(end_all, workers)
                for worker, group in zip(workers, names, strict=True):
                    worker.start()
                    join(group, worker.family())
                measured = measure(database, backlog, arguments.seconds)
            rows.append({"runs": f"{number} worker{'s' * (number > 1)}", **measured})
            log_progress(str(rows[-1]))
            wait_for(lambda: not rig.clips_at_work(), 60)
        rig.control.stop()
        alone = {"dagster_postgres_url": None, "broker_url": None, "clip_runs": 1}
        local = local_rig(rig, alone)
        stack.enter_context(local.ended())
        database[VIDEOS].update_many({}, {"$set": {"state": VideoState.SEEN}})
        ui = local.start_control()
        starts["local"] = start_seconds(local, ui, arguments.starts)
        if arguments.seconds:
            with share.group("local") as group:
                join(group, forking_processes(local.control))
                measured = measure(database, backlog, arguments.seconds)
                rows.insert(0, {"runs": "local launcher, one slot", **measured})
                log_progress(str(rows[0]))
                local.control.stop()
    return report(arguments, note, rows, starts)


def local_rig(rig: Rig, alone: dict[str, Any]) -> Rig:
    folder = rig.folder / "local"
    folder.mkdir()
    settings = rig.settings.model_copy(update={**alone, "home": folder / "home"})
    return Rig(settings, folder, rig.postgres, rig.rabbitmq)


def wait_for_backlog(database: Database[Document], goals: int) -> dict[str, list[Document]]:
    """The documents once every goal has been searched for, and no video was fetched yet."""
    videos = VideoStore(database)
    wait_for(lambda: len(videos.count_waiting_by_goal()) == goals, 240, needed=True)
    log_progress(f"{videos.count_by_state()}")
    return {name: list(database[name].find()) for name in STATE}


def measure(
    database: Database[Document], backlog: dict[str, list[Document]], seconds: float
) -> Row:
    """Counts from the first video that is judged to the end of the last one within the time."""
    for name, documents in backlog.items():
        database[name].delete_many({})
        if documents:
            database[name].insert_many(documents)
    waiting = VideoStore(database).count_by_state()[VideoState.CHOSEN]
    wait_for(lambda: judged(database, waiting) > 0, 180, needed=True)
    began, first = (
        time.monotonic(),
        (judged(database, waiting), database[CLIPS].count_documents({})),
    )
    wait_for(lambda: judged(database, waiting) >= waiting, seconds)
    minutes = (time.monotonic() - began) / 60
    return {
        "videos": round((judged(database, waiting) - first[0]) / minutes, 1),
        "clips": round((database[CLIPS].count_documents({}) - first[1]) / minutes, 1),
    }


def judged(database: Database[Document], waiting: int) -> int:
    return waiting - VideoStore(database).count_by_state().get(VideoState.CHOSEN, 0)


def start_seconds(rig: Rig, ui: str, times: int) -> list[float]:
    """From the launch of a run until it begins, for runs one after the other. In between the slot
    is made ready for the next run, by a worker as by the local launcher."""
    dagster, found = DagsterUi(ui), []
    for _ in range(times):
        time.sleep(PAUSE_SECONDS)
        run_id = dagster.launch(SMALL_JOB, {}, {})
        with rig.instance() as instance:

            def is_over(run_id: str = run_id) -> bool:
                run = instance.get_run_by_id(run_id)
                return run is not None and run.is_finished

            wait_for(is_over, 120, needed=True)
            stats = instance.get_run_stats(run_id)
        if stats.launch_time and stats.start_time:
            found.append(stats.start_time - stats.launch_time)
    log_progress(f"starts: {[round(one, 2) for one in found]}")
    return found


def forking_processes(control: Program) -> list[psutil.Process]:
    """What forks the runs of the local launcher."""
    return [one for one in control.family() if "forkserver" in " ".join(one.cmdline())]


def join(group: Path, processes: list[psutil.Process]) -> None:
    """With all their threads; what they start later joins by itself."""
    assert processes, "no process to limit"
    for process in processes:
        (group / "cgroup.procs").write_text(str(process.pid))


def end_all(workers: list[Program]) -> None:
    for worker in workers:
        worker.end()


def report(
    arguments: argparse.Namespace, note: str, rows: list[Row], starts: dict[str, list[float]]
) -> int:
    one = next((row["videos"] for row in rows if row["runs"] == "1 worker"), 0.0)
    rows = [{**row, "times": round(row["videos"] / max(one, 0.1), 2)} for row in rows]
    middle = {name: p50(found) for name, found in starts.items()}
    ratio = middle["broker"] / middle["local"]
    figures = [
        {"figure": "a run begins after its launch, locally, p50 s", "value": middle["local"]},
        {"figure": "through the broker, p50 s", "value": middle["broker"]},
        {"figure": "times as long", "value": ratio},
    ]
    verdicts = {
        f"a run through the broker begins within {SLOWEST_START:g} times": ratio <= SLOWEST_START
    }
    if rows:
        verdicts["twice the workers judge at least 1.6 times the videos"] = all(
            more["times"] >= 1.6 * less["times"] for less, more in pairwise(rows[1:])
        )
    shares = (
        f" {arguments.share:g} of a core for each worker and for the local slot, "
        f"{arguments.seconds:g} s each."
    )
    tables = [
        f"{note}{shares if rows else ''} {arguments.starts} starts each.",
        *(table(rows, COLUMNS) for _ in rows[:1]),
        table(figures, {"figure": "figure", "value": "value"}),
        verdict_list(verdicts),
    ]
    publish("clip_workers", {"machine": note, "rows": rows, "starts": starts}, tables, arguments)
    return 0 if all(verdicts.values()) else 1


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--goals", type=int, default=24, help="one in each match, at most 40")
    parser.add_argument(
        "--seconds", type=float, default=75.0, help="for each number of workers; 0: starts"
    )
    parser.add_argument("--share", type=float, default=0.35, help="of a core, for each worker")
    parser.add_argument("--starts", type=int, default=12, help="runs whose start is measured")
    add_output_options(parser)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
