"""L2: what happens to goals when the lead fails, with API-Football leading and with ESPN leading.

Both are simulated, on loopback, with a manual clock: the seconds are those of the match. The
collector runs and the leads are evaluated every 15 s, the poll every 30 s; a fault begins right
after a poll, so that the time until the take-over is the longest possible.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks.figures import (
    Row,
    add_output_options,
    log_progress,
    machine,
    publish,
    table,
    verdict_list,
)
from footy_assets.logs import configure_logs
from footy_assets_tests.providers.take_over_faults import FAULTS, FaultOutcome, measure_fault
from footy_assets_tests.providers.take_over_rig import LEADS, take_over_rig
from resources.embedded.mongod import embedded_mongo
from resources.mongo.connection import connect

# 120 s, two evaluations of 15 s and a poll of 30 s; a frozen clock is noticed after another 120 s.
MOST_SECONDS = 120 + 2 * 15 + 30
MOST_IF_FROZEN = MOST_SECONDS + 120
COLUMNS = {
    "fault": "the lead …",
    "lead": "lead",
    "take_over": "s until take-over",
    "hand_back": "s until handed back",
    "goals": "goals",
    "meanwhile": "of them before half-time, from the fault on",
    "lost": "lost",
    "doubled": "doubled",
    "vanished": "stable ones that vanished",
    "renamed": "renamed (E5)",
    "wrong_scorers": "wrong scorers at the end",
    "ended": "match ended",
}


def main() -> int:
    arguments = parse_arguments()
    configure_logs("error")
    machine_note = machine()
    rows = []
    with tempfile.TemporaryDirectory() as folder, embedded_mongo(Path(folder) / "mongo") as server:
        for number, name in enumerate(FAULTS):
            for lead in LEADS if arguments.only in name else ():
                log_progress(f"{name}: {lead}")
                with (
                    connect(server.uri, f"take_over_{number}_{lead}") as database,
                    take_over_rig(database, lead) as rig,
                ):
                    rows.append(row(name, lead, measure_fault(rig, FAULTS[name])))
    verdicts = judge(rows)
    result = {"machine": machine_note, "faults": rows, "verdicts": verdicts}
    tables = [machine_note, table(rows, COLUMNS), verdict_list(verdicts)]
    publish("take_over", result, tables, arguments)
    return 0 if all(verdicts.values()) else 1


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.take_over", description=__doc__)
    parser.add_argument("--only", default="", help="only faults whose name contains this text")
    add_output_options(parser)
    return parser.parse_args()


def row(name: str, lead: str, found: FaultOutcome) -> Row:
    return {
        "fault": name,
        "lead": lead,
        "take_over_seconds": found.times.take_over,
        "take_over": _seconds(found.times.take_over),
        "hand_back": _seconds(found.times.hand_back),
        "goals": found.goals,
        "meanwhile": found.goals_meanwhile,
        "lost": found.lost,
        "doubled": found.doubled,
        "vanished": found.vanished,
        "renamed": found.renamed,
        "wrong_scorers": found.wrong_scorers,
        "unstable": found.unstable,
        "polls_with_cancelled": found.polls_with_cancelled,
        "ended": "yes" if found.ended else "no",
    }


def judge(rows: list[Row]) -> dict[str, bool]:
    taken = [one for one in rows if FAULTS[one["fault"]].takes_over]
    return {
        f"the other leads within {MOST_SECONDS} s, {MOST_IF_FROZEN} s if the clock is frozen": all(
            one["take_over_seconds"] is not None
            and one["take_over_seconds"]
            <= (MOST_IF_FROZEN if "freezes" in one["fault"] else MOST_SECONDS)
            for one in taken
        ),
        "no goal is lost": not any(one["lost"] for one in rows),
        "no goal is doubled, in any poll": not any(one["doubled"] for one in rows),
        "no stable goal vanishes, in any poll": not any(one["vanished"] for one in rows),
        "every goal is stable at the end, with its scorer": not any(
            one["unstable"] or one["wrong_scorers"] for one in rows
        ),
        "no goal that VAR cancelled is back, or left for more than two minutes": not any(
            one["polls_with_cancelled"] for one in rows
        ),
        "every match ends": all(one["ended"] == "yes" for one in rows),
    }


def _seconds(value: float | None) -> str:
    return "–" if value is None else f"{value:.0f}"


if __name__ == "__main__":
    sys.exit(main())
