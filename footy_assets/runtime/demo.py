"""`footy demo`: a simulated matchday through the real pipeline, judged at its end."""

import json
import shutil
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from dagster import AssetKey, DagsterInstance
from dagster._core.scheduler.instigation import TickStatus
from pydantic import SecretStr
from pymongo.database import Database

from footy_assets.clock import ScaledClock
from footy_assets.errors import BadInput
from footy_assets.operations.story import clip_rows
from footy_assets.operations.views import Row, event_row, fixture_row
from footy_assets.runtime.demo_figures import clip_figures
from footy_assets.runtime.demo_screen import Screen
from footy_assets.runtime.home import Home
from footy_assets.runtime.reaper import end_leftover_processes, end_leftover_servers
from footy_assets.runtime.supervisor import Running, running
from footy_assets.settings import Settings
from footy_assets.sim import SimServer, World, make_world
from footy_assets.sim.fans import Fans
from footy_assets.sim.judge import Verdict, judge
from footy_assets.sim.judge_clips import JudgedClips, judge_clips
from footy_assets.sim.social.server import COOKIE, SocialServer
from footy_assets.store.clips import ClipDocuments
from footy_assets.store.collections import POLLS, VIDEOS, Document
from footy_assets.store.matchdays import MatchdayStore
from resources.mongo_connection import connect

# The stack needs this long to come up; matchday time stands before its beginning meanwhile.
HEAD_START_SECONDS = 25.0
# After the last final whistle the pipeline may take its time, but not stand still for so long.
PATIENCE_SECONDS = 180.0
LOOK_SECONDS = 0.5
KEY = "demo"
NOTE = "demo.json"
# Whatever an operator has set, the script is judged by the rules as they ship.
AS_SHIPPED = (
    *("tracked_leagues", "tracked_teams", "poll_seconds", "fixture_deadline_hours"),
    *("api_football_timeout_seconds", "search_chosen", "clip_longer_than_seconds"),
    *("clip_up_to_seconds", "clip_short_edge", "clip_portrait", "vision_url", "alias_llm_url"),
)
# A search takes as long as in real life while the day flies: fewer of them, further apart, and a
# deadline that leaves the machine the time it needs.
SEARCHING = {"search_attempts": 2, "search_apart_seconds": 900.0}
GIVE_UP_AFTER_WALL_MINUTES = 30.0
NO_LIMIT = 1_000_000
# Matches that show most in little time: films and judging them cost two cores seconds a goal.
SHORT_DAY = (
    *("hat-trick", "VAR reversals", "late scorer names", "re-attributions"),
    *("flicker, two in one minute", "first of two goals removed"),
)


@dataclass(frozen=True)
class Day:
    """Which day is played: what a demo that goes on must know of the one it goes on with."""

    seed: int = 7
    everything: bool = False
    clips: bool = True
    matches: Sequence[str] = ()

    def world(self) -> World:
        world = make_world(self.seed)
        titles = [script.title for script in world.scripts]
        if unknown := set(self.matches) - set(titles):
            raise BadInput(
                f"the demo has no match {', '.join(map(repr, sorted(unknown)))}",
                f"Take some of: {', '.join(map(repr, titles))}",
            )
        return world if self.everything else world.only(self.matches or SHORT_DAY)


@dataclass(frozen=True)
class DemoOptions:
    day: Day = Day()
    speed: float = 60.0
    plain: bool = False
    keep: bool = False
    resume: bool = False


@dataclass(frozen=True)
class Outcome:
    """What the demo showed; `verdict` is None if it was stopped before its end."""

    verdict: Verdict | None
    clips: tuple[JudgedClips, ...]
    figures: dict[str, Any]
    ui: str

    @property
    def exit_code(self) -> int:
        if self.verdict is None:
            return 130
        wrong = any(judged.problem for judged in self.clips)
        return 0 if self.verdict.right and not wrong and not self._failed() else 1

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
            "clips": [
                {
                    "event_id": judged.judged.event_id,
                    "clips": [clip["url"] for clip in judged.clips],
                    "problem": judged.problem,
                }
                for judged in self.clips
            ],
            "unexpected": list(verdict.unexpected) if verdict else [],
            "fixtures_wrong": list(verdict.fixtures) if verdict else [],
            **self.figures,
        }


def play(settings: Settings, options: DemoOptions, stopped: Callable[[], bool]) -> Outcome:
    home = Home(settings.home / "demo")
    screen = Screen(plain=options.plain)
    with ExitStack() as stack:
        day = _prepare(home, options)
        world = day.world()
        fans = Fans(world, settings.home / "footage") if day.clips else None
        films = stack.enter_context(fans.rendering()) if fans else None
        clock = _start(home, options, day, world)
        sim = stack.enter_context(SimServer(world, clock, key=KEY))
        demo_settings = settings.model_copy(
            update={
                "home": home.path,
                "mongo_uri": None,
                "s3_endpoint_url": None,
                "dagster_port": 0,
                "api_port": 0,
                "clock": clock.spec(),
                "api_football_url": sim.url,
                "api_football_key": SecretStr(KEY),
                "wikidata_url": sim.wikidata_url,
                **_searching(stack, home, clock, fans),
                **{name: Settings.model_fields[name].default for name in AS_SHIPPED},
            }
        )
        up = stack.enter_context(running(demo_settings, screen.say))
        database = stack.enter_context(connect(up.mongo_uri, settings.mongo_database))
        screen.say(f"Gallery: {up.gallery}")
        screen.begin(up.ui, world, clock.speed, films)
        finished = _watch(up, day, world, clock, database, screen, stopped)
        bucket = demo_settings.s3_bucket
        outcome = _outcome(up, world, fans, sim, clock, database, bucket, finished)
        screen.end(outcome.verdict, outcome.clips, outcome.figures)
        if options.keep and finished:
            screen.say(f"kept: {up.ui}, data in {home.path}; Ctrl-C stops it")
            up.watch(until=stopped)
    if outcome.exit_code == 0 and not options.keep:
        shutil.rmtree(home.path, ignore_errors=True)
    return outcome


def _prepare(home: Home, options: DemoOptions) -> Day:
    """A fresh home, or that of the demo that goes on; and its day."""
    with home.owned():
        if options.resume:
            return _read(home)[0]
        end_leftover_processes(home)
        end_leftover_servers(home)
        _wipe(home.path)
        return options.day


def _start(home: Home, options: DemoOptions, day: Day, world: World) -> ScaledClock:
    """From here on matchday time runs."""
    lead = timedelta(seconds=HEAD_START_SECONDS * options.speed)
    starts_at = _read(home)[1] if options.resume else world.starts_at - lead
    clock = ScaledClock(starts_at, options.speed, time.time())
    _write(home, day, clock.now())
    return clock


def _searching(
    stack: ExitStack, home: Home, clock: ScaledClock, fans: Fans | None
) -> dict[str, Any]:
    """Settings for searching what fans post; without fans nothing is searched for."""
    if fans is None:
        return {"search_attempts": 0}
    site = stack.enter_context(SocialServer(fans.posts, clock, films=fans.film))
    return {
        "sources": ("x", "bluesky"),
        "x_url": site.url,
        "x_cookies_file": log_in(home, site),
        "x_requests_per_15_minutes": NO_LIMIT,
        "bluesky_url": site.url,
        "bluesky_requests_per_15_minutes": NO_LIMIT,
        "search_give_up_minutes": GIVE_UP_AFTER_WALL_MINUTES * clock.speed,
        **SEARCHING,
    }


def log_in(home: Home, site: SocialServer) -> Path:
    """What a user does by hand with `footy login x`, here with the site's own word for it."""
    cookie = {
        "name": COOKIE,
        "value": site.new_session(),
        "domain": "127.0.0.1",
        "path": "/",
    }
    path = home.path / "x-cookies.json"
    path.write_text(json.dumps([cookie]))
    return path


def _watch(
    up: Running,
    day: Day,
    world: World,
    clock: ScaledClock,
    database: Database[Document],
    screen: Screen,
    stopped: Callable[[], bool],
) -> bool:
    """Show the day until it is over and settled. False if somebody stopped it."""
    store, moved_at, was = MatchdayStore(database), time.monotonic(), None
    with screen.live():
        while not stopped():
            up.revive()
            now = clock.now()
            fixtures, events = _rows(store, world, now)
            screen.show(now, fixtures, events)
            _write(up.home, day, now)
            if (is_now := _progress(database, fixtures, events)) != was or now <= world.ends_at:
                moved_at, was = time.monotonic(), is_now
            stuck = time.monotonic() - moved_at > PATIENCE_SECONDS
            if now > world.ends_at and (_settled(world, fixtures) or stuck):
                return True
            time.sleep(LOOK_SECONDS)
    return False


def _progress(database: Database[Document], fixtures: list[Row], events: list[Row]) -> object:
    """Something that changes while work goes on."""
    states = [row["state_label"] for row in events], [row["state"] for row in fixtures]
    return states, database[VIDEOS].count_documents({"state": "chosen"})


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
    fans: Fans | None,
    sim: SimServer,
    clock: ScaledClock,
    database: Database[Document],
    bucket: str,
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
    if not finished:
        return Outcome(None, (), figures, up.ui)
    verdict = judge(world, fixtures, events, _looks(sim))
    if fans is None:
        return Outcome(verdict, (), figures, up.ui)
    rows = _clip_rows(database, world, bucket)
    clips = judge_clips(verdict.goals, dict(enumerate(fans.goal_keys)), rows, fans.shown_by())
    figures |= clip_figures(database, clips, clock.speed)
    return Outcome(verdict, clips, figures, up.ui)


def _clip_rows(database: Database[Document], world: World, bucket: str) -> list[Row]:
    store = MatchdayStore(database)
    goals = store.goals_of(list(world.fixture_ids))
    return clip_rows(
        ClipDocuments(database), [g for found in goals.values() for g in found], bucket
    )


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


def _read(home: Home) -> tuple[Day, datetime]:
    """The day that a demo here played, and how far it came."""
    try:
        kept: dict[str, Any] = json.loads((home.path / NOTE).read_text())
        return Day(**kept["day"]), datetime.fromisoformat(kept["reached"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput("there is no demo to go on with", "Start one: footy demo") from error


def _write(home: Home, day: Day, reached: datetime) -> None:
    fresh = home.path / f"{NOTE}.fresh"
    fresh.write_text(json.dumps({"day": asdict(day), "reached": reached.isoformat()}))
    fresh.replace(home.path / NOTE)
