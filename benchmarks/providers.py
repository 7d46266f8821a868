"""Several providers: behaviour under faults, freshness with 200 matches, and earlier goals.

Servers and MongoDB are real, on loopback, in real time; `faster` uses a manual clock.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict
from datetime import date, datetime, timedelta
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.figures import (
    Row,
    add_output_options,
    log_progress,
    machine,
    publish,
    table,
    verdict_list,
)
from benchmarks.provider_faults import FAULTS, WRONG_GOALS, measure_fault
from benchmarks.provider_rig import POLL_SECONDS, rig
from footy_assets.clock import ManualClock
from footy_assets.logs import configure_logs
from footy_assets.providers.health import freshest_age_by_match
from footy_assets.providers.rules.descriptors import API_FOOTBALL
from footy_assets.providers.rules.health import freshness
from footy_assets.providers.store.records import ProviderRecords
from footy_assets.sim import World, make_world
from footy_assets_tests.providers.harness import ProvidersHarness, providers_harness
from resources.embedded.mongod import embedded_mongo
from resources.mongo.connection import connect

TODAY, YESTERDAY = date(2025, 5, 10), date(2025, 5, 9)
LIVE_MATCHES, COMPLETED_MATCHES = 200, 100
WARM_UP_SECONDS = 60.0
MAX_P95_SECONDS = 35.0
HEAD_START = timedelta(seconds=40)
FASTER_MATCHES, FASTER_MINUTES = 30, 44

FAULT_COLUMNS = {
    "fault": "fault",
    "detected": "detected after",
    "everything": "all providers",
    "again": "healthy again after",
    "goals_during_fault": "goals during the fault",
    "wrong_seen": "wrong goals seen",
    "wrong_accepted": "wrong goals accepted",
    "lost": "goals lost",
}
FRESH_COLUMNS = {
    "age": "data age",
    "median": "median s",
    "p95": "p95 s",
    "max": "max s",
}


def main() -> int:
    arguments = parse_arguments()
    configure_logs("error")
    with tempfile.TemporaryDirectory() as folder, embedded_mongo(Path(folder) / "mongo") as server:
        verdicts = BENCHMARKS[arguments.what](server.uri, arguments)
    return 0 if all(verdicts.values()) else 1


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.providers", description=__doc__)
    parser.add_argument("what", choices=BENCHMARKS)
    parser.add_argument("--only", default="", help="only faults whose name contains this text")
    parser.add_argument(
        "--seconds", type=float, default=240.0, help="how long the ages are sampled"
    )
    add_output_options(parser)
    return parser.parse_args()


def publish_result(
    name: str, arguments: argparse.Namespace, result: Row, tables: list[str]
) -> dict[str, bool]:
    verdicts: dict[str, bool] = result["verdicts"]
    publish(name, result, [*tables, verdict_list(verdicts)], arguments)
    return verdicts


# -- faults ------------------------------------------------------------------------------------


def measure_all_faults(uri: str, arguments: argparse.Namespace) -> dict[str, bool]:
    machine_note = machine()
    chosen = [fault for fault in FAULTS if arguments.only in fault]
    found = measure_faults(chosen, uri)
    real = [row for row in found if not FAULTS[row["fault"]].control]
    controls = [row for row in found if FAULTS[row["fault"]].control]
    verdicts = {
        "every fault was measured to its end": len(found) == len(chosen),
        "goals were scored during every fault": all(row["goals_during_fault"] for row in found),
        "no wrong goal is accepted": all(row["wrong_accepted"] == 0 for row in real),
        "no wrong goal remains afterwards": all(row["wrong_remaining"] == 0 for row in real),
        "no goal is lost": all(row["lost"] == 0 for row in real),
        "every fault is detected, by a grade, the conflicts or the audit": all(
            row["detected"] for row in real
        ),
        "everything is healthy again within two minutes": all(
            row["healthy_again_after"] is not None for row in real
        ),
        f"without other providers the same {WRONG_GOALS} wrong goals are accepted": all(
            row["wrong_accepted"] == WRONG_GOALS for row in controls
        ),
    }
    result = {"machine": machine_note, "faults": found, "verdicts": verdicts}
    return publish_result(
        "sources_faults", arguments, result, [machine_note, table(found, FAULT_COLUMNS)]
    )


def measure_faults(chosen: list[str], uri: str) -> list[Row]:
    """Measures all faults in parallel, each in a process of its own."""
    spawn = get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        paths = {fault: Path(folder) / f"{n}.json" for n, fault in enumerate(chosen)}
        children = [
            spawn.Process(target=measure_fault, args=(fault, uri, str(path)))
            for fault, path in paths.items()
        ]
        for child in children:
            child.start()
        log_progress(f"{len(children)} faults in parallel, about seven minutes")
        for child in children:
            child.join()
        results = [json.loads(path.read_text()) for path in paths.values() if path.exists()]
    return [fault_row(row) for row in results]


def fault_row(row: Row) -> Row:
    grade, conflict, recovery = (
        row[name] for name in ("detected_after", "conflict_after", "recovery_after")
    )
    detected = ""
    if grade is not None:
        detected = f"{grade:.0f} s: {row['worst']}"
    elif conflict is not None:
        detected = f"{conflict:.0f} s: all {WRONG_GOALS} in the log of conflicts"
    elif recovery is not None:
        detected = f"{recovery:.0f} s: {row['recoveries'][-1]}"
    all_detected = row["all_detected_after"]
    everything = (
        "healthy" if all_detected is None else f"{all_detected:.0f} s: {row['worst_of_all']}"
    )
    again = row["healthy_again_after"]
    recovered = (
        "stayed healthy" if grade is None else f"{again:.0f} s" if again is not None else "no"
    )
    return {**row, "detected": detected, "everything": everything, "again": recovered}


# -- freshness ---------------------------------------------------------------------------------


def measure_freshness(uri: str, arguments: argparse.Namespace) -> dict[str, bool]:
    """Samples the data age of live matches each second: at the freshest provider, and at each."""
    machine_note = machine()
    scripts = [
        *make_world(matches=LIVE_MATCHES, day=TODAY).scripts,
        *make_world(matches=COMPLETED_MATCHES, day=YESTERDAY).scripts,
    ]
    world = World.from_scripts(scripts, TODAY)
    with rig(uri, "freshness", world, browser=True, minutes=20) as made:
        time.sleep(WARM_UP_SECONDS)
        records = ProviderRecords(made.store.database)
        ages: dict[str, list[float]] = {"of a match (freshest provider)": []}
        began = time.monotonic()
        while time.monotonic() - began < arguments.seconds:
            in_play, now = records.live(), made.clock.now()
            ages["of a match (freshest provider)"] += freshest_age_by_match(in_play, now).values()
            for record in in_play:
                ages.setdefault(f"at {record.domain}", []).append(record.age(now))
            time.sleep(1.0)
        live = len({record.match_id for record in records.live()})
        delayed, others, grade = made.live_requests_delayed, made.other_requests, str(made.grade())
    rows = [{"age": name, **asdict(freshness(some))} for name, some in ages.items()]
    verdicts = {
        f"{live} live matches, and {COMPLETED_MATCHES} completed ones": live == LIVE_MATCHES,
        f"p95 of every age below {MAX_P95_SECONDS:g} s": all(
            r["p95"] < MAX_P95_SECONDS for r in rows
        ),
        f"LIVE requests waited behind none of {others} requests for other matches": (
            delayed == 0 and others > 0
        ),
        f"the grade is {grade}": grade == "healthy",
    }
    result = {"machine": machine_note, "ages": rows, "verdicts": verdicts}
    seconds = f"{machine_note} Sampled every second for {arguments.seconds:g} s."
    return publish_result(
        "sources_freshness", arguments, result, [seconds, table(rows, FRESH_COLUMNS)]
    )


# -- a faster provider -------------------------------------------------------------------------


def measure_head_start(uri: str, arguments: argparse.Namespace) -> dict[str, bool]:
    """The same matches twice: with the main provider alone, then with one that is 40 s ahead."""
    machine_note = machine()
    only_lead = first_seen_times(uri, {API_FOOTBALL: 100})
    both = first_seen_times(uri, {API_FOOTBALL: 100, "second": 80})
    common = [key for key in only_lead if key in both]
    gains = [(only_lead[key] - both[key]).total_seconds() for key in common]
    row = {
        "goals": len(gains),
        "mean": fmean(gains),
        "least": min(gains),
        "most": max(gains),
    }
    verdicts = {
        "both runs see the same goals": only_lead.keys() == both.keys() and len(common) >= 20,
        "each goal is one to two polls earlier": (
            min(gains) >= POLL_SECONDS and max(gains) <= 2 * POLL_SECONDS
        ),
        f"on average {row['mean']:.0f} s earlier, of 40 s": abs(row["mean"] - 40) <= 10,
    }
    columns = {
        "goals": "goals",
        "mean": "s earlier, mean",
        "least": "min",
        "most": "max",
    }
    result = {"machine": machine_note, "gains": row, "verdicts": verdicts}
    return publish_result(
        "sources_faster", arguments, result, [machine_note, table([row], columns)]
    )


def first_seen_times(uri: str, precedence: dict[str, int]) -> dict[Any, datetime]:
    """When each goal was first stored, by match, team and minute."""
    world = make_world(matches=FASTER_MATCHES)
    clock = ManualClock(world.starts_at)
    with (
        connect(uri, "bench_faster") as database,
        providers_harness(database, world, clock, precedence) as made,
    ):
        made.ingest()
        clock.at = max(script.kickoff for script in world.scripts) + timedelta(minutes=1)
        made.second.football_data.lens.offset = HEAD_START
        began = clock.at
        for _ in range(FASTER_MINUTES * 2):
            made.poll(POLL_SECONDS)
        found = first_sightings(made, began + 2 * HEAD_START, clock.now() - 2 * HEAD_START)
        database.client.drop_database(database.name)
    return found


def first_sightings(
    made: ProvidersHarness, since: datetime, until: datetime
) -> dict[Any, datetime]:
    """Leaves out goals from before `since`, and late ones that only one of the two runs can see."""
    scored = {
        (script.fixture_id, event["team"]["id"], event["time"]["elapsed"])
        for script in made.main.world.scripts
        for event in made.main.world.fixture_at(script.fixture_id, until)["events"]
    }
    already_listed = {
        (script.fixture_id, event["team"]["id"], event["time"]["elapsed"])
        for script in made.main.world.scripts
        for event in made.main.world.fixture_at(script.fixture_id, since)["events"]
    }
    return {
        key: goal.first_seen_at
        for goal in made.live_goals()
        if goal.first_seen_at is not None
        and (key := (goal.fixture_id, goal.team_id, goal.minute.elapsed)) in scored - already_listed
    }


BENCHMARKS: dict[str, Callable[[str, argparse.Namespace], dict[str, bool]]] = {
    "faults": measure_all_faults,
    "freshness": measure_freshness,
    "faster": measure_head_start,
}

if __name__ == "__main__":
    sys.exit(main())
