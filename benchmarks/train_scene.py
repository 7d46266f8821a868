"""Fits the second look at pictures that may show football (footy_assets/media/scene_model.py).

usage: python -m benchmarks.train_scene --clips DIR... [--work DIR]

Each DIR has a labels.tsv with the columns file, kind and repository. Kinds that start with A: are
other sports and look-alikes, all others are football; clips of one repository are left out
together. Prints what the model says of clips that it was fitted without, and writes
footy_assets/media/scene_weights.json. `benchmarks.media_football --left-out` measures it.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import cv2

from benchmarks.figures import log_progress
from benchmarks.scene_fit import (
    drawn_clips,
    fit_model,
    labelled_clips,
    left_out_scores,
    threshold,
    to_scene_model,
)
from footy_assets.media import scene_model
from footy_assets.media.scene_model import SCENE_WEIGHTS_FILE, SceneModel

WEIGHTS = Path(scene_model.__file__).with_name(SCENE_WEIGHTS_FILE)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clips", type=Path, nargs="+", required=True)
    parser.add_argument("--work", type=Path, default=Path(".validation"), help="cache")
    parsed = parser.parse_args(arguments)
    cv2.setNumThreads(1)
    clips = [clip for folder in parsed.clips for clip in labelled_clips(folder, parsed.work)]
    drawn = drawn_clips()
    scores = left_out_scores(clips, drawn)
    bound = threshold(scores, clips)
    for clip, score in sorted(zip(clips, scores, strict=True), key=lambda pair: pair[1]):
        wrong = (score >= bound) != clip.football
        log_progress(f"{score - bound:+.2f} {clip.name} {'wrong' if wrong else ''}")
    model = to_scene_model(fit_model([*clips, *drawn]), bound)
    WEIGHTS.write_text(json.dumps(weights_json(model), indent=1) + "\n")


def weights_json(model: SceneModel) -> dict[str, float | list[float]]:
    return {
        "threshold": _rounded(model.threshold),
        "bias": _rounded(model.bias),
        "embedding": [_rounded(float(weight)) for weight in model.weights],
    }


def _rounded(number: float) -> float:
    return float(f"{number:.5g}")


if __name__ == "__main__":
    sys.exit(main())
