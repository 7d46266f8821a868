"""The two logistic models of V2: football, and filmed off a screen.

Their weights are `assessment_weights.json`, fitted by benchmarks/train_validation.py.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from footy_assets.errors import BadInput
from footy_assets.media.class_names import FOOTBALL_SCORES
from footy_assets.media.image_model import ImageFeatures
from footy_assets.media.motion import MOTION_NAMES
from footy_assets.media.pitch import PITCH_NAMES
from footy_assets.media.screen import SCREEN_NAMES

WEIGHTS_FILE = "assessment_weights.json"
# Measurements are clipped to this many standard deviations from the mean.
MAX_DEVIATIONS = 3.0

FOOTBALL_NAMES = PITCH_NAMES + MOTION_NAMES + FOOTBALL_SCORES
OFF_SCREEN_NAMES = (*SCREEN_NAMES, "screen_classes")

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class LogisticModel:
    """Weights of measurements and of the image embedding; `threshold` is the least probability
    that counts as a yes."""

    means: Floats
    scales: Floats
    weights: Floats
    embedding: Floats
    bias: float
    threshold: float

    def probability(self, values: Sequence[float], features: ImageFeatures) -> float:
        deviations = (np.array(values) - self.means) / self.scales
        deviations = np.clip(deviations, -MAX_DEVIATIONS, MAX_DEVIATIONS)
        score = self.bias + deviations @ self.weights
        score += np.sqrt(features.embedding) @ self.embedding
        return float(1 / (1 + np.exp(-np.clip(score, -30, 30))))


class AssessmentModels(NamedTuple):
    football: LogisticModel
    off_screen: LogisticModel


@lru_cache(maxsize=1)
def assessment_models() -> AssessmentModels:
    """The models that ship with the package."""
    return parse_models(files(__package__).joinpath(WEIGHTS_FILE).read_text())


def parse_models(text: str) -> AssessmentModels:
    stored = json.loads(text)
    return AssessmentModels(
        football=_parse_model(stored["football"], FOOTBALL_NAMES),
        off_screen=_parse_model(stored["off_screen"], OFF_SCREEN_NAMES),
    )


def _parse_model(stored: dict[str, Any], names: Sequence[str]) -> LogisticModel:
    """Each measurement is stored under its name with mean, scale and weight."""
    if set(stored["measured"]) != set(names):
        raise BadInput(
            "the weights are for other measurements", "Run benchmarks.train_validation again"
        )
    means, scales, weights = np.array([stored["measured"][name] for name in names], np.float32).T
    return LogisticModel(
        means=means,
        scales=scales,
        weights=weights,
        embedding=np.array(stored["embedding"], np.float32),
        bias=float(stored["bias"]),
        threshold=float(stored["threshold"]),
    )
