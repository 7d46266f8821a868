"""The time from a goal's first appearance in the feed to its first clip in S3, in real time.

The whole stack as `footy up` starts it, with 30 s polls, a simulated provider, a simulated X (in a
real Chromium) and a simulated Bluesky. Both sites have posts about every goal; the films are
rendered beforehand. `--goals 20 --over 60` measures how late attempts start when many goals are
scored in one minute.
"""

import argparse
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

from dagster import DagsterInstance
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
from benchmarks.meters import p50, p95
from footy_assets.cli.signals import stop_on_signals
from footy_assets.clock import ScaledClock
from footy_assets.runtime.demo_settings import NO_LIMIT, write_login_cookies
from footy_assets.runtime.home import Home
from footy_assets.runtime.supervisor import Running, running
from footy_assets.settings import load_settings
from footy_assets.sim import SimServer
from footy_assets.sim.fans import Fans
from footy_assets.sim.footage import ExpectedOutcome
from footy_assets.sim.single_goals import STARTS_AT, one_goal_each
from footy_assets.sim.social.server import SocialServer
from footy_assets.store.collections import ATTEMPTS, CLIPS, EVENTS, VIDEOS, Document
from resources.mongo.connection import connect

# Enough for the stack to start and every match to become active before the first goal.
FIRST_GOAL_AFTER = timedelta(seconds=120)
TIMEOUT = timedelta(minutes=6)
MAX_P50_SECONDS, MAX_DELAY_SECONDS = 120.0, 15.0

STEP_COLUMNS = {"step": "step", "p50": "p50 s", "p95": "p95 s", "max": "max s"}
FIGURE_COLUMNS = {"figure": "figure", "value": "value"}


def main() -> int:
    arguments = parse_arguments()
    machine_note, stopped = machine(), stop_on_signals()
    moments = [
        FIRST_GOAL_AFTER + timedelta(seconds=arguments.over * number / arguments.goals)
        for number in range(arguments.goals)
    ]
    world = one_goal_each(moments)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="footy-clips-")))
        fans = Fans(world, arguments.footage or folder / "footage")
        with fans.rendering() as films:
            log_progress("rendering the films that fans post")
            for film in films.films:
                film.result()
        clock = ScaledClock(STARTS_AT, 1.0, time.time())
        sim = stack.enter_context(SimServer(world, clock))
        site = stack.enter_context(SocialServer(fans.posts, clock, films=fans.film))
        home = Home(folder / "home")
        home.path.mkdir()
        limits = {"x_requests_per_15_minutes": NO_LIMIT} if arguments.no_limit else {}
        settings = load_settings(
            home=home.path,
            mongo_uri=None,
            s3_endpoint_url=None,
            dagster_port=0,
            clock=clock.spec(),
            api_football_url=sim.url,
            api_football_key="benchmark",
            wikidata_url=sim.wikidata_url,
            tracked_teams="*",
            sites=("x", "bluesky"),
            x_url=site.url,
            x_cookies_file=write_login_cookies(home, site),
            bluesky_url=site.url,
            download_hosts=("127.0.0.1",),
            download_private_addresses=True,
            search_ahead=not arguments.no_ahead,
            **limits,
        )
        up = stack.enter_context(running(settings, log_progress))
        database = stack.enter_context(connect(up.mongo_uri, settings.mongo_database))
        first_clips: dict[int, datetime] = {}
        ends_at = STARTS_AT + max(moments) + TIMEOUT
        watch(up, database, clock, first_clips, arguments.goals, ends_at, stopped.is_set)
        result = {"machine": machine_note, "goals": arguments.goals, "over_seconds": arguments.over}
        result |= figures(up, database, world.truth(), first_clips, fans)
    verdicts = judge(result, arguments)
    result["verdicts"] = verdicts
    rows = [{"figure": name, "value": value} for name, value in result["figures"].items()]
    limit = "X's rate limit lifted" if arguments.no_limit else "X's rate limit as shipped"
    limit += ", searched for when stable" if arguments.no_ahead else ", also ahead of stable"
    tables = [
        f"{machine_note} {arguments.goals} goals over {arguments.over} s, speed 1, {limit}.",
        table(result["steps"], STEP_COLUMNS),
        table(rows, FIGURE_COLUMNS),
        verdict_list(verdicts),
    ]
    publish(
        "goal_to_clip" if is_spread_out(arguments) else "same_minute", result, tables, arguments
    )
    if stopped.is_set():
        return 130
    return 0 if all(verdicts.values()) else 1


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.goal_to_clip", description=__doc__)
    parser.add_argument(
        "--goals", type=int, default=12, help="number of goals, one per match (at most 40)"
    )
    parser.add_argument(
        "--over", type=int, default=300, help="seconds within which they are scored (at most 600)"
    )
    parser.add_argument(
        "--no-ahead", action="store_true", help="search for stable goals only: the baseline"
    )
    parser.add_argument("--no-limit", action="store_true", help="lift X's rate limit")
    parser.add_argument("--footage", type=Path, help="cache rendered films in this folder")
    add_output_options(parser)
    arguments = parser.parse_args()
    if not (1 <= arguments.goals <= 40 and 1 <= arguments.over <= 600):
        parser.error("1 to 40 goals over 1 to 600 seconds")
    return arguments


def watch(
    up: Running,
    database: Database[Document],
    clock: ScaledClock,
    first_clips: dict[int, datetime],
    goals: int,
    ends_at: datetime,
    stopped: Callable[[], bool],
) -> None:
    """Record when each match gets its first clip, until all have one and a second attempt."""

    def is_done() -> bool:
        now = clock.now()
        for clip in database[CLIPS].find({}, {"fixture_id": 1}):
            if clip["fixture_id"] not in first_clips:
                first_clips[clip["fixture_id"]] = now
                log_progress(f"{now:%H:%M:%S} clip {len(first_clips)} of {goals}")
        all_searched_twice = database[ATTEMPTS].count_documents({"number": 2}) >= goals
        return stopped() or now > ends_at or (len(first_clips) == goals and all_searched_twice)

    up.watch(until=is_done)


def figures(
    up: Running,
    database: Database[Document],
    truth: Any,
    first_clips: dict[int, datetime],
    fans: Fans,
) -> Row:
    events = {event["fixture_id"]: event for event in database[EVENTS].find()}
    firsts = {a["fixture_id"]: a for a in database[ATTEMPTS].find({"number": 1})}
    delays = [
        (a["started_at"] - a["due_at"]).total_seconds()
        for a in database[ATTEMPTS].find({"number": {"$lte": 2}})
    ]
    posted: dict[str, datetime] = {}
    for video in fans.videos:
        if video.expected is ExpectedOutcome.RIGHT:
            posted.setdefault(video.goal_key, video.posted_at)
    steps: dict[str, list[float]] = {
        "visible in the feed → seen by a poll": [],
        "seen → stable (three polls)": [],
        "stable → first clip in S3": [],
        "visible → first clip in S3": [],
    }
    posted_in_time = held_ahead = 0
    for goal, key in zip(truth, fans.goal_keys, strict=True):
        event, attempt = events.get(goal.fixture_id), firsts.get(goal.fixture_id)
        if event is None or attempt is None or goal.fixture_id not in first_clips:
            continue
        posted_in_time += posted[key] <= event["stable_at"]
        held_ahead += (event.get("ahead") or {}).get("held", 0) > 0
        at = [
            goal.shown_at,
            event["first_seen_at"],
            event["stable_at"],
            first_clips[goal.fixture_id],
        ]
        waits = [(later - earlier).total_seconds() for earlier, later in pairwise(at)]
        for name, seconds in zip(steps, [*waits, sum(waits)], strict=True):
            steps[name].append(seconds)
    with DagsterInstance.from_config(str(up.home.dagster)) as instance:
        runs = Counter(run.status.value for run in instance.get_runs())
    states = Counter(video["state"] for video in database[VIDEOS].find({}, {"state": 1}))
    return {
        "steps": [
            {"step": name, "p50": p50(seconds), "p95": p95(seconds), "max": max(seconds)}
            for name, seconds in steps.items()
            if seconds
        ],
        "figures": {
            "goals with a clip": len(first_clips),
            "with a correct post when it became stable": posted_in_time,
            "with a video that was judged and held ahead of stable": held_ahead,
            "attempts 1 and 2": len(delays),
            "delay of attempts, p50 s": round(p50(delays), 1) if delays else 0.0,
            "delay of attempts, p95 s": round(p95(delays), 1) if delays else 0.0,
            "delay of attempts, max s": round(max(delays, default=0.0), 1),
            "videos": dict(states),
            "runs": dict(runs),
        },
    }


def judge(result: Row, arguments: argparse.Namespace) -> dict[str, bool]:
    values = result["figures"]
    total = [row for row in result["steps"] if row["step"].startswith("visible → ")]
    verdicts = {
        "every goal has a clip": values["goals with a clip"] == arguments.goals,
        f"every attempt started within {MAX_DELAY_SECONDS:g} s of its due time": values[
            "delay of attempts, max s"
        ]
        <= MAX_DELAY_SECONDS,
        "no run failed": not values["runs"].get("FAILURE"),
    }
    if is_spread_out(arguments):
        fast_enough = bool(total) and total[0]["p50"] < MAX_P50_SECONDS
        verdicts[f"p50 from visible to the first clip under {MAX_P50_SECONDS:g} s"] = fast_enough
    return verdicts


def is_spread_out(arguments: argparse.Namespace) -> bool:
    """Whether goals are far enough apart for the machine to finish one before the next."""
    return bool(arguments.over > arguments.goals * 3)


if __name__ == "__main__":
    raise SystemExit(main())
