"""Loads a whole season on loopback: with signals, tier by tier, and with one request at a time.

MongoDB is real. The provider is simulated and answers over HTTP from its own process, each time
after some milliseconds. All contenders fetch the same documents of the same season in turn, each
into its own database. Then a process is killed ten times while it loads the season, in every tier,
and the tables are compared.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
from pymongo import MongoClient
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
from benchmarks.meters import p50
from benchmarks.provider_process import provider_process
from footy_assets.clock import ManualClock, SystemClock
from footy_assets.history.export import export
from footy_assets.history.rules.limits import HistoryRules
from footy_assets.history.rules.tiers import TIERS, SagaState
from footy_assets.history.sourcing import HistoryWork
from footy_assets.history.start import start
from footy_assets.history.store.quota import SharedQuota
from footy_assets.history.store.seasons import HistoryStore
from footy_assets.logs import configure_logs
from footy_assets.store.collections import ensure_indexes
from footy_assets.store.leases import Leases
from footy_assets.store.rate_limit import SharedRateLimit
from footy_assets_tests.history.kills import FIRST_TIER_SECONDS, KILLS, kills
from footy_assets_tests.history.worker_process import KEY, source
from resources.api_football.client import ApiFootball
from resources.embedded.mongod import embedded_mongo

TODAY = datetime(2025, 5, 10, 12, 0, tzinfo=UTC)
OURS, BARRIER, SEQUENTIAL = "footy: signals", "tier by tier", "one request at a time"
CALM, FAULTY = "nothing fails", "four documents fail three times"
# Each is retried at once, at once again, and after ten seconds; then it succeeds.
FAILING: tuple[tuple[str, dict[str, str]], ...] = (
    ("/leagues", {"id": "39"}),
    ("/venues", {"id": "23903"}),
    ("/teams/statistics", {"team": "3904"}),
    ("/players", {"team": "3905", "page": "2"}),
)
TIMEOUT_SECONDS = 600.0

Document = dict[str, Any]


def main() -> int:
    arguments = parse_arguments()
    machine_note = machine()
    configure_logs("error")
    with (
        tempfile.TemporaryDirectory(prefix="footy-bench-") as folder,
        embedded_mongo(Path(folder), die_with_parent=True) as mongod,
        MongoClient[Document](mongod.uri, tz_aware=True) as client,
    ):
        bench = Bench(client, mongod.uri, Path(folder) / "tables", arguments.answer_ms / 1000)
        rows = [
            row
            for faults in ((), FAILING)
            for row in bench.compare_contenders(faults, arguments.rounds)
        ]
        ratios = [
            ratio(rows, situation, other)
            for situation in (CALM, FAULTY)
            for other in (BARRIER, SEQUENTIAL)
        ]
        killed = bench.load_with_kills(arguments.seed)
    verdicts = judge(rows, ratios, killed, bench.tables)
    result = {
        "machine": machine_note,
        "seasons": rows,
        "ratios": ratios,
        "killed": killed,
        "verdicts": verdicts,
    }
    tables = [
        f"{machine_note} {arguments.rounds} seasons each, medians; "
        f"every response takes {arguments.answer_ms:g} ms.",
        table(rows, COLUMNS),
        table(ratios, RATIOS),
        table([killed], KILLED),
        verdict_list(verdicts),
    ]
    publish("history", result, tables, arguments)
    return 0 if all(verdicts.values()) else 1


COLUMNS = {
    "situation": "situation",
    "contender": "contender",
    "seconds": "seconds",
    "documents": "documents",
    "documents_per_second": "documents/s",
    "calls": "API calls",
    "players_after": "s until the player tier started",
}
RATIOS = {
    "situation": "situation",
    "baseline": "footy ÷",
    "seconds": "seconds",
    "players_after": "until the player tier",
    "calls": "API calls",
}
KILLED = {
    "kills": "kill -9",
    "tiers": "tiers killed in",
    "moments": "moments",
    "documents": "documents",
    "calls": "API calls",
    "identical": "tables identical",
}


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.history", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="seasons for each contender")
    parser.add_argument("--answer-ms", type=float, default=50.0, help="the provider's latency")
    parser.add_argument(
        "--seed", type=int, default=7, help="seed of the moments at which it is killed"
    )
    add_output_options(parser)
    return parser.parse_args()


class Bench:
    def __init__(
        self, client: MongoClient[Document], uri: str, folder: Path, latency: float
    ) -> None:
        self.client, self.uri, self.folder, self.latency = client, uri, folder, latency
        self.tables: dict[str, dict[str, bytes]] = {}

    # -- contenders -----------------------------------------------------------------------

    def compare_contenders(
        self, faults: Sequence[tuple[str, dict[str, str]]], rounds: int
    ) -> list[Row]:
        situation = FAULTY if faults else CALM
        samples: dict[str, list[Row]] = {name: [] for name in CONTENDERS}
        for number in range(rounds):
            order = list(CONTENDERS)
            for name in [*order[number % 3 :], *order[: number % 3]]:
                log_progress(f"{situation}: {name}, {number + 1} of {rounds}")
                samples[name].append(self.season(situation, name, faults))
        return [median_of(some) for some in samples.values()]

    def season(
        self, situation: str, name: str, faults: Sequence[tuple[str, dict[str, str]]]
    ) -> Row:
        with self.provider(faults) as url, self.database() as database:
            store, clock = HistoryStore(database), SystemClock()
            with ApiFootball(url, None) as feed:
                at_once = 1 if name == SEQUENTIAL else HistoryRules().at_once
                work = worker(database, feed, clock, at_once)
                began = time.perf_counter()
                started_at = clock.now()
                start(store, clock, KEY, name)
                CONTENDERS[name](work)
                seconds = time.perf_counter() - began
                calls = feed.calls
            record = store.season(KEY)
            assert record is not None
            assert record.saga.state is SagaState.COMPLETED, record.saga.state
            self.export_tables(f"{situation}, {name}", store)
            documents = len(store.documents(KEY))
            players = min(
                one.completed_utc
                for one in store.documents(KEY)
                if one.request.path == "/players" and one.completed_utc
            )
        return {
            "situation": situation,
            "contender": name,
            "seconds": seconds,
            "documents": documents,
            "documents_per_second": documents / seconds,
            "calls": calls,
            "players_after": (players - started_at).total_seconds(),
        }

    def export_tables(self, name: str, store: HistoryStore) -> None:
        written = export(store, KEY, self.folder / name.replace(" ", "_"))
        self.tables[name] = {table: path.read_bytes() for table, path in written.items()}

    # -- kill -9 --------------------------------------------------------------------------

    def load_with_kills(self, seed: int) -> Row:
        log_progress(f"killing the worker {KILLS} times")
        with self.provider(()) as url, self.database() as database:
            slow = {"kind": "slow", "times": None, "path": "/leagues"}
            inject_fault(url, slow | {"seconds": FIRST_TIER_SECONDS})
            all_kills = list(kills(self.uri, database, url, self.request_count, seed))
            source(self.uri, database.name, url)
            store = HistoryStore(database)
            self.export_tables("killed", store)
            documents = len(store.documents(KEY))
            calls = self.request_count()
        first = next(iter(self.tables.values()))
        return {
            "kills": len(all_kills),
            "tiers": len({kill.state for kill in all_kills}),
            "moments": ", ".join(sorted({kill.moment for kill in all_kills})),
            "documents": documents,
            "calls": calls,
            "identical": "yes" if self.tables["killed"] == first else "no",
            "progress": [kill.processed for kill in all_kills],
        }

    # -- parts ----------------------------------------------------------------------------

    @contextmanager
    def provider(self, faults: Sequence[tuple[str, dict[str, str]]]) -> Iterator[str]:
        with provider_process(1, ManualClock(TODAY)) as provider:
            # The first request makes the simulated season.
            httpx.get(f"{provider.url}/players", params={"team": "3901", "season": "2023"})
            inject_fault(provider.url, {"kind": "slow", "times": None, "seconds": self.latency})
            for path, query in faults:
                inject_fault(
                    provider.url, {"kind": "fail", "times": 3, "path": path, "query": query}
                )
            self._provider = provider
            self._before = len(provider.requests())
            yield provider.url

    def request_count(self) -> int:
        return len(self._provider.requests()) - self._before

    @contextmanager
    def database(self) -> Iterator[Database[Document]]:
        name = f"history_{time.monotonic_ns()}"
        ensure_indexes(self.client[name])
        try:
            yield self.client[name]
        finally:
            self.client.drop_database(name)


def inject_fault(url: str, fault: Row) -> None:
    httpx.post(f"{url}/sim/faults", json=fault).raise_for_status()


def worker(
    database: Database[Document],
    feed: ApiFootball,
    clock: SystemClock,
    at_once: int = HistoryRules().at_once,
) -> HistoryWork:
    return HistoryWork(
        HistoryStore(database),
        feed,
        clock,
        HistoryRules(at_once=at_once),
        Leases(database),
        SharedRateLimit(database),
        SharedQuota(database),
    )


def load_by_signals(work: HistoryWork) -> None:
    work.run(KEY, patience=TIMEOUT_SECONDS)


def load_tier_by_tier(work: HistoryWork) -> None:
    """Starts the next tier when the previous one is complete."""
    for tier in TIERS:
        while True:
            work.run(KEY, tiers=[tier], patience=TIMEOUT_SECONDS)
            tally = work.recompute_state(KEY).tallies.get(tier)
            if tally is not None and tally.complete:
                break


CONTENDERS: dict[str, Callable[[HistoryWork], None]] = {
    OURS: load_by_signals,
    BARRIER: load_tier_by_tier,
    SEQUENTIAL: load_tier_by_tier,
}


def median_of(samples: Sequence[Row]) -> Row:
    row = dict(samples[0])
    for name in ("seconds", "documents_per_second", "players_after", "calls"):
        row[name] = p50([sample[name] for sample in samples])
    return row


def ratio(rows: Sequence[Row], situation: str, baseline: str) -> Row:
    ours, theirs = (
        next(r for r in rows if r["situation"] == situation and r["contender"] == name)
        for name in (OURS, baseline)
    )
    shares = {name: ours[name] / theirs[name] for name in ("seconds", "players_after", "calls")}
    return {"situation": situation, "baseline": baseline, **shares}


def judge(
    rows: Sequence[Row],
    ratios: Sequence[Row],
    killed: Row,
    tables: dict[str, dict[str, bytes]],
) -> dict[str, bool]:
    first = next(iter(tables.values()))
    faulty = next(r for r in ratios if (r["situation"], r["baseline"]) == (FAULTY, BARRIER))
    return {
        "all contenders end with the same tables, byte for byte": all(
            one == first for one in tables.values()
        ),
        f"after {KILLS} kills the tables are the same": killed["identical"] == "yes",
        "every tier was interrupted by a kill": killed["tiers"] == len(TIERS)
        and killed["progress"][-1] < killed["documents"],
        "no contender makes more API calls than another": len(
            {(r["situation"], r["calls"]) for r in rows}
        )
        == 2,
        f"signals save time when documents fail (÷ {faulty['seconds']:.2f})": faulty["seconds"]
        < 0.7,
    }


if __name__ == "__main__":
    sys.exit(main())
