"""A second look at a picture that may show football: is it a match, or something else on green?

A larger network sees the whole picture and three squares of it, so that a wide picture is not
squeezed and a ball or a racket is not lost. One logistic model weighs the mean of the embeddings.
Its weights are `scene_weights.json`, fitted by benchmarks/train_scene.py.
"""

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from footy_assets.errors import BadInput
from footy_assets.media.efficientnet import EMBEDDING, LITE2
from footy_assets.media.image_model import Image, image_model

SCENE_WEIGHTS_FILE = "scene_weights.json"
# Positions of the squares along the longer side.
SQUARES_AT = (0.0, 0.5, 1.0)

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class SceneModel:
    """`threshold` is the least probability that counts as a yes."""

    weights: Floats
    bias: float
    threshold: float

    def probability(self, embedding: Floats) -> float:
        score = self.bias + float(embedding @ self.weights)
        return float(1 / (1 + np.exp(-np.clip(score, -30, 30))))


def views(image: Image) -> list[Image]:
    """The whole picture, and squares as high as it is wide or as wide as it is high."""
    height, width = image.shape[:2]
    edge = min(height, width)
    corners = [(round((height - edge) * at), round((width - edge) * at)) for at in SQUARES_AT]
    return [image, *(image[top : top + edge, left : left + edge] for top, left in corners)]


def scene_embedding(image: Image, cache: Path | None = None) -> Floats:
    """The mean of the embeddings of all views, each as square roots."""
    model = image_model(cache, LITE2)
    embeddings = [model.features(view).embedding for view in views(image)]
    return np.asarray(np.sqrt(np.maximum(embeddings, 0)).mean(axis=0), np.float32)


@lru_cache(maxsize=1)
def scene_model() -> SceneModel:
    """The model that ships with the package."""
    return parse_scene_model(files(__package__).joinpath(SCENE_WEIGHTS_FILE).read_text())


def parse_scene_model(text: str) -> SceneModel:
    stored = json.loads(text)
    weights = np.array(stored["embedding"], np.float32)
    if weights.shape != (EMBEDDING,):
        raise BadInput("the weights are for another network", "Run benchmarks.train_scene again")
    return SceneModel(weights, float(stored["bias"]), float(stored["threshold"]))
