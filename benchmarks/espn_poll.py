"""The cost of one poll when ESPN leads, against the same poll of API-Football.

Both are simulated and answer over HTTP from one other process; MongoDB is real. They poll the same
matches at the same moments, in turns; only the CPU of this process counts as ours.
"""

import argparse
import gc
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from statistics import fmean

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
from benchmarks.poll_contenders import STARTS_AT
from benchmarks.provider_process import ProviderProcess, provider_process
from footy_assets.clock import ManualClock
from footy_assets.logs import configure_logs
from footy_assets.matchday.ingest import Ingest
from footy_assets.matchday.monitor import CycleReport, MonitorPolicy, run_cycle
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.matchday.tracking import TrackingPolicy
from footy_assets.policies import monitor_policy
from footy_assets.providers.connection import ProvidersFileLoader, open_provider
from footy_assets.providers.feed import MergedFeed
from footy_assets.providers.rules.descriptors import API_FOOTBALL
from footy_assets.settings import settings_of
from footy_assets.sim.clubs import TOP_LEAGUES
from footy_assets.store.collections import ensure_indexes
from resources.embedded.mongod import embedded_mongo
from resources.mongo.connection import connect

ESPN = "espn"
QUIET, PLAY = "nothing changed", "ordinary play"
STEPS = {QUIET: timedelta(0), PLAY: timedelta(seconds=30)}
WARM_UP_ROUNDS = 12
MOST_ROUNDS = 60
COLUMNS = {
    "situation": "situation",
    "lead": "lead",
    "wall_ms": "wall ms, p50",
    "wall_p95_ms": "p95",
    "cpu_ms": "our CPU ms, p50",
    "cpu_mean_ms": "mean",
    "calls": "requests",
    "goals": "goals changed",
}
RATIO_COLUMNS = {
    "situation": "situation",
    "wall_ms": "ESPN ÷ API-Football: wall",
    "cpu_ms": "our CPU, p50",
    "cpu_mean_ms": "our CPU, mean",
}


@dataclass(frozen=True, slots=True)
class Sample:
    wall: float
    cpu: float
    calls: int
    goals: int


def main() -> int:
    arguments = parse_arguments()
    configure_logs("error")
    machine_note = machine()
    clock = ManualClock(STARTS_AT)
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="footy-bench-"))
        mongod = stack.enter_context(embedded_mongo(Path(folder), die_with_parent=True))
        provider = stack.enter_context(
            provider_process(arguments.matches, clock, real_size=not arguments.small)
        )
        leads = {
            name: open_lead(stack, name, provider, mongod.uri, clock, Path(folder))
            for name in (API_FOOTBALL, ESPN)
        }
        samples = measure(leads, provider, clock, arguments.rounds)
    costs = [cost(*key, some) for key, some in samples.items()]
    ratios = [ratio(costs, situation) for situation in STEPS]
    verdicts = {
        f"{row['situation']}: ESPN costs no more CPU than API-Football": row["cpu_ms"] <= 1
        for row in ratios
    }
    result = {"machine": machine_note, "costs": costs, "ratios": ratios, "verdicts": verdicts}
    title = f"{machine_note} {arguments.matches} matches in play, {arguments.rounds} polls each."
    tables = [title, table(costs, COLUMNS), table(ratios, RATIO_COLUMNS), verdict_list(verdicts)]
    name = "espn_poll_small" if arguments.small else "espn_poll"
    publish(name, result, tables, arguments)
    return 0 if all(verdicts.values()) else 1


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.espn_poll", description=__doc__)
    parser.add_argument("--matches", type=int, default=100)
    parser.add_argument(
        "--rounds", type=int, default=40, help=f"polls in each situation (at most {MOST_ROUNDS})"
    )
    parser.add_argument(
        "--small",
        action="store_true",
        help="answers without what we ignore: 3 kB per match, and not 50 of API-Football, 12 of "
        "ESPN",
    )
    add_output_options(parser)
    arguments = parser.parse_args()
    if not 1 <= arguments.rounds <= MOST_ROUNDS:
        parser.error(f"--rounds is from 1 to {MOST_ROUNDS}")
    return arguments


def open_lead(
    stack: ExitStack,
    name: str,
    provider: ProviderProcess,
    uri: str,
    clock: ManualClock,
    home: Path,
) -> Callable[[], CycleReport]:
    """Ingests the matches; returns what polls them once. Each poll opens the provider anew, as a
    tick of the sensor does."""
    database = stack.enter_context(connect(uri, f"lead_{name}"))
    ensure_indexes(database)
    settings = settings_of(
        sites="none",
        home=home,
        provider=name,
        api_football_url=provider.url,
        espn_url=provider.espn_url,
        tracked_leagues=tuple(TOP_LEAGUES),
    )
    load_file = ProvidersFileLoader(settings)
    with open_provider(settings, database, clock) as opened:
        ingest = Ingest(MatchdayStore(database), opened.feed, clock, TrackingPolicy(teams="*"))
        ingest.day(STARTS_AT.date())
    rules: MonitorPolicy = monitor_policy(settings)

    def poll() -> CycleReport:
        with open_provider(settings, database, clock) as opened:
            store = MatchdayStore(database)
            feed = MergedFeed(opened.feed, store, clock, load_file)
            report = run_cycle(store, feed, clock, rules)
        if report.failures:
            raise RuntimeError(f"{name} failed: {report.failures[0]}")
        return report

    return poll


def measure(
    leads: dict[str, Callable[[], CycleReport]],
    provider: ProviderProcess,
    clock: ManualClock,
    rounds: int,
) -> dict[tuple[str, str], list[Sample]]:
    samples: dict[tuple[str, str], list[Sample]] = {
        (situation, name): [] for situation in STEPS for name in leads
    }
    for _ in range(WARM_UP_ROUNDS):
        for poll in leads.values():
            poll()
    order = list(leads)
    for situation, step in STEPS.items():
        log_progress(situation)
        for _ in range(rounds):
            clock.advance(step.total_seconds())
            provider.set_time(clock.now())
            order.reverse()
            for name in order:
                samples[situation, name].append(measure_one(leads[name]))
    return samples


def measure_one(poll: Callable[[], CycleReport]) -> Sample:
    """A full garbage collection before it: else one lead pays for what both have left."""
    gc.collect()
    wall, cpu = time.perf_counter(), time.process_time()
    report = poll()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return Sample(wall, cpu, report.calls, sum(report.goals.values()))


def cost(situation: str, lead: str, samples: Sequence[Sample]) -> Row:
    return {
        "situation": situation,
        "lead": lead,
        "wall_ms": 1e3 * p50([one.wall for one in samples]),
        "wall_p95_ms": 1e3 * p95([one.wall for one in samples]),
        "cpu_ms": 1e3 * p50([one.cpu for one in samples]),
        "cpu_mean_ms": 1e3 * fmean(one.cpu for one in samples),
        "calls": fmean(one.calls for one in samples),
        "goals": sum(one.goals for one in samples),
    }


def ratio(costs: Sequence[Row], situation: str) -> Row:
    theirs, ours = ({**row} for row in costs if row["situation"] == situation)
    names = list(RATIO_COLUMNS)[1:]
    return {"situation": situation, **{name: ours[name] / theirs[name] for name in names}}


if __name__ == "__main__":
    sys.exit(main())
