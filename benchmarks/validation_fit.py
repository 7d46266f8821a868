"""Fits and evaluates the logistic models of validation."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from benchmarks.validation_evidence import FilmEvidence
from benchmarks.validation_films import Film
from footy_assets.media.assessment_models import (
    FOOTBALL_NAMES,
    MAX_DEVIATIONS,
    OFF_SCREEN_NAMES,
)
from footy_assets.media.frame_assessment import NO_GRASS, SURE_WITHOUT_GRASS

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

GRASS = "green"
# How many principal components of the embedding are used.
DIRECTIONS = 160
# The total weight of all training frames, relative to the penalties below.
EVIDENCE = 1000.0
FOLDS = 10
OTHER_ORIGIN = 0.5
PHOTOGRAPHIC = ["real", "photo"]


@dataclass(frozen=True)
class Question:
    """One of V2's questions: its label, its inputs and its regularisation.

    `origins` are total weights by origin of a film: real clips count most. Penalties keep the
    weights of measurements and of embedding directions small.
    """

    name: str
    names: tuple[str, ...]
    label: Callable[[Film], bool]
    values: Callable[[FilmEvidence], NDArray[np.float32]]
    embedding: Callable[[FilmEvidence], NDArray[np.float32]]
    origins: dict[tuple[str, bool], float]
    value_penalty: float
    embedding_penalty: float
    max_false: float


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
    max_false=0.01,
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
    max_false=0.005,
)


@dataclass(frozen=True)
class Frames:
    """All frames of all films, three rows a film.

    The embedding is projected onto its principal components, which are computed once, without
    labels, for all folds.
    """

    values: Floats
    projected: Floats
    directions: Floats
    centre: Floats
    labels: Bools
    usable: Bools
    flat: Bools
    clips: NDArray[np.str_]
    origins: NDArray[np.str_]


@dataclass(frozen=True)
class FittedModel:
    """A linear model of the measurements and the projected embedding."""

    means: Floats
    scales: Floats
    weights: Floats
    projected: Floats
    bias: float

    def scores(self, frames: Frames) -> Floats:
        deviations = np.clip(
            (frames.values - self.means) / self.scales, -MAX_DEVIATIONS, MAX_DEVIATIONS
        )
        return np.asarray(self.bias + deviations @ self.weights + frames.projected @ self.projected)


def frames_of(question: Question, films: Sequence[FilmEvidence]) -> Frames:
    embedding = np.sqrt(np.concatenate([question.embedding(one) for one in films])).astype(float)
    centre = embedding.mean(axis=0)
    sizes, vectors = np.linalg.eigh(np.cov(embedding[::2].T))
    directions = vectors[:, -DIRECTIONS:] * 10 / np.sqrt(sizes.sum())
    return Frames(
        values=np.concatenate([question.values(one) for one in films]).astype(float),
        projected=(embedding - centre) @ directions,
        directions=directions,
        centre=centre,
        labels=np.repeat([question.label(one.film) for one in films], 3),
        usable=np.concatenate([one.usable for one in films]),
        flat=np.concatenate([one.flat for one in films]),
        clips=np.repeat([one.film.clip for one in films], 3),
        origins=np.repeat([one.film.origin for one in films], 3),
    )


def left_out_scores(question: Question, frames: Frames) -> Floats:
    """Every frame's score by a model that was fitted without its clip.

    Real clips are left out one by one, with all their renderings; photographs and drawn scenes in
    tenths, all films of one scene together.
    """
    is_real = np.char.startswith(frames.origins, "real")
    real, others = np.unique(frames.clips[is_real]), np.unique(frames.clips[~is_real])
    folds = [[clip] for clip in real] + [list(others[n::FOLDS]) for n in range(FOLDS)]
    scores = np.zeros(len(frames.labels))
    for clips in folds:
        out = np.isin(frames.clips, clips)
        if out.any():
            scores[out] = fit_model(question, frames, ~out).scores(frames)[out]
    return scores


def fit_model(question: Question, frames: Frames, known: Bools) -> FittedModel:
    """Logistic regression with a ridge penalty, on some of the frames."""
    weights = _frame_weights(question, frames, known & frames.usable)
    used = weights > 0
    labels, weights = frames.labels[used], EVIDENCE * weights[used] / weights.sum()
    values = frames.values[used]
    means, scales = np.average(values, axis=0, weights=weights), values.std(axis=0) + 1e-3
    deviations = np.clip((values - means) / scales, -MAX_DEVIATIONS, MAX_DEVIATIONS)
    penalties = np.repeat(
        [question.value_penalty, question.embedding_penalty], [len(means), DIRECTIONS]
    )
    found, bias = _logistic(
        np.hstack([deviations, frames.projected[used]]), labels, weights, penalties
    )
    return FittedModel(means, scales, found[: len(means)], found[len(means) :], bias)


def _frame_weights(question: Question, frames: Frames, used: Bools) -> Floats:
    """Both labels have the same total weight, origins that of the question, and a clip of n frames
    counts as their square root: its frames are similar."""
    weights = np.zeros(len(used))
    for label in (True, False):
        for origin in np.unique(frames.origins):
            some = used & (frames.labels == label) & (frames.origins == origin)
            if some.any():
                _, clip_index, counts = np.unique(
                    frames.clips[some], return_inverse=True, return_counts=True
                )
                shares = counts[clip_index] ** -0.5
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
    """Platt scaling: gain and shift that turn scores into probabilities, on clips left out."""
    used = frames.usable & np.char.startswith(frames.origins, "real")
    weights = np.zeros(len(scores))
    for label in (True, False):
        these = used & (frames.labels == label)
        weights[these] = EVIDENCE / 2 / these.sum()
    gain, shift = _logistic(scores[:, None], frames.labels, weights, np.array([1e-3]))
    return float(gain[0]), shift


def film_scores(question: Question, scores: Floats, frames: Frames) -> Floats:
    """V2 as a number: two of three frames are above a bound if their median is. As in
    `frame_assessment`, a flat frame, or one without grass and not certain, is never a yes."""
    counted = np.where(frames.flat, -np.inf, scores)
    if GRASS in question.names:
        green = frames.values[:, question.names.index(GRASS)]
        certain = np.log(SURE_WITHOUT_GRASS / (1 - SURE_WITHOUT_GRASS))
        counted = np.where((green < NO_GRASS) & (scores < certain), -np.inf, counted)
    return np.asarray(np.median(counted.reshape(-1, 3), axis=1))


def threshold(scores: Floats, frames: Frames, max_false: float) -> float:
    """The lowest bound with at most this share of false positives, put half way to the next true
    positive. Negatives are real clips and photographs: drawings are easier or harder. A score of
    NaN belongs to a film that is left out."""
    labels, photographic = frames.labels[::3], np.isin(frames.origins[::3], PHOTOGRAPHIC)
    negatives = np.sort(scores[~labels & photographic & ~np.isnan(scores)])[::-1]
    highest = negatives[min(int(max_false * len(negatives)), len(negatives) - 1)]
    above = scores[labels & (scores > highest)]
    return float((highest + above.min()) / 2 if len(above) else highest + 1e-6)


def probability(score: float) -> float:
    return float(1 / (1 + np.exp(-score)))
