"""How much of a scorebug is read correctly, wrongly or not at all, and what it costs.

usage: python -m benchmarks.scorebug [--films N] [--seed N] [--fonts DIR...] [--clips DIR]

Draws scorebugs in 45 designs with the fonts of a folder, encodes them as H.264 and reads them
again. DIR with `labels.tsv` adds a table of real clips, one by one.
"""

import argparse
import csv
import os
import re
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean

import cv2

from benchmarks.figures import (
    Row,
    add_output_options,
    log_progress,
    machine,
    publish,
    table,
    verdict_list,
)
from benchmarks.media_clock import load
from benchmarks.scorebug_films import DrawnFilm, drawn_films, find_fonts
from footy_assets.media import scan
from footy_assets.media.clock import ClockReading, read_clock
from footy_assets.media.examine import STILLS_AT
from footy_assets.media.scorebug_layout import clean_name
from footy_assets.media.scorebug_reading import ScorebugReading
from footy_assets.media.screen_text import read_screen_text

FONTS = Path("/usr/share/fonts")
MIN_ALL_RIGHT, MAX_WRONG = 0.95, 0.005

COLUMNS = {
    "what": "scorebugs",
    "films": "films",
    "all_right": "all right",
    "names": "names right",
    "score": "score right",
    "clock": "clock right",
    "wrong": "a field wrong",
    "clock_cpu": "CPU s, clock alone",
    "cpu": "CPU s, all",
}
CLIP_COLUMNS = {
    "clip": "clip",
    "truth": "shows",
    "clock": "clock",
    "read": "read",
    "verdict": "verdict",
    "cpu": "CPU s",
}


@dataclass(frozen=True)
class Outcome:
    film: DrawnFilm
    clock: ClockReading
    bug: ScorebugReading
    clock_cpu: float
    cpu: float

    @property
    def fields(self) -> dict[str, bool | None]:
        """Each field: right, wrong, or None if it is not told."""
        bug, film = self.bug, self.film
        names = [name.replace(" ", "") for name in self.bug.names]
        truth = [clean_name(name).replace(" ", "") for name in film.bug.names]
        scores = [score.pair for score in bug.scores]
        return {
            "names": names == truth if names else None,
            "score": set(scores) <= film.bug.scores if scores else None,
            "clock": set(self.clock.minutes) <= film.minutes if self.clock.minutes else None,
        }


def main() -> int:
    arguments = parse_arguments()
    tables, result = [machine()], {}
    verdicts: dict[str, bool] = {}
    if arguments.films:
        found = read_films(arguments)
        rows = [row("all", found), *by_layout(found)]
        result["films"] = rows
        tables += [f"Seed {arguments.seed}.", table(rows, COLUMNS)]
        verdicts |= evaluate(found)
    if arguments.clips:
        rows = [clip_row(entry, arguments.clips) for entry in labels(arguments.clips)]
        result["clips"] = rows
        tables.append(table(rows, CLIP_COLUMNS))
        wrong = sum(one["verdict"] == "wrong" for one in rows)
        verdicts[f"a field wrong in {wrong} of {len(rows)} real clips"] = wrong == 0
    result["verdicts"] = verdicts
    tables.append(verdict_list(verdicts))
    publish("scorebug", result, tables, arguments)
    return 0 if all(verdicts.values()) else 1


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scorebug", description=__doc__)
    parser.add_argument("--films", type=int, default=180)
    parser.add_argument("--seed", type=int, default=41)
    parser.add_argument("--fonts", type=Path, nargs="+", default=[FONTS])
    parser.add_argument("--clips", type=Path, help="a folder of clips with labels.tsv")
    parser.add_argument("--jobs", type=int, default=1)
    add_output_options(parser)
    return parser.parse_args()


def read_films(arguments: argparse.Namespace) -> list[Outcome]:
    films = drawn_films(arguments.films, arguments.seed, find_fonts(arguments.fonts))
    found = []
    with (
        tempfile.TemporaryDirectory(prefix="footy-bench-") as folder,
        get_context("spawn").Pool(arguments.jobs, initializer=load) as pool,
    ):
        tasks = ((film, Path(folder)) for film in films)
        for number, outcome in enumerate(pool.imap(read_film, tasks), 1):
            found.append(outcome)
            if not all(outcome.fields.values()):
                bug = outcome.film.bug
                log_progress(
                    f"{outcome.fields} {bug.layout} {bug.look} {bug.font.name} {outcome.film.size} "
                    f"{bug.names} {bug.before} {bug.after}: {outcome.bug.text()} "
                    f"{outcome.bug.reason} {[cell.text for cell in outcome.bug.cells]} "
                    f"{outcome.clock.reason}"
                )
            if number % 20 == 0:
                log_progress(f"film {number} of {len(films)}")
    return found


def read_film(task: tuple[DrawnFilm, Path]) -> Outcome:
    film, folder = task
    path = film.write(folder / f"{os.getpid()}.mp4")
    stills = scan(path, stills_at=STILLS_AT).stills
    start = time.process_time()
    read_clock(stills)
    middle = time.process_time()
    shown = read_screen_text(stills)
    return Outcome(film, shown.clock, shown.scorebug, middle - start, time.process_time() - middle)


def by_layout(found: Sequence[Outcome]) -> list[Row]:
    layouts = dict.fromkeys(outcome.film.bug.layout for outcome in found)
    return [row(one, [o for o in found if o.film.bug.layout == one]) for one in layouts]


def row(what: str, found: Sequence[Outcome]) -> Row:
    fields = [outcome.fields for outcome in found]
    return {
        "what": what,
        "films": len(found),
        "all_right": sum(all(one.values()) for one in fields),
        **{name: sum(one[name] is True for one in fields) for name in ("names", "score", "clock")},
        "wrong": sum(False in one.values() for one in fields),
        "clock_cpu": fmean(outcome.clock_cpu for outcome in found),
        "cpu": fmean(outcome.cpu for outcome in found),
    }


def evaluate(found: Sequence[Outcome]) -> dict[str, bool]:
    every = row("", found)
    right, wrong = every["all_right"] / len(found), every["wrong"] / len(found)
    return {
        f"teams, score and clock right in {right:.1%}, at least {MIN_ALL_RIGHT:.0%}": (
            right >= MIN_ALL_RIGHT
        ),
        f"any field wrong in {wrong:.1%}, below {MAX_WRONG:.1%}": wrong < MAX_WRONG,
    }


def labels(folder: Path) -> list[dict[str, str]]:
    """The clips with a scorebug: the label is what it shows at some seconds."""
    with (folder / "labels.tsv").open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return [one for one in rows if one["kind"].startswith(("B:", "D:"))]


def clip_row(entry: dict[str, str], folder: Path) -> Row:
    cv2.setNumThreads(1)
    stills = scan(folder / entry["file"], stills_at=STILLS_AT).stills
    start = time.process_time()
    shown = read_screen_text(stills)
    cpu = time.process_time() - start
    truth = entry["ground_truth"].split(";")[0] if entry["kind"].startswith("B:") else "no scorebug"
    return {
        "clip": entry["file"],
        "truth": truth,
        "clock": ", ".join(map(str, shown.clock.minutes)) or "-",
        "read": shown.scorebug.text() or "-",
        "verdict": clip_verdict(truth, shown.clock, shown.scorebug),
        "cpu": cpu,
    }


def clip_verdict(truth: str, clock: ClockReading, bug: ScorebugReading) -> str:
    """A field is wrong if its text is not in the label."""
    letters = re.sub(r"[^A-ZÀ-Ý]", "", truth.upper())
    scores = set(re.findall(r"(\d+)\s*(?:-|vs|\s)\s*(\d+)", re.sub(r"\d+:\d+", "", truth)))
    minutes = {int(minute) for minute in re.findall(r"(\d+):\d\d", truth)}
    names_wrong = any(re.sub(r"[^A-ZÀ-Ý]", "", name) not in letters for name in bug.names)
    score_wrong = any(tuple(map(str, score.pair)) not in scores for score in bug.scores)
    if names_wrong or score_wrong or not set(clock.minutes) <= minutes:
        return "wrong"
    told = bool(bug.names), bool(bug.scores), bool(clock.minutes) or not minutes
    if "no scorebug" in truth:
        return "right" if not (bug.names or bug.scores or clock.minutes) else "wrong"
    return "right" if all(told) else "partly" if any(told[:2]) or clock.minutes else "unread"


if __name__ == "__main__":
    sys.exit(main())
