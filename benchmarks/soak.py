"""Simulated matchdays one after the other through one `footy up`, with faults and kills at random.

What must stay the same: the memory of each process, the documents and the disk, which retention
bounds, and the time between polls. `--home` and `--first` go on where an earlier piece ended.
"""

import argparse
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from random import Random
from statistics import median

import psutil
from dagster import DagsterInstance, RunsFilter
from pymongo.errors import PyMongoError

from benchmarks.chaos import Chaos, footy_up, stop
from benchmarks.chaos_faults import JumpingClock, Victims, all_faults, describe
from benchmarks.figures import (
    Row,
    add_output_options,
    log_progress,
    machine,
    publish,
    table,
    verdict_list,
)
from benchmarks.meters import p95
from benchmarks.rig import wait_for
from benchmarks.soak_days import APART, begins_at, matchdays
from footy_assets.clock import ScaledClock
from footy_assets.errors import FootyError
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.runtime.demo import STREAM_AHEAD
from footy_assets.runtime.demo_outcome import all_completed
from footy_assets.runtime.demo_settings import PROVIDER_KEY, demo_settings
from footy_assets.runtime.home import Home
from footy_assets.runtime.instance_config import open_instance
from footy_assets.runtime.reaper import WITH_A_WORKER
from footy_assets.settings import Settings, load_settings
from footy_assets.sim import SimServer, World
from footy_assets.sim.fan_sites import SITES, open_fan_sites
from footy_assets.sim.fans import Fans
from footy_assets.store.collections import CLIPS, FIXTURES
from resources.mongo.connection import open_mongo

ALL_MATCHDAYS = 30
START_LEAD = timedelta(seconds=40)
LOOK_SECONDS = 5.0
SETTLE_SECONDS = 300.0
# Longer than a sweep waits for its next attempt.
STUCK_SECONDS = 180.0
# Of a process, from when on it is as large as it gets.
GROWN_UP_SECONDS = 180.0
MAX_GROWTH = 0.15
COLUMNS = {
    "matchday": "matchday",
    "faults": "faults",
    "gap": "s between polls, p95",
    "fixtures": "matches",
    "clips": "clips",
    "documents": "documents",
    "disk": "MB on disk",
    "memory": "MB of memory",
}
# Exactly: MongoDB's estimate is wrong after a kill.
COUNTED = (FIXTURES, CLIPS)


@dataclass
class Memory:
    """The memory of every process, again and again; a killed one has a successor."""

    main: psutil.Process
    seen: dict[tuple[str, int], list[tuple[float, float]]] = field(default_factory=dict)

    def look(self) -> float:
        """All processes together, in MB."""
        total = 0.0
        for process in [self.main, *self.main.children(recursive=True)]:
            with suppress(psutil.Error):
                name, size = describe(process), process.memory_info().rss / 1e6
                self.seen.setdefault((name, process.pid), []).append((time.monotonic(), size))
                total += size
        return total

    def growth(self) -> list[Row]:
        """Of processes that lived long: the median of the last third against the one before."""
        rows: list[Row] = []
        for (name, _), sizes in sorted(self.seen.items()):
            grown = [size for at, size in sizes if at - sizes[0][0] > GROWN_UP_SECONDS]
            if len(grown) >= 30:
                third = len(grown) // 3
                before, after = median(grown[third : 2 * third]), median(grown[2 * third :])
                share = (after - before) / before
                rows.append({"process": name, "before": before, "after": after, "growth": share})
        return rows


@dataclass
class Soak:
    settings: Settings
    world: World
    provider: SimServer
    clock: ScaledClock
    memory: Memory
    chaos: Chaos
    rows: list[Row] = field(default_factory=list)

    def play(self, number: int, up: psutil.Popen) -> None:
        """One matchday, to the beginning of the next one."""
        began, faults = self.clock.now(), sum(self.chaos.times.values())
        ends, total, next_look = began + APART, 0.0, 0.0
        while self.clock.now() < ends:
            if up.poll() is not None:
                raise SystemExit(f"footy up ended with {up.returncode}")
            self.chaos.step()
            if time.monotonic() > next_look:
                total, next_look = self.memory.look(), time.monotonic() + LOOK_SECONDS
            time.sleep(0.5)
        polls = sorted({at for times in self.provider.polled_at().values() for at in times})
        gaps = [
            (later - one).total_seconds() / self.clock.speed
            for one, later in pairwise(at for at in polls if at > began)
        ]
        self.rows.append(
            {
                "matchday": number + 1,
                "faults": sum(self.chaos.times.values()) - faults,
                "gap": round(p95(gaps), 1) if gaps else 0.0,
                **self.stored(),
                "disk": round(size_of(self.settings.home) / 1e6),
                "memory": round(total),
            }
        )
        log_progress(str(self.rows[-1]))

    def stored(self) -> Row:
        try:
            with open_mongo(self.settings) as database:
                counts = {name: database[name].count_documents({}) for name in COUNTED}
                names = database.list_collection_names()
                documents = sum(database[name].estimated_document_count() for name in names)
        except (FootyError, PyMongoError):
            return {"fixtures": "away", "clips": "away", "documents": "away"}
        return {
            "fixtures": counts[FIXTURES],
            "clips": counts[CLIPS],
            "documents": documents,
        }

    def is_settled(self) -> bool:
        """Every match of this piece that is still stored is completed."""
        ours = self.world.fixture_ids
        with suppress(FootyError, PyMongoError), open_mongo(self.settings) as database:
            store = MatchdayStore(database)
            stored = [one for day in self.world.days for one in store.fixtures_of(day)]
            return all_completed(
                self.world, {one.id: one.state for one in stored if one.id in ours}
            )
        return False

    def at_work(self) -> set[str]:
        with self.instance() as instance:
            return {run.run_id for run in instance.get_runs(RunsFilter(statuses=WITH_A_WORKER))}

    def instance(self) -> AbstractContextManager[DagsterInstance]:
        return open_instance(Home(self.settings.home), {})


def main() -> int:
    arguments = parse_arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))
    note, piece = machine(), matchdays(arguments.first, arguments.days)
    # The provider knows them all: fixtures are loaded once a day.
    world = matchdays(0, max(ALL_MATCHDAYS, arguments.first + arguments.days))
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="footy-soak-")))
        folder = arguments.home or scratch / "home"
        fans = Fans(piece, load_settings().home / "footage", SITES)
        stack.enter_context(fans.rendering())
        speed = arguments.speed
        starts_at = begins_at(arguments.first) - speed * START_LEAD
        clock = ScaledClock(starts_at, speed, time.time())
        provider = stack.enter_context(SimServer(world, clock, key=PROVIDER_KEY))
        sites = stack.enter_context(open_fan_sites(fans, clock, starts_at - STREAM_AHEAD))
        home = Home(folder)
        home.prepare()
        settings = demo_settings(load_settings(), home, clock, provider, sites)
        settings = settings.model_copy(update={"retention_days": 1})
        jumping = JumpingClock(scratch)
        up = stack.enter_context(footy_up(settings, jumping, scratch / "up.log"))
        victims = Victims(psutil.Process(up.pid), Random(arguments.seed))
        faults = all_faults(victims, provider, None, jumping)
        faults = [fault for fault in faults if fault.name != "clock jumps"]
        chaos = Chaos(faults, Random(arguments.seed), arguments.every)
        soak = Soak(settings, piece, provider, clock, Memory(victims.main), chaos)
        for number in range(arguments.first, arguments.first + arguments.days):
            soak.play(number, up)
        chaos.end_due(float("inf"))
        settled = wait_for(soak.is_settled, SETTLE_SECONDS)
        at_end = soak.at_work()
        wait_for(lambda: at_end.isdisjoint(soak.at_work()), STUCK_SECONDS)
        stuck = sorted(at_end & soak.at_work())
        if arguments.keep is not None:
            arguments.keep.mkdir(parents=True, exist_ok=True)
            shutil.copy(scratch / "up.log", arguments.keep)
            shutil.copytree(home.logs, arguments.keep / "logs", dirs_exist_ok=True)
        family = victims.main.children(recursive=True)
        code, left = stop(up, family)
    return report(arguments, note, soak, settled, stuck, (code, left))


def size_of(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        with suppress(OSError):
            total += path.lstat().st_blocks * 512
    return total


def report(
    arguments: argparse.Namespace,
    note: str,
    soak: Soak,
    settled: bool,
    stuck: list[str],
    end: tuple[int, list[str]],
) -> int:
    growth = soak.memory.growth()
    large = [row for row in growth if row["growth"] > MAX_GROWTH]
    verdicts = {
        "every match is completed": settled,
        "no run is stuck": not stuck,
        f"no process grew by more than {MAX_GROWTH:.0%}": not large,
        "`footy up` stopped with 0 and left no process": end == (0, []),
    }
    shown = [
        {**row, **{name: round(row[name]) for name in ("before", "after")}}
        | {"growth": f"{row['growth']:+.0%}"}
        for row in growth
    ]
    tables = [
        f"{note} {arguments.days} matchdays from number {arguments.first + 1}, "
        f"{arguments.speed:g} × real time, a fault every {arguments.every:g} s: "
        f"{_times(soak.chaos.times)}.",
        table(soak.rows, COLUMNS),
        table(
            shown,
            {
                "process": "process",
                "before": "MB, second third",
                "after": "MB, last third",
                "growth": "growth",
            },
        ),
        verdict_list(verdicts),
        *stuck,
        *end[1],
    ]
    result = {"machine": note, "rows": soak.rows, "memory": growth, "verdicts": verdicts}
    publish("soak", result, tables, arguments)
    return 0 if all(verdicts.values()) else 1


def _times(faults: Counter[str]) -> str:
    return ", ".join(f"{name} {times}" for name, times in faults.most_common()) or "none"


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, default=30, help="matchdays of this piece")
    parser.add_argument("--first", type=int, default=0, help="matchdays of earlier pieces")
    parser.add_argument("--home", type=Path, help="kept for the next piece; else it is deleted")
    parser.add_argument("--speed", type=float, default=100.0)
    parser.add_argument("--every", type=float, default=45.0, metavar="SECONDS", help="a fault")
    parser.add_argument("--seed", type=int, default=1, help="of the faults")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="copy the logs there")
    add_output_options(parser)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
