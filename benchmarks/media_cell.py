"""What a decoding cell costs, against decoding the same file in this process.

    python -m benchmarks.media_cell [--video FILE] [--rounds N] [--into docs/benchmarks.md]

CPU time of all processes, in turns, so that other work on the machine meets both alike. Starting a
worker is a row of its own: one reads any number of files, and starts while videos are downloaded.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from statistics import median

import psutil

from benchmarks.figures import Row, add_output_options, machine, publish, table, verdict_list
from benchmarks.media_samples import render_video
from footy_assets.media import scan
from footy_assets.media.cell import DecodingCell
from footy_assets.media.examine import STILLS_AT

ROUNDS = 3
# Fans post clips of ten seconds to a minute.
SECONDS = 20
# CPU time of other processes is counted in ticks of 10 ms: several files a round.
FILES_PER_ROUND = 4
ALLOWED = 0.05
START, HERE, CELL = "starting a worker, once", "scan in this process", "scan in a cell"
COLUMNS = {"what": "CPU of all processes", "cpu_ms": "ms", "to_here": "÷ in this process"}


def workers_cpu() -> float:
    """CPU time of the workers of this process, and of their copies that have ended."""
    total = 0.0
    for child in psutil.Process().children():
        with suppress(psutil.Error):
            times = child.cpu_times()
            total += times.user + times.system + times.children_user + times.children_system
    return total


def cpu_ms(work: Callable[[], object], times: int) -> float:
    before = time.process_time() + workers_cpu()
    for _ in range(times):
        work()
    return 1000 * (time.process_time() + workers_cpu() - before) / times


def measure(video: Path, rounds: int) -> list[Row]:
    with DecodingCell() as cell:
        used: dict[str, list[float]] = {START: [cpu_ms(cell.protections, 1)], HERE: [], CELL: []}

        def here() -> None:
            scan(video, STILLS_AT)

        def confined() -> None:
            cell.scan(video, STILLS_AT)

        confined()
        for _ in range(rounds):
            used[HERE].append(cpu_ms(here, FILES_PER_ROUND))
            used[CELL].append(cpu_ms(confined, FILES_PER_ROUND))
    cost = {name: median(values) for name, values in used.items()}
    return [
        {"what": name, "cpu_ms": round(value), "to_here": round(value / cost[HERE], 3)}
        for name, value in cost.items()
    ]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.media_cell", description=__doc__)
    parser.add_argument("--video", type=Path, help="a file to read; without it one is rendered")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    add_output_options(parser)
    arguments = parser.parse_args()
    note = machine()
    with tempfile.TemporaryDirectory() as folder:
        video = arguments.video or render_video(Path(folder) / "goal.mp4", SECONDS)
        rows = measure(video, arguments.rounds)
    ratio = next(row["to_here"] for row in rows if row["what"] == CELL)
    verdicts = {f"a cell costs less than {ALLOWED:.0%} of decoding": ratio < 1 + ALLOWED}
    result = {"machine": note, "rounds": arguments.rounds, "rows": rows, "verdicts": verdicts}
    method = f"Medians of {arguments.rounds} rounds of {FILES_PER_ROUND} files."
    tables = [f"{note} {method}", table(rows, COLUMNS), verdict_list(verdicts)]
    publish("media_cell", result, tables, arguments)
    return 0 if all(verdicts.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
