"""The time from a goal's first appearance in the feed to its first clip in S3, in real time.

The whole stack as `footy up` starts it, with 30 s polls, a simulated provider, a simulated X (in a
real Chromium) and a simulated Bluesky. Both sites have posts about every goal; the films are
rendered beforehand. `--goals 20 --over 60` measures how late attempts start when many goals are
scored in one minute. The stack's CPU is that of all its processes, without the servers
(MongoDB, S3), the simulated sites and copies of the process that downloads.
"""

import argparse
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
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
from benchmarks.meters import p50, p95, tree_cpu_seconds, tree_megabytes
from footy_assets.cli.signals import stop_on_signals
from footy_assets.clock import ScaledClock
from footy_assets.runtime.demo_settings import NO_LIMIT, write_login_cookies
from footy_assets.runtime.home import Home
from footy_assets.runtime.supervisor import Running, running
from footy_assets.settings import load_settings
from footy_assets.sim import SimServer
from footy_assets.sim.fans import Fans
from footy_assets.sim.footage import ExpectedOutcome
from footy_assets.sim.server import ProviderRequest
from footy_assets.sim.single_goals import STARTS_AT, one_goal_each
from footy_assets.sim.social.server import SocialServer
from footy_assets.store.collections import ATTEMPTS, CLIPS, EVENTS, VIDEOS, Document
from resources.mongo.connection import connect

# Enough for the stack to start and every match to become active before the first goal.
FIRST_GOAL_AFTER = timedelta(seconds=120)
# After the last goal, so that runs of every kind do the same work in the same time.
ENDS_AFTER = timedelta(seconds=150)
# By whether goals are far apart: p50 and p95 of visible → first clip.
MAX_SECONDS = {True: (78.0, 100.0), False: (90.0, 120.0)}
MAX_CONFIRMED_P50_SECONDS = 45.0
MAX_DELAY_SECONDS = 15.0
POLLS_APART = (28.0, 35.0)
MEMORY_EVERY_SECONDS = 5.0
# Requests of one poll.
SAME_POLL_SECONDS = 3.0

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
            confirm_seconds=arguments.confirm,
            **limits,
        )
        up = stack.enter_context(running(settings, log_progress))
        database = stack.enter_context(connect(up.mongo_uri, settings.mongo_database))
        first_clips: dict[int, datetime] = {}
        third_clips: dict[int, datetime] = {}
        meter = StackMeter(up)
        ends_at = STARTS_AT + max(moments) + ENDS_AFTER
        watch(up, database, clock, (first_clips, third_clips), meter, ends_at, stopped.is_set)
        result = {"machine": machine_note, "goals": arguments.goals, "over_seconds": arguments.over}
        result |= figures(up, database, world.truth(), first_clips, fans)
        result["figures"] |= meter.figures(arguments.goals)
        result["figures"] |= poll_figures(sim.requests, STARTS_AT + moments[0])
        early = [at for at in third_clips.values() if at < max(first_clips.values(), default=at)]
        result["figures"]["goals with a third clip before all had a first"] = len(early)
    verdicts = judge(result, arguments)
    result["verdicts"] = verdicts
    rows = [{"figure": name, "value": value} for name, value in result["figures"].items()]
    limit = "X's rate limit lifted" if arguments.no_limit else "X's rate limit as shipped"
    limit += ", searched for when stable" if arguments.no_ahead else ", also ahead of stable"
    limit += f", {arguments.confirm:g} s confirmation polls" if arguments.confirm else ""
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
    parser.add_argument(
        "--confirm",
        type=float,
        default=0.0,
        metavar="SECONDS",
        help="FOOTY_CONFIRM_SECONDS: polls of goals that are not stable are so far apart (F11)",
    )
    parser.add_argument("--no-limit", action="store_true", help="lift X's rate limit")
    parser.add_argument("--footage", type=Path, help="cache rendered films in this folder")
    add_output_options(parser)
    arguments = parser.parse_args()
    if not (1 <= arguments.goals <= 40 and 1 <= arguments.over <= 600):
        parser.error("1 to 40 goals over 1 to 600 seconds")
    return arguments


class StackMeter:
    """The CPU of the stack's processes since this object was made, and their most memory."""

    def __init__(self, up: Running) -> None:
        self._pids = {name: child.popen.pid for name, child in up.children.items()}
        self._before = self._used()
        self._began = self._measured = time.monotonic()
        self._most: dict[str, float] = dict.fromkeys(self._pids, 0.0)

    def _used(self) -> dict[str, float]:
        return {name: tree_cpu_seconds(pid) for name, pid in self._pids.items()}

    def measure_memory(self) -> None:
        if time.monotonic() - self._measured < MEMORY_EVERY_SECONDS:
            return
        self._measured = time.monotonic()
        for name, pid in self._pids.items():
            self._most[name] = max(self._most[name], tree_megabytes(pid))

    def figures(self, goals: int) -> Row:
        used = {name: now - self._before[name] for name, now in self._used().items()}
        seconds = time.monotonic() - self._began
        return {
            "CPU s per goal, all processes": round(sum(used.values()) / goals, 1),
            "CPU s by process": {name: round(one, 1) for name, one in used.items()},
            "measured for s": round(seconds),
            "most memory MB by process": {name: round(one) for name, one in self._most.items()},
        }


def poll_figures(requests: Sequence[ProviderRequest], since: datetime) -> Row:
    """Ordinary polls ask for every active match, those in between for fewer (F11), unless no goal
    is stable: then the time tells them apart."""
    wanted = [(one.at, one.params["ids"]) for one in requests if "ids" in one.params]
    begun = [(at, len(ids.split("-"))) for at, ids in wanted if at >= since]
    polls: list[tuple[datetime, int]] = []
    for at, ids in begun:
        if polls and (at - polls[-1][0]).total_seconds() < SAME_POLL_SECONDS:
            polls[-1] = polls[-1][0], polls[-1][1] + ids
        else:
            polls.append((at, ids))
    everything = max((ids for _, ids in polls), default=0)
    ordinary: list[datetime] = []
    for at, ids in polls:
        if ids == everything and (
            not ordinary or (at - ordinary[-1]).total_seconds() > POLLS_APART[0] - 5
        ):
            ordinary.append(at)
    apart = [(later - earlier).total_seconds() for earlier, later in pairwise(ordinary)]
    return {
        "ordinary polls": len(ordinary),
        "ordinary polls apart, least s": round(min(apart, default=0.0), 1),
        "ordinary polls apart, most s": round(max(apart, default=0.0), 1),
        "extra polls (F11)": len(polls) - len(ordinary),
    }


def watch(
    up: Running,
    database: Database[Document],
    clock: ScaledClock,
    clips_at: tuple[dict[int, datetime], dict[int, datetime]],
    meter: StackMeter,
    ends_at: datetime,
    stopped: Callable[[], bool],
) -> None:
    """Record when each match gets its first and its third clip."""
    first_clips, third_clips = clips_at

    def is_done() -> bool:
        now = clock.now()
        meter.measure_memory()
        stored = Counter(clip["fixture_id"] for clip in database[CLIPS].find({}, {"fixture_id": 1}))
        for fixture_id, number in stored.items():
            if fixture_id not in first_clips:
                first_clips[fixture_id] = now
                log_progress(f"{now:%H:%M:%S} clip of match {len(first_clips)}")
            if number >= 3:
                third_clips.setdefault(fixture_id, now)
        return stopped() or now > ends_at

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
    least, most = POLLS_APART
    verdicts[f"polls {least:g} to {most:g} s apart"] = (
        values["ordinary polls apart, least s"] >= least
        and values["ordinary polls apart, most s"] <= most
    )
    limit_p50, limit_p95 = MAX_SECONDS[is_spread_out(arguments)]
    if arguments.confirm and is_spread_out(arguments):
        limit_p50 = MAX_CONFIRMED_P50_SECONDS
    for name, limit in (("p50", limit_p50), ("p95", limit_p95)):
        in_time = bool(total) and total[0][name] <= limit
        verdicts[f"{name} from visible to the first clip at most {limit:g} s"] = in_time
    if not is_spread_out(arguments):
        early = values["goals with a third clip before all had a first"]
        verdicts["every goal has its first clip before any has its third"] = early == 0
    return verdicts


def is_spread_out(arguments: argparse.Namespace) -> bool:
    """Whether goals are far enough apart for the machine to finish one before the next."""
    return bool(arguments.over > arguments.goals * 3)


if __name__ == "__main__":
    raise SystemExit(main())
