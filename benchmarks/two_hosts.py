"""A simulated matchday on several hosts, with faults: workers, servers and a link that fail.

The control host runs `footy up`, two others run `footy worker`, each with a folder of its own; the
workers' hosts are network namespaces with addresses of their own. Afterwards every goal must be
there once, with right clips, as without faults.
Needs root, and Debian's postgresql, rabbitmq-server, iproute2 and socat.
"""

import argparse
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import psutil

from benchmarks.chaos import Outcome, is_settled, keep, read_outcome
from benchmarks.figures import (
    Row,
    add_output_options,
    log_progress,
    machine,
    publish,
    table,
    verdict_list,
)
from benchmarks.hosts import Host, Program
from benchmarks.recoveries import COLUMNS, FaultTime, RunTimes, recovery_rows
from benchmarks.rig import Rig, shared_rig, simulated_day, wait_for
from footy_assets.runtime.demo_day import DemoDay

SETTLE_SECONDS = 600.0
RECOVER_SECONDS = 180.0
# Until a goal has videos: the first comes some minutes after the start.
GOAL_SECONDS = 480.0
CUT_SECONDS = 60.0
# Of the 40 minutes before the first match, left out.
EARLY = timedelta(minutes=30)
# What the control host and the workers need to start.
START_LEAD = timedelta(seconds=30)
# Of a run, until it downloads and judges videos.
BEGUN_SECONDS = 2.0
# A sweep waits up to 75 s for the next attempt.
STUCK_SECONDS = 180.0


def main() -> int:
    arguments = parse_arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))
    note, world = machine(), DemoDay(seed=arguments.world).world()
    with (
        tempfile.TemporaryDirectory(prefix="footy-hosts-") as folder,
        simulated_day(world, world.starts_at + EARLY, arguments.speed, START_LEAD) as day,
        shared_rig(day, Path(folder)) as rig,
        rig.hosts(1, 2) as hosts,
        rig.ended(),
    ):
        one, two = hosts
        # Of all workers, the first two are of clips, on a host each.
        rig.add_worker("clips-1", "clips", one)
        rig.add_worker("clips-2", "clips", two)
        rig.add_worker("browser-2", "browser", two)
        for worker in rig.workers:
            worker.start()
        rig.start_control()
        log_progress(f"{world.day}: control host and {len(rig.workers)} workers at work")
        if not arguments.calm:
            play_faults(rig, two)
        settled = wait_for(lambda: is_settled(rig.settings, world), SETTLE_SECONDS)
        outcome = read_outcome(rig.settings, world, day.fans, day.clock, day.provider)
        at_end = set(rig.unfinished())
        wait_for(lambda: at_end.isdisjoint(rig.unfinished()), STUCK_SECONDS)
        stuck = sorted(at_end.intersection(rig.unfinished()))
        runs = rig.runs()
        if arguments.keep is not None:
            keep(rig.settings, rig.control.log, arguments.keep)
            for worker in rig.workers:
                shutil.copy(worker.log, arguments.keep)
    return report(arguments, note, rig, settled, outcome, stuck, runs)


def play_faults(rig: Rig, host: Host) -> None:
    one, two = rig.workers[:2]

    def while_works(worker: Program) -> Callable[[], object]:
        return lambda: wait_until_at_work(worker, rig)

    def kill_run() -> None:
        wait_until_at_work(one, rig).kill()

    disturb(rig, "process of a run of clips killed", kill_run, at=while_works(one))
    disturb(rig, "worker told to end, and started", one.stop, one.start, at=while_works(one))
    disturb(rig, "worker killed, started 15 s later", one.kill, one.start, 15, while_works(one))
    cut = "a host's link cut for a minute"
    disturb(rig, cut, host.cut, host.mend, CUT_SECONDS, while_works(two))
    disturb(rig, "RabbitMQ killed and started", rig.rabbitmq.stop, rig.rabbitmq.start)
    disturb(rig, "PostgreSQL killed and started", rig.postgres.stop, rig.postgres.start)
    disturb(rig, "control host killed and started", rig.control.kill, rig.start_control)


def wait_until_at_work(worker: Program, rig: Rig) -> psutil.Process:
    """The process of a run of clips that has begun with its videos: a fault in an idle worker shows
    nothing."""
    found: list[psutil.Process] = []

    def is_at_work() -> bool:
        runs = rig.clip_processes(BEGUN_SECONDS)
        found[:] = [process for process in worker.family() if process.pid in runs]
        return bool(found)

    wait_for(is_at_work, GOAL_SECONDS, needed=True)
    return found[0]


def disturb(
    rig: Rig,
    name: str,
    begin: Callable[[], None],
    end: Callable[[], object] = lambda: None,
    seconds: float = 2.0,
    at: Callable[[], object] = lambda: None,
) -> None:
    """Begins a fault when `at` returns, ends it, and waits until a run that started after it
    succeeds."""
    at()
    began = time.time()
    begin()
    log_progress(f"{time.strftime('%H:%M:%S')} {name}")
    time.sleep(seconds)
    end()
    ended = time.time()
    rig.faults.append(FaultTime(name, began, ended))
    seen = wait_for(lambda: rig.has_success_after(ended), RECOVER_SECONDS)
    row = recovery_rows(rig.faults, rig.runs())[-1] if seen else "nothing goes on"
    log_progress(f"{time.time() - ended:.0f} s after its end: {row}")


def report(
    arguments: argparse.Namespace,
    note: str,
    rig: Rig,
    settled: bool,
    outcome: Outcome,
    stuck: list[str],
    runs: list[RunTimes],
) -> int:
    no_clip = [check for check in outcome.clips if check.problem == "no clip"]
    wrong = [check.problem for check in outcome.clips if check.problem and check not in no_clip]
    figures: list[Row] = [
        {"figure": "goals of the script", "value": len(outcome.goals.goals)},
        {"figure": "goals without a clip", "value": len(no_clip)},
        {"figure": "clips stored", "value": sum(len(check.clips) for check in outcome.clips)},
        {"figure": "runs through the broker", "value": len(runs)},
    ]
    verdicts = {
        "every match and search is settled": settled,
        "every goal of the script is there once": outcome.goals.right,
        "every clip is of its goal, and every goal that stands has one": not wrong and not no_clip,
        "documents and objects agree": not outcome.inconsistent,
        "no run is stuck": not stuck,
    }
    problems = [
        *(f"{c.goal.player_name} {c.goal.elapsed}': {c.problem}" for c in outcome.goals.problems),
        *outcome.goals.unexpected,
        *outcome.goals.fixtures,
        *wrong,
        *outcome.inconsistent,
        *stuck,
        *(f"{c.goal_check.event_id}: no clip" for c in no_clip),
    ]
    rows = recovery_rows(rig.faults, runs)
    result = {
        "machine": note,
        "faults": rows,
        "figures": {row["figure"]: row["value"] for row in figures},
        "problems": problems,
        "verdicts": verdicts,
    }
    tables = [
        f"{note} Three hosts, {arguments.speed:g} × real time.",
        *(table(rows, COLUMNS) for _ in rows[:1]),
        table(figures, {"figure": "figure", "value": "value"}),
        verdict_list(verdicts),
        *problems,
    ]
    publish("two_hosts", result, tables, arguments)
    return 0 if all(verdicts.values()) else 1


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--speed", type=float, default=15.0, help="of the matchday's clock")
    parser.add_argument("--world", type=int, default=7, help="seed of the matchday")
    parser.add_argument("--calm", action="store_true", help="without faults")
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="copy the logs and the documents there"
    )
    add_output_options(parser)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
