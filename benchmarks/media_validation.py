"""How often validation is right about clips it has never seen, and what a look costs.

usage: python -m benchmarks.media_validation VARIANTS_DIR SEGMENTS_CSV --pictures DIR [--work DIR]

Every clip is judged by weights and a bound that were fitted without it, and without anything
rendered of it. The same arguments as benchmarks.train_validation.
"""

import argparse
import sys
import time
from collections.abc import Sequence

import numpy as np

from benchmarks.figures import Row, add_output_options, machine, publish, table, verdict_list
from benchmarks.train_validation import (
    FOOTBALL,
    OFF_SCREEN,
    Floats,
    Frames,
    Question,
    all_films,
    calibration,
    film_scores,
    fitted,
    frames_of,
    left_out_scores,
    parse_arguments,
    threshold,
)
from benchmarks.validation_evidence import Measured
from footy_assets.media.decode import scan
from footy_assets.media.looks import FRAMES_AT, look

COLUMNS = {
    "question": "question",
    "films": "films",
    "yes": "of them yes",
    "recognised": "recognised",
    "no": "of them no",
    "wrongly": "wrongly called yes",
}
STYLE_COLUMNS = {"style": "filmed in a style never seen", "films": "films", "found": "found"}
COST_CLIPS = 12


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    add_output_options(parser)
    asked = parse_arguments(parser, arguments)
    where = machine()
    films = all_films(asked)
    rows: list[Row] = []
    missed: dict[str, list[str]] = {}
    real: dict[str, Row] = {}
    for question in (FOOTBALL, OFF_SCREEN):
        frames = frames_of(question, films)
        out = left_out_scores(question, frames)
        gain, shift = calibration(out, frames)
        scores = film_scores(question, gain * out + shift, frames)
        says = scores >= bounds(question, frames, scores)
        found = accuracy(question, films, says)
        rows += found
        real[question.name] = next(row for row in found if row["films"] == "real")
        missed[question.name] = wrong_clips(question, films, says)
    styles = unseen_styles(films)
    cost = cost_of_a_look(films)
    verdicts = {
        "football recall ≥ 0.97": real["football"]["recognised"] >= 0.97,
        "non-football accepted ≤ 2 %": real["football"]["wrongly"] <= 0.02,
        "filmed off a screen found ≥ 0.9": real["off_screen"]["recognised"] >= 0.9,
        "false alarms ≤ 3 %": real["off_screen"]["wrongly"] <= 0.03,
        f"a look costs {cost:.2f} CPU-s, below 0.3": cost < 0.3,
    }
    told = [f"{name}: {', '.join(clips) or 'none'}." for name, clips in missed.items()]
    result = {
        "machine": where,
        "rows": rows,
        "wrong": missed,
        "unseen_styles": styles,
        "cpu_seconds": cost,
        "verdicts": verdicts,
    }
    tables = [
        where,
        table(rows, COLUMNS),
        table(styles, STYLE_COLUMNS),
        "Wrong about real clips, films by clip: " + " ".join(told),
        verdict_list(verdicts),
    ]
    publish("media_validation", result, tables, asked)
    return 0 if all(verdicts.values()) else 1


def bounds(question: Question, frames: Frames, scores: Floats) -> Floats:
    """For each film a bound that was chosen without its clip."""
    clips = frames.clips[::3]
    chosen = np.zeros(len(scores))
    for clip in np.unique(clips):
        out = clips == clip
        known = np.where(out, np.nan, scores)
        chosen[out] = threshold(known, frames, question.most_false)
    return chosen


def accuracy(question: Question, films: Sequence[Measured], says: np.ndarray) -> list[Row]:
    labels = np.array([question.label(one.film) for one in films])
    origins = np.array([one.film.origin for one in films])
    return [
        {
            "question": question.name,
            "films": str(origin),
            "yes": int((these & labels).sum()),
            "recognised": share(says, these & labels),
            "no": int((these & ~labels).sum()),
            "wrongly": share(says, these & ~labels),
        }
        for origin in np.unique(origins)
        for these in [origins == origin]
    ]


def share(says: np.ndarray, these: np.ndarray) -> float | str:
    return float(says[these].mean()) if these.any() else ""


def wrong_clips(question: Question, films: Sequence[Measured], says: np.ndarray) -> list[str]:
    wrong: dict[str, int] = {}
    for one, said in zip(films, says, strict=True):
        if one.film.origin == "real" and bool(said) != question.label(one.film):
            wrong[one.film.clip] = wrong.get(one.film.clip, 0) + 1
    return [f"{clip} {count}" for clip, count in sorted(wrong.items())]


def unseen_styles(films: Sequence[Measured]) -> list[Row]:
    """Each way of filming a screen, found by weights that never saw this way (0 is the bound)."""
    frames = frames_of(OFF_SCREEN, films)
    styles = np.repeat([one.film.style for one in films], 3)
    rows: list[Row] = []
    for style in np.unique(styles[frames.labels]):
        out = frames.labels & (styles == style)
        scores = film_scores(OFF_SCREEN, fitted(OFF_SCREEN, frames, ~out).scores(frames), frames)
        rows.append(
            {
                "style": str(style),
                "films": int(out.sum()) // 3,
                "found": float((scores[out[::3]] > 0).mean()),
            }
        )
    return rows


def cost_of_a_look(films: Sequence[Measured]) -> float:
    """CPU seconds beyond decoding, the median over some clips; the model is loaded before."""
    paths = [one.film.path for one in films if one.film.style == "base"][:COST_CLIPS]
    spent = []
    for path in [paths[0], *paths]:
        scanned = scan(path, stills_at=FRAMES_AT)
        begin = time.process_time()
        look(scanned)
        spent.append(time.process_time() - begin)
    return float(np.median(spent[1:]))


if __name__ == "__main__":
    sys.exit(main())
