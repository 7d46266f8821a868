"""The accuracy of frame assessment on clips left out of training, and its cost.

usage: python -m benchmarks.media_validation VARIANTS_DIR SEGMENTS_CSV --pictures DIR [--work DIR]

Weights and bounds for a clip are fitted without it and without its renderings. Takes the same
arguments as benchmarks.train_validation.
"""

import argparse
import sys
import time
from collections.abc import Sequence

import numpy as np

from benchmarks.figures import Row, add_output_options, machine, publish, table, verdict_list
from benchmarks.train_validation import all_films, parse_arguments
from benchmarks.validation_evidence import FilmEvidence
from benchmarks.validation_fit import (
    FOOTBALL,
    OFF_SCREEN,
    Floats,
    Frames,
    Question,
    calibration,
    film_scores,
    fit_model,
    frames_of,
    left_out_scores,
    threshold,
)
from footy_assets.media.decode import scan
from footy_assets.media.frame_assessment import FRAMES_AT, assess_frames

COLUMNS = {
    "question": "question",
    "films": "films",
    "yes": "positives",
    "recognised": "recall",
    "no": "negatives",
    "wrongly": "false positive rate",
}
STYLE_COLUMNS = {"style": "style excluded from training", "films": "films", "found": "recall"}
COST_CLIPS = 12


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    add_output_options(parser)
    parsed = parse_arguments(parser, arguments)
    machine_note = machine()
    films = all_films(parsed)
    rows: list[Row] = []
    wrong: dict[str, list[str]] = {}
    real: dict[str, Row] = {}
    for question in (FOOTBALL, OFF_SCREEN):
        frames = frames_of(question, films)
        out = left_out_scores(question, frames)
        gain, shift = calibration(out, frames)
        scores = film_scores(question, gain * out + shift, frames)
        answers = scores >= bounds(question, frames, scores)
        found = accuracy(question, films, answers)
        rows += found
        real[question.name] = next(row for row in found if row["films"] == "real")
        wrong[question.name] = wrong_clips(question, films, answers)
    styles = unseen_styles(films)
    cost = assessment_cost(films)
    verdicts = {
        "football recall ≥ 0.97": real["football"]["recognised"] >= 0.97,
        "non-football accepted ≤ 2 %": real["football"]["wrongly"] <= 0.02,
        "filmed off a screen found ≥ 0.9": real["off_screen"]["recognised"] >= 0.9,
        "false alarms ≤ 3 %": real["off_screen"]["wrongly"] <= 0.03,
        f"an assessment costs {cost:.2f} CPU-s, below 0.3": cost < 0.3,
    }
    wrong_by_question = [f"{name}: {', '.join(clips) or 'none'}." for name, clips in wrong.items()]
    result = {
        "machine": machine_note,
        "rows": rows,
        "wrong": wrong,
        "unseen_styles": styles,
        "cpu_seconds": cost,
        "verdicts": verdicts,
    }
    tables = [
        machine_note,
        table(rows, COLUMNS),
        table(styles, STYLE_COLUMNS),
        "Wrong about real clips, films by clip: " + " ".join(wrong_by_question),
        verdict_list(verdicts),
    ]
    publish("media_validation", result, tables, parsed)
    return 0 if all(verdicts.values()) else 1


def bounds(question: Question, frames: Frames, scores: Floats) -> Floats:
    """For each film the bound chosen without its clip."""
    clips = frames.clips[::3]
    chosen = np.zeros(len(scores))
    for clip in np.unique(clips):
        out = clips == clip
        known = np.where(out, np.nan, scores)
        chosen[out] = threshold(known, frames, question.max_false)
    return chosen


def accuracy(question: Question, films: Sequence[FilmEvidence], answers: np.ndarray) -> list[Row]:
    labels = np.array([question.label(one.film) for one in films])
    origins = np.array([one.film.origin for one in films])
    return [
        {
            "question": question.name,
            "films": str(origin),
            "yes": int((these & labels).sum()),
            "recognised": share(answers, these & labels),
            "no": int((these & ~labels).sum()),
            "wrongly": share(answers, these & ~labels),
        }
        for origin in np.unique(origins)
        for these in [origins == origin]
    ]


def share(answers: np.ndarray, these: np.ndarray) -> float | str:
    return float(answers[these].mean()) if these.any() else ""


def wrong_clips(
    question: Question, films: Sequence[FilmEvidence], answers: np.ndarray
) -> list[str]:
    wrong: dict[str, int] = {}
    for one, answer in zip(films, answers, strict=True):
        if one.film.origin == "real" and bool(answer) != question.label(one.film):
            wrong[one.film.clip] = wrong.get(one.film.clip, 0) + 1
    return [f"{clip} {count}" for clip, count in sorted(wrong.items())]


def unseen_styles(films: Sequence[FilmEvidence]) -> list[Row]:
    """How many films of each style are detected by weights fitted without it (the bound is 0)."""
    frames = frames_of(OFF_SCREEN, films)
    styles = np.repeat([one.film.style for one in films], 3)
    rows: list[Row] = []
    for style in np.unique(styles[frames.labels]):
        out = frames.labels & (styles == style)
        scores = film_scores(OFF_SCREEN, fit_model(OFF_SCREEN, frames, ~out).scores(frames), frames)
        rows.append(
            {
                "style": str(style),
                "films": int(out.sum()) // 3,
                "found": float((scores[out[::3]] > 0).mean()),
            }
        )
    return rows


def assessment_cost(films: Sequence[FilmEvidence]) -> float:
    """CPU seconds beyond decoding, the median of some clips, with the model loaded."""
    paths = [one.film.path for one in films if one.film.style == "base"][:COST_CLIPS]
    spent = []
    for path in [paths[0], *paths]:
        scanned = scan(path, stills_at=FRAMES_AT)
        begin = time.process_time()
        assess_frames(scanned)
        spent.append(time.process_time() - begin)
    return float(np.median(spent[1:]))


if __name__ == "__main__":
    sys.exit(main())
