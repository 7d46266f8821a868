"""`footy demo`: plays a simulated matchday through the real pipeline and checks the result."""

import shutil
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from pymongo.database import Database

from footy_assets.clock import ScaledClock
from footy_assets.matchday.views import Row
from footy_assets.private_files import make_private_folder
from footy_assets.runtime.demo_day import DemoDay, load_clock, load_progress, save_progress
from footy_assets.runtime.demo_figures import has_runs
from footy_assets.runtime.demo_outcome import DemoOutcome, DemoResults, all_completed
from footy_assets.runtime.demo_screen import Screen
from footy_assets.runtime.demo_settings import PROVIDER_KEY, demo_settings
from footy_assets.runtime.home import LOCK, Home
from footy_assets.runtime.reaper import end_leftover_processes, end_leftover_servers
from footy_assets.runtime.supervisor import running
from footy_assets.search.rules.video import VideoState
from footy_assets.search.store.videos import VideoStore
from footy_assets.settings import Settings
from footy_assets.sim import SimServer, World
from footy_assets.sim.fan_sites import SITES, open_fan_sites
from footy_assets.sim.fans import Fans
from footy_assets.store.collections import Document
from resources.mongo.connection import connect

JUST_BEFORE = timedelta(minutes=5)
# In the demo's home: how much of the time before kickoff was left out.
SKIPPED_FILE = "skipped"
# Real seconds from the start to the first kickoff: about what the stack needs.
KICKOFF_IN_SECONDS = 15.0
# After the last final whistle the demo ends when nothing progresses for this long, and no run is
# busy: a slow machine needs minutes for one batch of videos.
PATIENCE_SECONDS = 180.0
REFRESH_SECONDS = 0.5
# Bluesky's stream begins before a listener may first connect to it, at any speed.
STREAM_AHEAD = timedelta(hours=2)


@dataclass(frozen=True)
class DemoOptions:
    day: DemoDay = field(default_factory=DemoDay)
    speed: float = 60.0
    plain: bool = False
    keep: bool = False
    resume: bool = False
    kickoff_in: float = KICKOFF_IN_SECONDS

    @property
    def lead(self) -> timedelta:
        """Before the first kickoff, in the time of the matches."""
        return timedelta(seconds=self.kickoff_in * self.speed)


def play(settings: Settings, options: DemoOptions, stopped: Callable[[], bool]) -> DemoOutcome:
    with Home(settings.home).writing():
        make_private_folder(settings.home)
    home = Home(settings.home / "demo")
    screen = Screen(plain=options.plain)
    with ExitStack() as stack:
        day = _prepare(home, options)
        world = day.world()
        footage = settings.home / "footage"
        with Home(settings.home).writing():
            footage.mkdir(exist_ok=True)
        fans = Fans(world, footage, SITES) if day.clips else None
        films = stack.enter_context(fans.rendering()) if fans else None
        clock = _start_clock(home, options, day, world)
        provider = stack.enter_context(SimServer(world, clock, key=PROVIDER_KEY))
        stream_begins_at = world.starts_at - options.lead - STREAM_AHEAD
        opened = open_fan_sites(fans, clock, stream_begins_at) if fans else None
        sites = stack.enter_context(opened) if opened else None
        configured = demo_settings(settings, home, clock, provider, sites)
        up = stack.enter_context(running(configured, screen.print_line))
        database = stack.enter_context(connect(up.mongo_uri, settings.mongo_database))
        screen.begin(up, world, clock, films)
        results = DemoResults(up, world, fans, provider, database, configured.s3_bucket)
        finished = _watch(results, day, clock, screen, stopped)
        outcome = results.outcome(clock.now(), clock.speed, finished)
        screen.end(outcome)
        if options.keep and finished:
            screen.print_line(f"Still running: {up.ui}, data in {home.path}; Ctrl-C stops it")
            up.watch(until=stopped)
    if outcome.exit_code == 0 and not options.keep:
        shutil.rmtree(home.path, ignore_errors=True)
        screen.print_line("All is stopped and removed; `footy demo --keep` leaves it running")
    elif outcome.report is not None:
        screen.print_line(f"All is stopped; data and logs are in {home.path}")
    return outcome


def _prepare(home: Home, options: DemoOptions) -> DemoDay:
    """Prepares an empty home, or the one to resume; returns its matchday."""
    with home.locked():
        if options.resume:
            return load_progress(home)[0]
        end_leftover_processes(home)
        end_leftover_servers(home)
        with home.writing():
            _wipe(home.path)
        return options.day


def _wipe(folder: Path) -> None:
    """Deletes the demo's files; the lock file stays because it is held."""
    for entry in folder.iterdir():
        if entry.name == LOCK:
            continue
        if entry.is_dir():
            shutil.rmtree(entry)
        else:
            entry.unlink()


def _start_clock(home: Home, options: DemoOptions, day: DemoDay, world: World) -> ScaledClock:
    starts_at = load_progress(home)[1] if options.resume else world.starts_at - options.lead
    skipped = home.path / SKIPPED_FILE
    skipped.unlink(missing_ok=True)
    clock = ScaledClock(starts_at, options.speed, time.time(), skipped)
    save_progress(home, day, clock)
    return clock


def kick_off_now(settings: Settings) -> None:
    """Leaves out what is left of the time before the first kickoff, in the demo that runs."""
    day, clock = load_clock(Home(settings.home / "demo"))
    clock.skip_to(min(script.kickoff for script in day.world().scripts) - JUST_BEFORE)


def _watch(
    results: DemoResults,
    day: DemoDay,
    clock: ScaledClock,
    screen: Screen,
    stopped: Callable[[], bool],
) -> bool:
    """Shows the matchday until it is settled. False if it was stopped."""
    up, world, last_progress_at, last = results.up, results.world, time.monotonic(), None
    with screen.live():
        while not stopped():
            up.revive()
            now = clock.now()
            fixtures, events = results.fixtures_and_events(now)
            screen.show(now, fixtures, events, results.count_by_site())
            save_progress(up.home, day, clock)
            progress = _progress(results.database, fixtures, events)
            stuck = time.monotonic() - last_progress_at > PATIENCE_SECONDS
            if progress != last or now <= world.ends_at or (stuck and has_runs(up)):
                last_progress_at, last, stuck = time.monotonic(), progress, False
            states = {row["fixture_id"]: row["state"] for row in fixtures}
            if now > world.ends_at and (all_completed(world, states) or stuck):
                return True
            time.sleep(REFRESH_SECONDS)
    return False


def _progress(database: Database[Document], fixtures: list[Row], events: list[Row]) -> object:
    """A value that changes while there is progress."""
    states = [row["state_label"] for row in events], [row["state"] for row in fixtures]
    return states, VideoStore(database).count_by_state().get(VideoState.CHOSEN, 0)
