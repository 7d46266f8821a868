"""Fits the weights of the two models: football or not, and filmed off a screen or not.

usage: python -m benchmarks.train_validation VARIANTS_DIR SEGMENTS_CSV --pictures DIR [--work DIR]

VARIANTS_DIR is the output of media-eval/make_variants.py, SEGMENTS_CSV the labels that come with
it. DIR holds folders of photographs and videos without football; docs/benchmarks.md lists the ones
used. Writes footy_assets/media/assessment_weights.json, whose accuracy benchmarks.media_validation
measures.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from benchmarks.figures import log_progress
from benchmarks.validation_evidence import FilmEvidence, film_evidence
from benchmarks.validation_films import real_films, rendered_films
from benchmarks.validation_fit import (
    FOOTBALL,
    OFF_SCREEN,
    FittedModel,
    Frames,
    Question,
    calibration,
    film_scores,
    fit_model,
    frames_of,
    left_out_scores,
    probability,
    threshold,
)
from footy_assets.media import assessment_models
from footy_assets.media.assessment_models import WEIGHTS_FILE

WEIGHTS = Path(assessment_models.__file__).with_name(WEIGHTS_FILE)


def main(arguments: Sequence[str] | None = None) -> None:
    parsed = parse_arguments(argparse.ArgumentParser(description=__doc__), arguments)
    films = all_films(parsed)
    weights: dict[str, Any] = {}
    for question in (FOOTBALL, OFF_SCREEN):
        frames = frames_of(question, films)
        log_progress(f"{question.name}: every clip left out in turn")
        out = left_out_scores(question, frames)
        gain, shift = calibration(out, frames)
        model = fit_model(question, frames, np.ones(len(frames.labels), bool))
        model = replace(
            model,
            weights=gain * model.weights,
            projected=gain * model.projected,
            bias=gain * model.bias + shift,
        )
        scores = film_scores(question, gain * out + shift, frames)
        bound = threshold(scores, frames, question.max_false)
        weights[question.name] = weights_json(question, frames, model, probability(bound))
    WEIGHTS.write_text(json.dumps(weights, indent=1) + "\n")
    log_progress(f"{WEIGHTS} has {WEIGHTS.stat().st_size:,} bytes")


def parse_arguments(
    parser: argparse.ArgumentParser, arguments: Sequence[str] | None
) -> argparse.Namespace:
    parser.add_argument("variants", type=Path, metavar="VARIANTS_DIR")
    parser.add_argument("segments", type=Path, metavar="SEGMENTS_CSV")
    parser.add_argument("--pictures", type=Path, required=True, help="photographs, no football")
    parser.add_argument(
        "--work", type=Path, default=Path(".validation"), help="cache for films and evidence"
    )
    return parser.parse_args(arguments)


def all_films(parsed: argparse.Namespace) -> list[FilmEvidence]:
    cv2.setNumThreads(1)
    films = real_films(parsed.variants, parsed.segments)
    films += rendered_films(
        parsed.work / "films", parsed.pictures, parsed.variants, parsed.segments
    )
    return film_evidence(films, parsed.work / "evidence")


def weights_json(
    question: Question, frames: Frames, model: FittedModel, bound: float
) -> dict[str, Any]:
    """The weights as `LogisticModel` applies them: one for each dimension of the embedding."""
    rows = zip(model.means, model.scales, model.weights, strict=True)
    embedding = frames.directions @ model.projected
    return {
        "threshold": _rounded(bound),
        "bias": _rounded(model.bias - float(frames.centre @ embedding)),
        "measured": {
            name: [_rounded(number) for number in row]
            for name, row in zip(question.names, rows, strict=True)
        },
        "embedding": [_rounded(number) for number in embedding],
    }


def _rounded(number: float) -> float:
    return float(f"{number:.5g}")


if __name__ == "__main__":
    sys.exit(main())
