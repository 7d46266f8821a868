"""Whether a live matchday keeps its 30 s polls and its quota while past seasons are loaded.

The whole stack of `footy up` in real time, with a simulated provider in its own process that allows
few requests per minute; all matches are in play. The live poll is measured alone, then while
Dagster's runs load one season after another.
"""

import argparse
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

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
from benchmarks.live_loop import (
    LONGEST,
    SHORTEST,
    STARTS_AT,
    Watch,
    live_ticks,
    poll_starts,
    spacing,
    wait_until_ready,
    watch_ticks,
    whole_stack,
)
from benchmarks.provider_process import ProviderProcess, provider_process
from footy_assets.cli.signals import stop_on_signals
from footy_assets.clock import ScaledClock
from footy_assets.history.rules.key import LeagueSeason
from footy_assets.history.start import start
from footy_assets.history.store.seasons import HistoryStore
from footy_assets.sim import ProviderRequest
from footy_assets.store.collections import Document
from resources.mongo.connection import connect

PER_MINUTE = 60
SEASONS = [LeagueSeason(league, 2023) for league in (39, 140, 78, 135)]
ALONE, WITH_HISTORY = "alone", "with history"

COLUMNS = {
    "situation": "live matchday",
    "count": "intervals between polls",
    "min": "min s",
    "p50": "p50 s",
    "max": "max s",
    "outside": f"outside {SHORTEST:g}–{LONGEST:g} s",
    "failed": "ticks failed or skipped",
    "live_calls": "live calls",
    "history_calls": "history calls",
    "most_a_minute": "max history calls per minute",
    "documents": "history documents",
}


def main() -> int:
    arguments = parse_arguments()
    machine_note, stopped = machine(), stop_on_signals()
    clock = ScaledClock(STARTS_AT, 1.0, time.time())
    with tempfile.TemporaryDirectory(prefix="footy-bench-") as folder, ExitStack() as stack:
        provider = stack.enter_context(
            provider_process(arguments.fixtures, clock, per_minute=PER_MINUTE)
        )
        up = stack.enter_context(whole_stack(Path(folder), provider, clock, load=False))
        database = stack.enter_context(connect(up.mongo_uri, "footy"))
        instance = stack.enter_context(DagsterInstance.from_config(str(up.home.dagster)))
        log_progress("waiting until all fixtures are active")
        wait_until_ready(up, database, instance, arguments, stopped.is_set)
        rows = []
        for situation in (ALONE, WITH_HISTORY):
            log_progress(situation)
            for key in SEASONS if situation == WITH_HISTORY else ():
                start(HistoryStore(database), clock, key, "a benchmark")
            watch = Watch(time.time())
            watch_ticks(up, instance, arguments.ticks, watch, stopped.is_set)
            rows.append(figures(situation, instance, database, provider, clock, watch.began))
        restarts = sum(map(len, up.restarts.values()))
    verdicts = judge(rows, restarts)
    matches = f"{arguments.fixtures} matches in play"
    text = f"{machine_note} {matches}, {PER_MINUTE} requests per minute allowed."
    tables = [text, table(rows, COLUMNS), verdict_list(verdicts)]
    publish(
        "history_live",
        {"machine": machine_note, "rows": rows, "verdicts": verdicts},
        tables,
        arguments,
    )
    if stopped.is_set():
        return 130
    return 0 if all(verdicts.values()) else 1


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.history_live", description=__doc__)
    parser.add_argument(
        "--ticks",
        type=int,
        default=8,
        help="ticks of 30 s to measure, alone and again with history",
    )
    parser.add_argument("--fixtures", type=int, default=18)
    parser.set_defaults(load=False)
    add_output_options(parser)
    return parser.parse_args()


def figures(
    situation: str,
    instance: DagsterInstance,
    database: Database[Document],
    provider: ProviderProcess,
    clock: ScaledClock,
    began: float,
) -> Row:
    ticks = live_ticks(instance, began)
    since = datetime.fromtimestamp(began - clock.anchor + clock.starts_at.timestamp(), UTC)
    requests = [one for one in provider.requests() if one.at >= since]
    ours = [one for one in requests if is_history_request(one)]
    minutes = Counter(f"{one.at:%H:%M}" for one in ours)
    done = [one for key in SEASONS for one in HistoryStore(database).documents(key)]
    return {
        **spacing(situation, poll_starts(provider, since)),
        "situation": situation,
        "failed": sum(
            tick.status.value == "FAILURE" or "quota" in (tick.skip_reason or "") for tick in ticks
        ),
        "live_calls": len(requests) - len(ours),
        "history_calls": len(ours),
        "most_a_minute": max(minutes.values(), default=0),
        "documents": sum(one.processed for one in done),
    }


def is_history_request(request: ProviderRequest) -> bool:
    return "season" in request.params or request.path in ("/venues", "/transfers")


def judge(rows: list[Row], restarts: int) -> dict[str, bool]:
    with_history = rows[1]
    return {
        f"every interval between polls is {SHORTEST:g} to {LONGEST:g} s": not any(
            row["outside"] for row in rows
        ),
        "no poll failed or was skipped, and no process was restarted": not (
            restarts or any(row["failed"] for row in rows)
        ),
        "history made requests throughout": with_history["history_calls"]
        >= PER_MINUTE / 2 * (with_history["count"] / 2 - 1),
        f"history used at most half of {PER_MINUTE} requests per minute": with_history[
            "most_a_minute"
        ]
        <= PER_MINUTE / 2,
    }


if __name__ == "__main__":
    sys.exit(main())
