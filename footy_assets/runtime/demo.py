"""`footy demo`: a simulated matchday through the real pipeline, judged at its end."""

import json
import shutil
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from dagster import AssetKey, DagsterInstance
from dagster._core.scheduler.instigation import TickStatus
from pydantic import SecretStr
from pymongo.database import Database

from footy_assets.clock import ScaledClock
from footy_assets.errors import BadInput
from footy_assets.operations.views import Row, event_row, fixture_row
from footy_assets.runtime.demo_screen import Screen
from footy_assets.runtime.home import Home
from footy_assets.runtime.reaper import end_leftover_processes, end_leftover_servers
from footy_assets.runtime.supervisor import Running, running
from footy_assets.settings import Settings
from footy_assets.sim import SimServer, World, make_world
from footy_assets.sim.judge import Verdict, judge
from footy_assets.store.collections import POLLS, Document
from footy_assets.store.matchdays import MatchdayStore
from resources.mongo_connection import connect

# The stack needs this long to come up; matchday time stands before its beginning meanwhile.
HEAD_START_SECONDS = 25.0
# How long after the last final whistle the pipeline may take to settle.
PATIENCE_SECONDS = 90.0
LOOK_SECONDS = 0.5
KEY = "demo"
# Whatever an operator has set, the script is judged by the rules as they ship.
AS_SHIPPED = (
    *("tracked_leagues", "tracked_teams", "poll_seconds", "fixture_deadline_hours"),
    *("search_attempts", "api_football_timeout_seconds"),
)


@dataclass(frozen=True)
class DemoOptions:
    speed: float = 90.0
    seed: int = 7
    plain: bool = False
    keep: bool = False
    resume: bool = False


@dataclass(frozen=True)
class Outcome:
    """What the demo showed; `verdict` is None if it was stopped before its end."""

    verdict: Verdict | None
    figures: dict[str, Any]
    ui: str

    @property
    def exit_code(self) -> int:
        if self.verdict is None:
            return 130
        return 0 if self.verdict.right and not self._failed() else 1

    def _failed(self) -> bool:
        names = ("failed_runs", "failed_ticks", "fixtures_missing")
        return any(self.figures[name] for name in names)

    def as_json(self) -> dict[str, Any]:
        verdict = self.verdict
        return {
            "right": verdict.right if verdict else None,
            "goals": [
                {**judged.goal.as_json(), "event_id": judged.event_id, "problem": judged.problem}
                for judged in (verdict.goals if verdict else ())
            ],
            "unexpected": list(verdict.unexpected) if verdict else [],
            "fixtures_wrong": list(verdict.fixtures) if verdict else [],
            **self.figures,
        }


def play(settings: Settings, options: DemoOptions, stopped: Callable[[], bool]) -> Outcome:
    home = Home(settings.home / "demo")
    screen = Screen(plain=options.plain)
    with ExitStack() as stack:
        seed, clock = _prepare(home, options)
        world = make_world(seed)
        sim = stack.enter_context(SimServer(world, clock, key=KEY))
        demo_settings = settings.model_copy(
            update={
                "home": home.path,
                "mongo_uri": None,
                "s3_endpoint_url": None,
                "dagster_port": 0,
                "clock": clock.spec(),
                "api_football_url": sim.url,
                "api_football_key": SecretStr(KEY),
                "wikidata_url": sim.wikidata_url,
                **{name: Settings.model_fields[name].default for name in AS_SHIPPED},
            }
        )
        up = stack.enter_context(running(demo_settings, screen.say))
        database = stack.enter_context(connect(up.mongo_uri, settings.mongo_database))
        screen.begin(up.ui, world, clock.speed)
        finished = _watch(up, world, clock, MatchdayStore(database), screen, stopped)
        outcome = _outcome(up, world, sim, clock, database, finished)
        screen.end(outcome.verdict, outcome.figures)
        if options.keep and finished:
            screen.say(f"kept: {up.ui}, data in {home.path}; Ctrl-C stops it")
            up.watch(until=stopped)
    if outcome.exit_code == 0 and not options.keep:
        shutil.rmtree(home.path, ignore_errors=True)
    return outcome


def _prepare(home: Home, options: DemoOptions) -> tuple[int, ScaledClock]:
    """A fresh home and clock, or those of the demo that goes on."""
    note = home.path / "demo.json"
    with home.owned():
        if options.resume:
            kept = _read(note)
            starts_at = datetime.fromisoformat(kept["reached"])
            seed = int(kept["seed"])
        else:
            end_leftover_processes(home)
            end_leftover_servers(home)
            _wipe(home.path)
            seed = options.seed
            starts_at = make_world(seed).starts_at
    lead = timedelta(seconds=0 if options.resume else HEAD_START_SECONDS * options.speed)
    clock = ScaledClock(starts_at - lead, options.speed, time.time())
    _write(note, seed, clock.now())
    return seed, clock


def _watch(
    up: Running,
    world: World,
    clock: ScaledClock,
    store: MatchdayStore,
    screen: Screen,
    stopped: Callable[[], bool],
) -> bool:
    """Show the day until it is over and settled. False if somebody stopped it."""
    note = up.home.path / "demo.json"
    give_up_at = world.ends_at + timedelta(seconds=PATIENCE_SECONDS * clock.speed)
    with screen.live():
        while not stopped():
            up.revive()
            now = clock.now()
            fixtures, events = _rows(store, world, now)
            screen.show(now, fixtures, events)
            _write(note, _read(note)["seed"], now)
            if now > world.ends_at and (_settled(world, fixtures) or now > give_up_at):
                return True
            time.sleep(LOOK_SECONDS)
    return False


def _settled(world: World, fixtures: list[Row]) -> bool:
    """Everything that the script ends is completed."""
    return bool(fixtures) and all(
        row["state"] == "completed" or world.final_status(row["fixture_id"]) == "PST"
        for row in fixtures
    )


def _rows(store: MatchdayStore, world: World, now: datetime) -> tuple[list[Row], list[Row]]:
    fixtures = store.fixtures_of(world.day)
    goals = store.goals_of([fixture.id for fixture in fixtures])
    return (
        [fixture_row(fixture, now) for fixture in fixtures],
        [event_row(goal, f.matchday) for f in fixtures for goal in goals[f.id]],
    )


def _outcome(
    up: Running,
    world: World,
    sim: SimServer,
    clock: ScaledClock,
    database: Database[Document],
    finished: bool,
) -> Outcome:
    fixtures, events = _rows(MatchdayStore(database), world, clock.now())
    figures: dict[str, Any] = {
        "fixtures": len(fixtures),
        "states": dict(Counter(row["state"] for row in events)),
        "polls_that_changed_something": database[POLLS].count_documents({}),
        "api_calls": len(sim.requests),
        **_dagster_figures(up),
    }
    missing = set(world.fixture_ids) - {row["fixture_id"] for row in fixtures}
    figures["fixtures_missing"] = sorted(missing)
    verdict = judge(world, fixtures, events, _looks(sim)) if finished else None
    return Outcome(verdict, figures, up.ui)


def _looks(sim: SimServer) -> dict[int, list[datetime]]:
    looks: dict[int, list[datetime]] = defaultdict(list)
    for request in sim.requests:
        for fixture_id in request.params.get("ids", "").split("-"):
            if fixture_id.isdigit():
                looks[int(fixture_id)].append(request.at)
    return looks


def _dagster_figures(up: Running) -> dict[str, int]:
    """Runs that a crash took with it are not this demo's failures: they were found and told."""
    with DagsterInstance.from_config(str(up.home.dagster)) as instance:
        runs = Counter(r.status.value for r in instance.get_runs() if r.run_id not in up.reaped)
        materializations = instance.fetch_materializations(AssetKey("live_events"), limit=10_000)
        ticks = [
            tick
            for state in instance.all_instigator_state()
            for tick in instance.get_ticks(
                state.instigator_origin_id, state.selector_id, statuses=[TickStatus.FAILURE]
            )
        ]
    return {
        "runs": sum(runs.values()),
        "failed_runs": runs["FAILURE"],
        "failed_ticks": len(ticks),
        "materializations": len(materializations.records),
    }


def _wipe(folder: Path) -> None:
    """Only what a demo made; its lock stays, for it is held."""
    for entry in folder.iterdir():
        if entry.name == "supervisor.lock":
            continue
        if entry.is_dir():
            shutil.rmtree(entry)
        else:
            entry.unlink()


def _read(note: Path) -> dict[str, Any]:
    try:
        kept: dict[str, Any] = json.loads(note.read_text())
    except (OSError, ValueError) as error:
        raise BadInput("there is no demo to go on with", "Start one: footy demo") from error
    return kept


def _write(note: Path, seed: int, reached: datetime) -> None:
    fresh = note.with_suffix(".fresh")
    fresh.write_text(json.dumps({"seed": seed, "reached": reached.isoformat()}))
    fresh.replace(note)
