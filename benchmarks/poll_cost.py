"""The cost of one poll of all active fixtures, against replacing every document at every poll.

The provider is simulated and answers over HTTP from its own process; MongoDB is real. All
contenders poll the same matches at the same moments, in an order that changes every round.
"""

import argparse
import math
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from statistics import fmean

from pymongo import monitoring

from benchmarks.figures import (
    Row,
    add_output_options,
    log_progress,
    machine,
    publish,
    table,
    verdict_list,
)
from benchmarks.meters import WriteCounter, p50, p95
from benchmarks.poll_contenders import BULK, EACH, OURS, Contest, Sample, contest
from resources.embedded.mongod import embedded_mongo

QUIET, PLAY = "nothing changed", "ordinary play"
STEPS = {QUIET: timedelta(0), PLAY: timedelta(seconds=30)}
TICK_SECONDS = 30.0
# The p95 of a poll must stay below this share of the tick.
MOST_OF_TICK = 0.1
# A goal is stable, and no longer written, after three polls.
WARM_UP_ROUNDS = 5
# After that the first matches of the simulated day are over.
MOST_ROUNDS = 60
# Growth counts as linear up to this exponent, which allows for the error of measurement.
LINEAR = 1.1

# By situation, number of fixtures and contender.
Samples = dict[tuple[str, int, str], list[Sample]]

COST_COLUMNS = {
    "situation": "situation",
    "fixtures": "fixtures",
    "contender": "contender",
    "wall_ms": "wall ms, p50",
    "wall_p95_ms": "p95",
    "provider_wait_ms": "waiting for the provider",
    "cpu_ms": "our CPU ms",
    "mongod_cpu_ms": "mongod CPU ms",
    "provider_cpu_ms": "provider CPU ms",
    "write_commands": "write commands",
    "documents": "documents written",
    "kb_to_database": "kB to MongoDB",
    "calls": "API calls",
}
RATIO_COLUMNS = {
    "situation": "situation",
    "fixtures": "fixtures",
    "baseline": "footy ÷",
    "wall_ms": "wall",
    "own_wall_ms": "wall without the wait",
    "cpu_ms": "our CPU",
    "mongod_cpu_ms": "mongod CPU",
    "documents": "documents",
    "kb_to_database": "kB to MongoDB",
}
GROWTH_COLUMNS = {
    "situation": "situation",
    "fixtures": "fixtures",
    "wall_ms_per_fixture": "wall ms per fixture",
    "cpu_ms_per_fixture": "our CPU ms per fixture",
    "tick_percent": "p95, % of the 30 s tick",
}


def main() -> int:
    arguments = parse_arguments()
    machine_note = machine()
    counter = WriteCounter()
    monitoring.register(counter)
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="footy-bench-"))
        mongod = stack.enter_context(embedded_mongo(Path(folder), die_with_parent=True))
        contests = {
            fixtures: stack.enter_context(contest(mongod, counter, fixtures, arguments.real_size))
            for fixtures in sorted(arguments.fixtures)
        }
        samples = measure(contests, arguments.rounds)
    costs = [cost(*key, some) for key, some in samples.items()]
    ours = [row for row in costs if row["contender"] == OURS]
    ratios = [ratio(costs, row, baseline) for row in ours for baseline in (EACH, BULK)]
    grown = [growth(row) for row in ours]
    verdicts = judge(ours, samples)
    result = {
        "machine": machine_note,
        "rounds": arguments.rounds,
        "real_size": arguments.real_size,
        "costs": costs,
        "ratios": ratios,
        "growth": grown,
        "verdicts": verdicts,
    }
    tables = [
        f"{machine_note} {arguments.rounds} polls each: medians of times, means of counts.",
        table(costs, COST_COLUMNS),
        table(ratios, RATIO_COLUMNS),
        table(grown, GROWTH_COLUMNS),
        verdict_list(verdicts),
    ]
    publish(
        "poll_cost_real_size" if arguments.real_size else "poll_cost", result, tables, arguments
    )
    return 0 if all(verdicts.values()) else 1


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.poll_cost", description=__doc__)
    parser.add_argument("--fixtures", type=int, nargs="+", default=[20, 100, 400])
    parser.add_argument(
        "--rounds",
        type=int,
        default=40,
        help=f"polls measured in each situation (at most {MOST_ROUNDS})",
    )
    parser.add_argument(
        "--real-size",
        action="store_true",
        help="responses with line-ups, statistics and player figures, about 50 kB per match",
    )
    add_output_options(parser)
    arguments = parser.parse_args()
    if not 1 <= arguments.rounds <= MOST_ROUNDS:
        parser.error(f"--rounds is from 1 to {MOST_ROUNDS}")
    if not all(1 <= fixtures <= 1_000 for fixtures in arguments.fixtures):
        parser.error("--fixtures is from 1 to 1000: a simulated day has no more")
    return arguments


def measure(contests: Mapping[int, Contest], rounds: int) -> Samples:
    """All sizes take turns, so that other work on the machine affects all of them alike."""
    for one_contest in contests.values():
        for _ in range(WARM_UP_ROUNDS):
            one_contest.round(timedelta(0))
    samples: Samples = {
        (situation, fixtures, contender): []
        for situation in STEPS
        for fixtures in contests
        for contender in (OURS, EACH, BULK)
    }
    for situation, step in STEPS.items():
        for number in range(rounds):
            if number % 10 == 0:
                log_progress(f"{situation}: round {number} of {rounds}")
            for fixtures, one_contest in contests.items():
                for contender, sample in one_contest.round(step).items():
                    samples[situation, fixtures, contender].append(sample)
    return samples


def cost(situation: str, fixtures: int, contender: str, samples: Sequence[Sample]) -> Row:
    return {
        "situation": situation,
        "fixtures": fixtures,
        "contender": contender,
        "wall_ms": 1e3 * p50([s.wall for s in samples]),
        "wall_p95_ms": 1e3 * p95([s.wall for s in samples]),
        "provider_wait_ms": 1e3 * p50([s.provider_wait for s in samples]),
        "own_wall_ms": 1e3 * p50([s.wall - s.provider_wait for s in samples]),
        "cpu_ms": 1e3 * p50([s.cpu for s in samples]),
        "mongod_cpu_ms": 1e3 * p50([s.mongod_cpu for s in samples]),
        "provider_cpu_ms": 1e3 * p50([s.provider_cpu for s in samples]),
        "write_commands": fmean(s.write_commands for s in samples),
        "documents": fmean(s.documents for s in samples),
        "kb_to_database": fmean(s.bytes_to_database for s in samples) / 1e3,
        "calls": fmean(s.calls for s in samples),
    }


def ratio(costs: Sequence[Row], ours: Row, baseline: str) -> Row:
    theirs = next(
        row
        for row in costs
        if row["contender"] == baseline
        and (row["situation"], row["fixtures"]) == (ours["situation"], ours["fixtures"])
    )
    row: Row = {name: ours[name] for name in ("situation", "fixtures")} | {"baseline": baseline}
    for name in list(RATIO_COLUMNS)[3:]:
        row[name] = ours[name] / theirs[name]
    return row


def growth(ours: Row) -> Row:
    return {
        "situation": ours["situation"],
        "fixtures": ours["fixtures"],
        "wall_ms_per_fixture": ours["wall_ms"] / ours["fixtures"],
        "cpu_ms_per_fixture": ours["cpu_ms"] / ours["fixtures"],
        "tick_percent": 100 * ours["wall_p95_ms"] / 1e3 / TICK_SECONDS,
    }


def exponent(ours: Sequence[Row], situation: str, name: str) -> float:
    """1 is linear in the number of fixtures, less is better than linear."""
    rows = [row for row in ours if row["situation"] == situation]
    few, many = rows[0], rows[-1]
    if few["fixtures"] == many["fixtures"]:
        return 1.0
    return math.log(many[name] / few[name]) / math.log(many["fixtures"] / few["fixtures"])


def judge(ours: Sequence[Row], samples: Samples) -> dict[str, bool]:
    all_samples = [sample for some in samples.values() for sample in some]
    counted = sum(sample.documents for sample in all_samples)
    by_server = sum(sample.counted_by_server for sample in all_samples)
    exponents = {
        f"{situation}, {what}": exponent(ours, situation, name)
        for situation in STEPS
        for what, name in (("wall", "wall_ms"), ("our CPU", "cpu_ms"))
    }
    worst = max(row["wall_p95_ms"] for row in ours) / 1e3
    return {
        "nothing changed: no write command": all(
            row["write_commands"] == 0 for row in ours if row["situation"] == QUIET
        ),
        "ordinary play: only changed documents are written": all(
            sample.documents == sample.changes
            for (_, _, contender), some in samples.items()
            if contender == OURS
            for sample in some
        ),
        f"written documents equal the server's own count ({counted:,} and {by_server:,})": (
            counted == by_server
        ),
        "growth is linear or better, exponents "
        + "; ".join(f"{name} {value:.2f}" for name, value in exponents.items()): all(
            value <= LINEAR for value in exponents.values()
        ),
        f"the slowest p95 is {worst:.2f} s, below {MOST_OF_TICK:.0%} of the 30 s tick": (
            worst < MOST_OF_TICK * TICK_SECONDS
        ),
    }


if __name__ == "__main__":
    sys.exit(main())
