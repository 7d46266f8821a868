"""How often the match clock is read correctly, wrongly or not at all, and what reading it costs.

Renders videos with scorebugs of many designs as 360p H.264 and decodes them again; others have no
clock, a decoy, or are mirrored. All results but the times are the same for the same seed.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean

import cv2
import numpy as np

from benchmarks.figures import (
    Row,
    add_output_options,
    log_progress,
    machine,
    publish,
    table,
    verdict_list,
)
from benchmarks.meters import p95
from footy_assets.media import scan
from footy_assets.media.clock import CLOCK_STILLS, ClockReading, read_clock
from footy_assets.media.ocr import text_reader
from footy_assets.sim.scorebug_films import ScorebugFilm, films_without_clock, varied_films

MAX_WRONG, MIN_RIGHT, MAX_CPU_SECONDS = 0.005, 0.97, 1.5

COLUMNS = {
    "what": "scorebugs",
    "films": "films",
    "right": "right",
    "wrong": "wrong",
    "unread": "unread",
    "right_percent": "right %",
    "cpu_s": "CPU s per clip",
}
COST_COLUMNS = {
    "what": "films",
    "films": "number",
    "cpu_s": "CPU s per clip, mean",
    "cpu_p95_s": "p95",
    "cpu_most_s": "max",
}


@dataclass(frozen=True)
class Outcome:
    film: ScorebugFilm
    reading: ClockReading
    cpu: float

    @property
    def verdict(self) -> str:
        """A film without a clock is read right if nothing is read."""
        read, expected = set(self.reading.minutes), self.film.minutes
        if not read:
            return "unread" if expected else "right"
        return "right" if read <= expected else "wrong"


def main() -> int:
    arguments = parse_arguments()
    machine_note = machine()
    loading = load()
    with tempfile.TemporaryDirectory(prefix="footy-bench-") as folder:
        clocks = read_films(
            varied_films(arguments.films, arguments.seed), Path(folder), arguments.jobs
        )
        without = films_without_clock(arguments.others, arguments.seed + 1)
        others = read_films(without, Path(folder), arguments.jobs)
    result = figures(clocks, others) | {
        "machine": machine_note,
        "seed": arguments.seed,
        "load_s": loading,
    }
    verdicts = evaluate(clocks, others)
    result["verdicts"] = verdicts
    tables = [
        f"{machine_note} Seed {arguments.seed}; films of 30 s, 640×360, "
        f"{len(CLOCK_STILLS)} stills each, "
        f"one thread; loading the models, once per process: {loading:.1f} CPU s.",
        table(result["formats"], COLUMNS),
        table(result["sizes"], COLUMNS),
        table(result["others"], COLUMNS),
        table(result["costs"], COST_COLUMNS),
        verdict_list(verdicts),
    ]
    publish("media_clock", result, tables, arguments)
    return 0 if all(verdicts.values()) else 1


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.media_clock", description=__doc__)
    parser.add_argument("--films", type=int, default=208, help="films with a match clock")
    parser.add_argument("--others", type=int, default=57, help="films without one")
    parser.add_argument("--seed", type=int, default=32)
    parser.add_argument("--jobs", type=int, default=1, help="films read at the same time")
    add_output_options(parser)
    return parser.parse_args()


def load() -> float:
    """CPU seconds until the models are ready."""
    cv2.setNumThreads(1)
    before = time.process_time()
    blank = np.zeros((96, 192, 3), np.uint8)
    text_reader().detect(blank)
    text_reader().recognize([blank])
    return time.process_time() - before


def read_films(films: Sequence[ScorebugFilm], folder: Path, jobs: int) -> list[Outcome]:
    """Each process has its own models and its own CPU meter."""
    found = []
    tasks = ((film, folder) for film in films)
    with get_context("spawn").Pool(jobs, initializer=load) as pool:
        for number, outcome in enumerate(pool.imap(read_film, tasks), 1):
            found.append(outcome)
            if outcome.verdict != "right":
                log_progress(f"{outcome.verdict}: {outcome.film.kind}: {outcome.reading}")
            if number % 20 == 0:
                log_progress(f"film {number} of {len(films)}: {count(found, 'right')} right")
    return found


def read_film(task: tuple[ScorebugFilm, Path]) -> Outcome:
    film, folder = task
    path = film.write(folder / f"{os.getpid()}.mp4", fps=1)
    stills = scan(path, stills_at=CLOCK_STILLS).stills
    before = time.process_time()
    reading = read_clock(stills)
    return Outcome(film, reading, time.process_time() - before)


def figures(clocks: Sequence[Outcome], others: Sequence[Outcome]) -> Row:
    return {
        "formats": [*group_by(clocks, "kind"), row("all", clocks)],
        "sizes": group_by(clocks, "size"),
        "others": [*group_by(others, "kind"), row("all", others)],
        "costs": [cost("with a clock", clocks), cost("without", others)],
    }


def group_by(found: Sequence[Outcome], name: str) -> list[Row]:
    values = dict.fromkeys(getattr(outcome.film, name) for outcome in found)
    return [row(v, [o for o in found if getattr(o.film, name) == v]) for v in values]


def row(what: str, found: Sequence[Outcome]) -> Row:
    right, wrong, unread = (count(found, name) for name in ("right", "wrong", "unread"))
    return {
        "what": what,
        "films": len(found),
        "right": right,
        "wrong": wrong,
        "unread": unread,
        "right_percent": 100 * right / len(found),
        "cpu_s": fmean(outcome.cpu for outcome in found),
    }


def cost(what: str, found: Sequence[Outcome]) -> Row:
    cpu = [outcome.cpu for outcome in found]
    return {
        "what": what,
        "films": len(found),
        "cpu_s": fmean(cpu),
        "cpu_p95_s": p95(cpu),
        "cpu_most_s": max(cpu),
    }


def count(found: Iterable[Outcome], verdict: str) -> int:
    return sum(outcome.verdict == verdict for outcome in found)


def evaluate(clocks: Sequence[Outcome], others: Sequence[Outcome]) -> dict[str, bool]:
    right = count(clocks, "right") / len(clocks)
    wrong = count(clocks, "wrong") / len(clocks)
    misread = count(others, "wrong")
    mean = fmean(outcome.cpu for outcome in (*clocks, *others))
    return {
        f"right minute in {right:.1%} of {len(clocks)}, at least {MIN_RIGHT:.0%}": (
            right >= MIN_RIGHT
        ),
        f"wrong minute in {wrong:.1%}, below {MAX_WRONG:.1%}": wrong < MAX_WRONG,
        f"a clock is read in {misread} of {len(others)} films without one": misread == 0,
        f"{mean:.2f} CPU s per clip on average, below {MAX_CPU_SECONDS}": mean < MAX_CPU_SECONDS,
    }


if __name__ == "__main__":
    sys.exit(main())
