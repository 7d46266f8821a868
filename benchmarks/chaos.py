"""A simulated matchday at real pace through `footy up`, with a fault every 30 seconds.

The faults: kill -9 of any child, a full disk, S3, MongoDB or the provider away, a clock that jumps
by ten minutes. Afterwards every goal of the script must be there once, with right clips, no object
without a document, and no process left. `--calm` plays the same hour without faults.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

import psutil
from bson import json_util
from pymongo.errors import PyMongoError

from benchmarks.chaos_faults import Fault, FullDisk, JumpingClock, Victims, all_faults
from benchmarks.figures import (
    Row,
    add_output_options,
    log_progress,
    machine,
    publish,
    table,
    verdict_list,
)
from footy_assets.clips.audit import documents_and_objects_agree, ranks_are_a_permutation
from footy_assets.clips.explain import clip_rows, explain_goal
from footy_assets.clips.store.clips import ClipDocuments
from footy_assets.clock import ScaledClock
from footy_assets.errors import FootyError
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.matchday.views import event_row, fixture_row
from footy_assets.runtime.demo_day import DemoDay
from footy_assets.runtime.demo_outcome import all_completed
from footy_assets.runtime.demo_settings import FEWER_SEARCHES, PROVIDER_KEY, demo_settings
from footy_assets.runtime.home import Home
from footy_assets.search.rules.video import VideoState
from footy_assets.search.store.videos import VideoStore
from footy_assets.setting_lists import as_environment
from footy_assets.settings import Settings, load_settings
from footy_assets.sim import SimServer, World
from footy_assets.sim.check_clips import ClipsCheck, check_clips
from footy_assets.sim.check_goals import GoalsReport, check_goals
from footy_assets.sim.fan_sites import SITES, FanSites, open_fan_sites
from footy_assets.sim.fans import Fans
from resources.mongo.connection import open_mongo
from resources.s3.connection import open_s3

SETTLE_SECONDS = 900.0
STOP_SECONDS = 90.0
FAULT_COLUMNS = {"fault": "fault", "times": "times"}
FIGURE_COLUMNS = {"figure": "figure", "value": "value"}


@dataclass
class Chaos:
    """Begins a fault every `every` seconds, and ends each when its time is over."""

    faults: list[Fault]
    chance: Random
    every: float
    active: dict[str, tuple[Fault, float]] = field(default_factory=dict)
    times: Counter[str] = field(default_factory=Counter)
    next_at: float = field(default_factory=time.monotonic)

    def step(self) -> None:
        self.end_due(time.monotonic())
        if time.monotonic() < self.next_at:
            return
        self.next_at += self.every
        if choice := [fault for fault in self.faults if fault.name not in self.active]:
            fault = self.chance.choice(choice)
            log_progress(f"{time.strftime('%H:%M:%S')} {fault.name}: {fault.begin()}")
            self.active[fault.name] = fault, time.monotonic() + fault.seconds
            self.times[fault.name] += 1

    def end_due(self, now: float) -> None:
        for name, (fault, until) in list(self.active.items()):
            if now >= until:
                fault.end()
                del self.active[name]


@dataclass(frozen=True)
class Outcome:
    goals: GoalsReport
    clips: tuple[ClipsCheck, ...]
    inconsistent: tuple[str, ...]
    starts_at: datetime
    # What the searches of each goal found, by its identity.
    searches: dict[str, str]


def main() -> int:
    arguments = parse_arguments()
    # Stopped from outside, it still stops the stack and takes its disk away.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))
    note, world = machine(), DemoDay(seed=arguments.world).world()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="footy-chaos-")))
        fans = Fans(world, load_settings().home / "footage", SITES)
        with fans.rendering() as films:
            log_progress("Rendering the fans' films")
            for film in films.films:
                film.result()
        disk = FullDisk(folder / "home")
        has_disk = stack.enter_context(disk.mounted())
        length = timedelta(minutes=arguments.minutes)
        clock = ScaledClock(world.ends_at - length, 1.0, time.time())
        jumping = JumpingClock(folder)
        provider = stack.enter_context(SimServer(world, clock, key=PROVIDER_KEY))
        sites = stack.enter_context(open_fan_sites(fans, clock, clock.starts_at))
        settings = chaos_settings(disk.folder, clock, provider, sites)
        up = stack.enter_context(footy_up(settings, jumping, folder / "up.log"))
        victims = Victims(psutil.Process(up.pid), Random(arguments.seed))
        faults = all_faults(victims, provider, disk if has_disk else None, jumping)
        chaos = Chaos([] if arguments.calm else faults, Random(arguments.seed), arguments.every)
        run_until(up, chaos, time.monotonic() + length.total_seconds())
        chaos.end_due(float("inf"))
        settled = wait_until_settled(up, settings, world, clock)
        outcome = read_outcome(settings, world, fans, clock, provider)
        if arguments.keep is not None:
            keep(settings, folder / "up.log", arguments.keep)
        family = victims.main.children(recursive=True)
        code, left = stop(up, family)
    return report(arguments, note, chaos, settled, outcome, code, left)


def chaos_settings(
    folder: Path, clock: ScaledClock, provider: SimServer, sites: FanSites
) -> Settings:
    home = Home(folder)
    home.prepare()
    settings = demo_settings(load_settings(), home, clock, provider, sites)
    defaults = {name: Settings.model_fields[name].default for name in FEWER_SEARCHES}
    return settings.model_copy(update=defaults)


@contextmanager
def footy_up(
    settings: Settings, clock: JumpingClock, log: Path
) -> Iterator[subprocess.Popen[bytes]]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("FOOTY_")}
    environment |= as_environment(settings) | clock.environment
    command = Path(sys.executable).with_name("footy")
    with log.open("wb") as output:
        process = subprocess.Popen(
            [command, "up"], env=environment, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        deadline = time.monotonic() + 120
        while b"Dagster UI: " not in log.read_bytes():
            if process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"footy up did not start: {log.read_text()}")
            time.sleep(0.5)
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            process.wait()
        sys.stderr.write(log.read_text(errors="replace")[-4000:])


def run_until(up: subprocess.Popen[bytes], chaos: Chaos, deadline: float) -> None:
    while time.monotonic() < deadline:
        if up.poll() is not None:
            raise SystemExit(f"footy up ended with {up.returncode}")
        chaos.step()
        time.sleep(0.5)


def wait_until_settled(
    up: subprocess.Popen[bytes], settings: Settings, world: World, clock: ScaledClock
) -> bool:
    """Whether every match is completed and every chosen video judged, in time."""
    deadline = time.monotonic() + SETTLE_SECONDS
    while up.poll() is None and time.monotonic() < deadline:
        try:
            if is_settled(settings, world):
                return True
        except (FootyError, PyMongoError) as error:
            log_progress(f"not settled: {error}")
        time.sleep(5)
    return False


def is_settled(settings: Settings, world: World) -> bool:
    with open_mongo(settings) as database:
        fixtures = MatchdayStore(database).fixtures_of(world.day)
        goals = MatchdayStore(database).goals_of([fixture.id for fixture in fixtures])
        states = {goal.state for of_fixture in goals.values() for goal in of_fixture}
        return (
            len(fixtures) == len(world.fixture_ids)
            and all_completed(world, {fixture.id: fixture.state for fixture in fixtures})
            and "searching" not in states
            and not VideoStore(database).count_by_state().get(VideoState.CHOSEN)
        )


def read_outcome(
    settings: Settings, world: World, fans: Fans, clock: ScaledClock, provider: SimServer
) -> Outcome:
    with open_mongo(settings) as database, open_s3(settings) as objects:
        store, documents = MatchdayStore(database), ClipDocuments(database)
        fixtures = store.fixtures_of(world.day)
        by_fixture = store.goals_of([fixture.id for fixture in fixtures])
        goals = [goal for of_fixture in by_fixture.values() for goal in of_fixture]
        report = check_goals(
            world,
            [fixture_row(fixture, clock.now()) for fixture in fixtures],
            [event_row(goal, f.matchday) for f in fixtures for goal in by_fixture[f.id]],
            provider.polled_at(),
        )
        clips = check_clips(
            report.goals,
            dict(enumerate(fans.goal_keys)),
            clip_rows(documents, goals, settings.s3_bucket),
            fans.videos_by_post(),
        )
        inconsistent = [
            f"{goal.event_id}: {finding.summary}"
            for goal in goals
            for check in (documents_and_objects_agree, ranks_are_a_permutation)
            if not (finding := check(documents, objects, goal)).passed
        ]
        searches = {
            goal.event_id: _summary(explain_goal(database, goal, settings.s3_bucket))
            for goal in goals
        }
    return Outcome(report, clips, tuple(inconsistent), clock.starts_at, searches)


def keep(settings: Settings, log: Path, folder: Path) -> None:
    """Copies the log of `footy up` and every collection, to find out afterwards what happened."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(log, folder)
    shutil.copytree(Home(settings.home).logs, folder / "logs", dirs_exist_ok=True)
    with open_mongo(settings) as database:
        for name in database.list_collection_names():
            lines = (json_util.dumps(document) for document in database[name].find())
            (folder / f"{name}.jsonl").write_text("\n".join(lines))


def _summary(explained: Row) -> str:
    """How the attempts and the videos of a goal ended."""
    attempts = Counter(
        str(one.get("outcome") or one.get("failure")) for one in explained["attempts"]
    )
    videos = Counter(
        f"{one.get('state')}: {one.get('reason') or one.get('detail')}"
        for one in explained["videos"]
    )
    return f"attempts {dict(attempts)}, videos {dict(videos)}"


def stop(up: subprocess.Popen[bytes], family: list[psutil.Process]) -> tuple[int, list[str]]:
    """The exit code, and the processes that are left."""
    up.send_signal(signal.SIGINT)
    code = up.wait(STOP_SECONDS)
    _, alive = psutil.wait_procs(family, timeout=10)
    return code, [process.name() for process in alive if process.is_running()]


def report(
    arguments: argparse.Namespace,
    note: str,
    chaos: Chaos,
    settled: bool,
    outcome: Outcome,
    code: int,
    left: list[str],
) -> int:
    no_clip = [check for check in outcome.clips if check.problem == "no clip"]
    # Fans' posts about a goal that was scored before the stack was there are too old for it.
    without_clip = [c for c in no_clip if c.goal_check.goal.shown_at > outcome.starts_at]
    wrong = [c.problem for c in outcome.clips if c.problem and c not in no_clip]
    figures: list[Row] = [
        {"figure": "goals of the script", "value": len(outcome.goals.goals)},
        {"figure": "clips stored", "value": sum(len(check.clips) for check in outcome.clips)},
        {"figure": "goals of this hour without a clip", "value": len(without_clip)},
        {"figure": "faults", "value": sum(chaos.times.values())},
    ]
    verdicts = {
        "every match and search is settled": settled,
        "every goal of the script is there once": outcome.goals.right,
        "every clip is of its goal, and every goal of this hour has one": not wrong
        and not without_clip,
        "documents and objects agree": not outcome.inconsistent,
        "`footy up` stopped with 0 and left no process": code == 0 and not left,
    }
    result = {
        "machine": note,
        "minutes": arguments.minutes,
        "faults": dict(chaos.times),
        "figures": {row["figure"]: row["value"] for row in figures},
        "problems": [
            *(
                f"{c.goal.player_name} {c.goal.elapsed}': {c.problem}"
                for c in outcome.goals.problems
            ),
            *outcome.goals.unexpected,
            *outcome.goals.fixtures,
            *wrong,
            *(
                f"{c.goal_check.event_id}: no clip; "
                f"{outcome.searches.get(c.goal_check.event_id or '', 'never searched')}"
                for c in without_clip
            ),
            *outcome.inconsistent,
            *left,
        ],
        "verdicts": verdicts,
    }
    pace = "no faults" if arguments.calm else f"a fault every {arguments.every:g} s"
    tables = [
        f"{note} {arguments.minutes:g} minutes, {pace}.",
        *(table(faults, FAULT_COLUMNS) for faults in [_fault_rows(chaos)] if faults),
        table(figures, FIGURE_COLUMNS),
        verdict_list(verdicts),
        *result["problems"],
    ]
    publish("chaos", result, tables, arguments)
    return 0 if all(verdicts.values()) else 1


def _fault_rows(chaos: Chaos) -> list[Row]:
    return [{"fault": name, "times": times} for name, times in chaos.times.most_common()]


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0, help="of faults, at real pace")
    parser.add_argument("--every", type=float, default=30.0, metavar="SECONDS")
    parser.add_argument("--seed", type=int, default=1, help="of the faults")
    parser.add_argument("--world", type=int, default=7, help="seed of the matchday")
    parser.add_argument("--calm", action="store_true", help="without faults, to compare")
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="copy the log and the documents there"
    )
    add_output_options(parser)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
