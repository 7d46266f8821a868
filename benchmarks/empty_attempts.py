"""The cost of ten attempts that find nothing: a sweep, or a run and a browser for each attempt.

Nobody posts about these goals, neither on the simulated X (in a real Chromium) nor on the simulated
Bluesky. The sweep serves all due attempts with one run and one browser. The baseline starts one run
and one browser for each attempt, with the same code. The clock runs twenty times as fast, so the
ten minutes between the first and the last attempt take half a minute; searches run at normal speed.
"""

import argparse
import ctypes
import os
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

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
from footy_assets.clock import ScaledClock
from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.matchday.rules.sighting import League, Player, Side
from footy_assets.matchday.rules.statuses import FixtureState, MatchStatus
from footy_assets.matchday.store.documents import fixture_document, goal_document
from footy_assets.runtime.demo_settings import NO_LIMIT, write_login_cookies
from footy_assets.runtime.home import Home
from footy_assets.search.rules.attempts import AttemptOutcome
from footy_assets.search.store.searches import SearchStore
from footy_assets.settings import PACKAGE_ROOT
from footy_assets.sim import SimServer, make_world
from footy_assets.sim.social.server import SocialServer
from footy_assets.store.collections import ATTEMPTS, EVENTS, FIXTURES, Document, ensure_indexes
from resources.embedded.mongod import embedded_mongo
from resources.mongo.connection import connect

ATTEMPTS_EACH = 10
SPEED = 20.0
KICKOFF = datetime(2025, 5, 10, 14, tzinfo=UTC)
STABLE = KICKOFF + timedelta(minutes=31)
MIN_RATIO = 5.0
PR_SET_CHILD_SUBREAPER = 36
ORPHAN_TIMEOUT_SECONDS = 1.5
COLUMNS = {
    "what": "ten attempts that find nothing",
    "cpu": "CPU s per goal",
    "cpu_forked": "CPU s per goal, code preloaded",
    "runs": "runs per goal",
    "times": "× the sweep",
    "times_forked": "× the sweep, code preloaded",
}


def main() -> int:
    arguments = parse_arguments()
    machine_note = machine()
    adopt_orphans()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="footy-empty-")))
        mongod = stack.enter_context(embedded_mongo(folder / "mongo", die_with_parent=True))
        clock = ScaledClock(STABLE, SPEED, time.time())
        sim = stack.enter_context(SimServer(make_world(), clock))
        site = stack.enter_context(SocialServer(lambda _: [], clock))
        home = Home(folder / "home")
        home.path.mkdir()
        env = environment(home, sim, site) | {"FOOTY_MONGO_URI": mongod.uri}
        rows = []
        for what, one_run_each in (("the sweep", False), ("a run and a browser each", True)):
            log_progress(what)
            name = "each" if one_run_each else "sweep"
            database = stack.enter_context(connect(mongod.uri, name))
            events = put_goals(database, arguments.goals)
            clock = ScaledClock(STABLE, SPEED, time.time())
            env |= {"FOOTY_MONGO_DATABASE": name, "FOOTY_CLOCK": clock.spec()}
            used, loading, runs = 0.0, 0.0, 0
            while open_goals(database):
                todo = events if one_run_each else [None]
                for event_id in todo:
                    cpu, loaded = measure(env, event_id)
                    used, loading, runs = used + cpu, loading + loaded, runs + 1
            attempts = database[ATTEMPTS].count_documents({"outcome": AttemptOutcome.FOUND_NOTHING})
            if attempts != arguments.goals * ATTEMPTS_EACH:
                raise SystemExit(
                    f"{attempts} attempts instead of {arguments.goals * ATTEMPTS_EACH}"
                )
            rows.append(
                {
                    "what": what,
                    "cpu": used / arguments.goals,
                    "cpu_forked": (used - loading) / arguments.goals,
                    "runs": runs / arguments.goals,
                }
            )
    sweep, baseline = rows
    for row in rows:
        row["times"] = row["cpu"] / sweep["cpu"]
        row["times_forked"] = row["cpu_forked"] / sweep["cpu_forked"]
    verdicts = {
        f"at least {MIN_RATIO:g} times cheaper": baseline["times"] >= MIN_RATIO,
        f"at least {MIN_RATIO:g} times cheaper with the code preloaded": baseline["times_forked"]
        >= MIN_RATIO,
    }
    result: Row = {
        "machine": machine_note,
        "goals": arguments.goals,
        "rows": rows,
        "verdicts": verdicts,
    }
    heading = f"{machine_note} {arguments.goals} goals, {ATTEMPTS_EACH} attempts each."
    publish(
        "empty_attempts", result, [heading, table(rows, COLUMNS), verdict_list(verdicts)], arguments
    )
    return 0 if verdicts[f"at least {MIN_RATIO:g} times cheaper"] else 1


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.empty_attempts", description=__doc__
    )
    parser.add_argument(
        "--goals", type=int, default=3, help="goals searched in parallel (at most 20)"
    )
    add_output_options(parser)
    arguments = parser.parse_args()
    if not 1 <= arguments.goals <= 20:
        parser.error("1 to 20 goals")
    return arguments


def environment(home: Home, sim: SimServer, site: SocialServer) -> dict[str, str]:
    dagster_home = home.path / "dagster"
    dagster_home.mkdir()
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("FOOTY_")},
        "PYTHONPATH": str(PACKAGE_ROOT),
        "DAGSTER_HOME": str(dagster_home),
        "DAGSTER_DISABLE_TELEMETRY": "1",
        "FOOTY_HOME": str(home.path),
        "FOOTY_API_FOOTBALL_URL": sim.url,
        "FOOTY_WIKIDATA_URL": sim.wikidata_url,
        "FOOTY_X_URL": site.url,
        "FOOTY_X_COOKIES_FILE": str(write_login_cookies(home, site)),
        "FOOTY_X_REQUESTS_PER_15_MINUTES": str(NO_LIMIT),
        "FOOTY_BLUESKY_URL": site.url,
        "FOOTY_BLUESKY_REQUESTS_PER_15_MINUTES": str(NO_LIMIT),
        # So long that no search reaches the deadline, even on a slow machine.
        "FOOTY_SEARCH_GIVE_UP_MINUTES": "10000",
        "FOOTY_CANARY_MINUTES": "0",
    }


def put_goals(database: Database[Document], count: int) -> list[str]:
    ensure_indexes(database)
    fixture = Fixture(
        id=5000,
        kickoff=KICKOFF,
        status=MatchStatus.FIRST_HALF,
        league=League(39, "Premier League", 2024),
        home=Side(40, "Liverpool"),
        away=Side(33, "Manchester United"),
        state=FixtureState.ACTIVE,
    )
    database[FIXTURES].insert_one(fixture_document(fixture))
    goal = GoalEvent(
        key="",
        event_id="",
        fixture_id=fixture.id,
        team_id=40,
        player=Player(306, "M. Salah"),
        minute=MatchMinute(30),
        detail="Normal Goal",
        first_seen_at=STABLE - timedelta(minutes=1),
        stable_at=STABLE,
        seen_in_polls=("a", "b", "c"),
        attempts_planned=ATTEMPTS_EACH,
    )
    goals = [
        replace(goal, key=f"goal-{n}", event_id=f"5000_40_306_Goal_{n}")
        for n in range(1, count + 1)
    ]
    database[EVENTS].insert_many([goal_document(goal) for goal in goals])
    SearchStore(database).open_searches()
    return [goal.event_id for goal in goals]


def open_goals(database: Database[Document]) -> int:
    query = {"$expr": {"$lt": ["$attempts_counted", "$attempts_planned"]}}
    return database[EVENTS].count_documents(query)


def measure(env: dict[str, str], event_id: str | None) -> tuple[float, float]:
    """CPU seconds of a worker and its child processes, and the part spent on loading its code."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "benchmarks.search_worker", *([event_id] if event_id else [])]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        output, errors = run.communicate(timeout=600)
    if run.returncode:
        raise SystemExit(errors.decode(errors="replace")[-3000:])
    with suppress(ChildProcessError):
        deadline = time.monotonic() + ORPHAN_TIMEOUT_SECONDS
        while time.monotonic() < deadline:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.1)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)
    return cpu, float(output.decode().split()[-1])


def adopt_orphans() -> None:
    """Become the parent of processes that a browser leaves behind, so that their CPU is counted."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


if __name__ == "__main__":
    raise SystemExit(main())
