"""Fit the weights by which a frame is called football, or filmed off a screen.

usage: python -m benchmarks.train_validation VARIANTS_DIR SEGMENTS_CSV --pictures DIR [--work DIR]

VARIANTS_DIR is what media-eval/make_variants.py makes, SEGMENTS_CSV the labels beside it. DIR holds
folders of photographs and videos without football; docs/benchmarks.md says which were used. Writes
footy_assets/media/looks_weights.json. How good they are: python -m benchmarks.media_validation.
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from benchmarks.figures import say
from benchmarks.validation_evidence import Measured, measured
from benchmarks.validation_films import Film, real_films, rendered_films
from footy_assets.media import looks
from footy_assets.media.looks import (
    FOOTBALL_NAMES,
    FURTHEST,
    NO_GRASS,
    OFF_SCREEN_NAMES,
    SURE_WITHOUT_GRASS,
)

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

GRASS = "green"
WEIGHTS = Path(looks.__file__).with_name("looks_weights.json")
# Directions of the embedding that are kept: those in which training pictures differ most.
DIRECTIONS = 160
# How much all training frames weigh together, against the penalties below.
EVIDENCE = 1000.0
FOLDS = 10


@dataclass(frozen=True)
class Question:
    """What is asked of a film, what may be used to answer, and how much to believe of it.

    `origins` are totals by where a film comes from: real clips count most. Penalties hold the
    weights of measurements and of embedding directions small.
    """

    name: str
    names: tuple[str, ...]
    label: Callable[[Film], bool]
    values: Callable[[Measured], NDArray[np.float32]]
    embedding: Callable[[Measured], NDArray[np.float32]]
    origins: dict[tuple[str, bool], float]
    value_penalty: float
    embedding_penalty: float
    most_false: float


FOOTBALL = Question(
    name="football",
    names=FOOTBALL_NAMES,
    label=lambda film: film.football,
    values=lambda one: one.football_values,
    embedding=lambda one: one.inner,
    origins={
        ("real", True): 1.0,
        ("real", False): 1.0,
        ("drawn", True): 0.1,
        ("drawn, filmed", True): 0.05,
        ("drawn, hand-held", True): 0.05,
    },
    value_penalty=1.0,
    embedding_penalty=10.0,
    most_false=0.01,
)
OFF_SCREEN = Question(
    name="off_screen",
    names=OFF_SCREEN_NAMES,
    label=lambda film: film.off_screen,
    values=lambda one: one.off_screen_values,
    embedding=lambda one: one.whole,
    origins={("real", True): 1.0, ("real", False): 1.0},
    value_penalty=3.0,
    embedding_penalty=10.0,
    most_false=0.005,
)
OTHER_ORIGIN = 0.5
LIFELIKE = ["real", "photo"]


@dataclass(frozen=True)
class Frames:
    """All frames of all films, three rows a film.

    The embedding is given along the directions in which pictures differ most. These are chosen
    once, without labels, and kept for all folds.
    """

    values: Floats
    along: Floats
    directions: Floats
    centre: Floats
    labels: Bools
    telling: Bools
    flat: Bools
    clips: NDArray[np.str_]
    origins: NDArray[np.str_]


@dataclass(frozen=True)
class Fit:
    """A linear model of the measured values and of the directions of the embedding."""

    means: Floats
    scales: Floats
    weights: Floats
    along: Floats
    bias: float

    def scores(self, frames: Frames) -> Floats:
        away = np.clip((frames.values - self.means) / self.scales, -FURTHEST, FURTHEST)
        return np.asarray(self.bias + away @ self.weights + frames.along @ self.along)


def main(arguments: Sequence[str] | None = None) -> None:
    asked = parse_arguments(argparse.ArgumentParser(description=__doc__), arguments)
    films = all_films(asked)
    told: dict[str, Any] = {}
    for question in (FOOTBALL, OFF_SCREEN):
        frames = frames_of(question, films)
        say(f"{question.name}: every clip left out in turn")
        out = left_out_scores(question, frames)
        gain, shift = calibration(out, frames)
        fit = fitted(question, frames, np.ones(len(frames.labels), bool))
        fit = replace(
            fit,
            weights=gain * fit.weights,
            along=gain * fit.along,
            bias=gain * fit.bias + shift,
        )
        judged = film_scores(question, gain * out + shift, frames)
        bound = threshold(judged, frames, question.most_false)
        told[question.name] = as_told(question, frames, fit, probability(bound))
    WEIGHTS.write_text(json.dumps(told, indent=1) + "\n")
    say(f"{WEIGHTS} has {WEIGHTS.stat().st_size:,} bytes")


def parse_arguments(
    parser: argparse.ArgumentParser, arguments: Sequence[str] | None
) -> argparse.Namespace:
    parser.add_argument("variants", type=Path, metavar="VARIANTS_DIR")
    parser.add_argument("segments", type=Path, metavar="SEGMENTS_CSV")
    parser.add_argument("--pictures", type=Path, required=True, help="photographs, no football")
    parser.add_argument(
        "--work", type=Path, default=Path(".validation"), help="where films and evidence are kept"
    )
    return parser.parse_args(arguments)


def all_films(asked: argparse.Namespace) -> list[Measured]:
    cv2.setNumThreads(1)
    films = real_films(asked.variants, asked.segments)
    films += rendered_films(asked.work / "films", asked.pictures, asked.variants, asked.segments)
    return measured(films, asked.work / "evidence")


def frames_of(question: Question, films: Sequence[Measured]) -> Frames:
    embedding = np.sqrt(np.concatenate([question.embedding(one) for one in films])).astype(float)
    centre = embedding.mean(axis=0)
    sizes, vectors = np.linalg.eigh(np.cov(embedding[::2].T))
    directions = vectors[:, -DIRECTIONS:] * 10 / np.sqrt(sizes.sum())
    return Frames(
        values=np.concatenate([question.values(one) for one in films]).astype(float),
        along=(embedding - centre) @ directions,
        directions=directions,
        centre=centre,
        labels=np.repeat([question.label(one.film) for one in films], 3),
        telling=np.concatenate([one.telling for one in films]),
        flat=np.concatenate([one.flat for one in films]),
        clips=np.repeat([one.film.clip for one in films], 3),
        origins=np.repeat([one.film.origin for one in films], 3),
    )


def left_out_scores(question: Question, frames: Frames) -> Floats:
    """Every frame's score by a fit that has seen nothing of its clip.

    Real clips go one by one, with all that was rendered of them; photographs and drawn scenes in
    tenths, a kind of scene never apart.
    """
    is_real = np.char.startswith(frames.origins, "real")
    real, others = np.unique(frames.clips[is_real]), np.unique(frames.clips[~is_real])
    folds = [[clip] for clip in real] + [list(others[n::FOLDS]) for n in range(FOLDS)]
    scores = np.zeros(len(frames.labels))
    for clips in folds:
        out = np.isin(frames.clips, clips)
        if out.any():
            scores[out] = fitted(question, frames, ~out).scores(frames)[out]
    return scores


def fitted(question: Question, frames: Frames, known: Bools) -> Fit:
    """Logistic regression with a penalty on large weights, on some of the frames."""
    weights = _frame_weights(question, frames, known & frames.telling)
    used = weights > 0
    labels, weights = frames.labels[used], EVIDENCE * weights[used] / weights.sum()
    values = frames.values[used]
    means, scales = np.average(values, axis=0, weights=weights), values.std(axis=0) + 1e-3
    away = np.clip((values - means) / scales, -FURTHEST, FURTHEST)
    penalties = np.repeat(
        [question.value_penalty, question.embedding_penalty], [len(means), DIRECTIONS]
    )
    found, bias = _logistic(np.hstack([away, frames.along[used]]), labels, weights, penalties)
    return Fit(means, scales, found[: len(means)], found[len(means) :], bias)


def _frame_weights(question: Question, frames: Frames, used: Bools) -> Floats:
    """Yes and no weigh the same, origins as the question says, and a clip of many frames counts
    with their root: its frames are much alike."""
    weights = np.zeros(len(used))
    for label in (True, False):
        for origin in np.unique(frames.origins):
            some = used & (frames.labels == label) & (frames.origins == origin)
            if some.any():
                _, where, counts = np.unique(
                    frames.clips[some], return_inverse=True, return_counts=True
                )
                shares = counts[where] ** -0.5
                total = question.origins.get((str(origin), label), OTHER_ORIGIN)
                weights[some] = total * shares / shares.sum()
        these = frames.labels == label
        weights[these] /= max(weights[these].sum(), 1e-9)
    return weights


def _logistic(
    inputs: Floats, labels: Bools, weights: Floats, penalties: Floats
) -> tuple[Floats, float]:
    signs = np.where(labels, 1.0, -1.0)

    def loss(at: Floats) -> tuple[float, Floats]:
        margins = signs * (inputs @ at[:-1] + at[-1])
        pulls = -weights * signs / (1 + np.exp(np.clip(margins, -50, 50)))
        total = weights @ np.logaddexp(0, -margins) + 0.5 * penalties @ at[:-1] ** 2
        return float(total), np.append(inputs.T @ pulls + penalties * at[:-1], pulls.sum())

    found = minimize(
        loss, np.zeros(inputs.shape[1] + 1), jac=True, method="L-BFGS-B", options={"maxiter": 300}
    )
    return found.x[:-1], float(found.x[-1])


def calibration(scores: Floats, frames: Frames) -> tuple[float, float]:
    """Platt: gain and shift that make probabilities of scores, on frames of clips left out."""
    used = frames.telling & np.char.startswith(frames.origins, "real")
    weights = np.zeros(len(scores))
    for label in (True, False):
        these = used & (frames.labels == label)
        weights[these] = EVIDENCE / 2 / these.sum()
    gain, shift = _logistic(scores[:, None], frames.labels, weights, np.array([1e-3]))
    return float(gain[0]), shift


def film_scores(question: Question, scores: Floats, frames: Frames) -> Floats:
    """V2 as a number: two of three frames are above a bound if their median is. As in `looks`, a
    frame that cannot be judged, or without grass and not certain, is no yes."""
    counted = np.where(frames.flat, -np.inf, scores)
    if GRASS in question.names:
        green = frames.values[:, question.names.index(GRASS)]
        certain = np.log(SURE_WITHOUT_GRASS / (1 - SURE_WITHOUT_GRASS))
        counted = np.where((green < NO_GRASS) & (scores < certain), -np.inf, counted)
    return np.asarray(np.median(counted.reshape(-1, 3), axis=1))


def threshold(scores: Floats, frames: Frames, most_false: float) -> float:
    """The lowest bound that lets no more than this share of the noes pass, put half way to the
    next yes. The noes are real clips and photographs: drawings are easier or harder than life.
    A score that is not a number belongs to a film that is left out."""
    labels, lifelike = frames.labels[::3], np.isin(frames.origins[::3], LIFELIKE)
    noes = np.sort(scores[~labels & lifelike & ~np.isnan(scores)])[::-1]
    highest = noes[min(int(most_false * len(noes)), len(noes) - 1)]
    above = scores[labels & (scores > highest)]
    return float((highest + above.min()) / 2 if len(above) else highest + 1e-6)


def probability(score: float) -> float:
    return float(1 / (1 + np.exp(-score)))


def as_told(question: Question, frames: Frames, fit: Fit, bound: float) -> dict[str, Any]:
    """As `looks.Judge` applies it: the directions are folded into one weight a dimension."""
    rows = zip(fit.means, fit.scales, fit.weights, strict=True)
    embedding = frames.directions @ fit.along
    return {
        "threshold": _short(bound),
        "bias": _short(fit.bias - float(frames.centre @ embedding)),
        "measured": {
            name: [_short(number) for number in row]
            for name, row in zip(question.names, rows, strict=True)
        },
        "embedding": [_short(number) for number in embedding],
    }


def _short(number: float) -> float:
    return float(f"{number:.5g}")


if __name__ == "__main__":
    sys.exit(main())
