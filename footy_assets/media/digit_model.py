"""Tells digits from other glyphs: a small network over patches of 20 x 16 pixels.

Its weights are `digit_weights.json`, fitted by benchmarks/train_digits.py on rendered text only.
"""

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from footy_assets.media.digit_glyphs import Glyph, Patch, stack_patches
from footy_assets.media.ocr import TextBox

WEIGHTS_FILE = "digit_weights.json"
# The class of everything that is no digit.
NO_DIGIT = 10

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class DigitModel:
    """Two hidden layers. Rows of `probabilities` are glyphs, columns 0 to 9 and no digit."""

    layers: tuple[tuple[Floats, Floats], ...]

    def probabilities(self, patches: Patch) -> Floats:
        values = patches
        for weights, bias in self.layers[:-1]:
            values = np.maximum(values @ weights + bias, 0)
        weights, bias = self.layers[-1]
        scores = values @ weights + bias
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True), np.float32)


@dataclass(frozen=True, slots=True)
class Digit:
    """`rival` is the highest probability of another digit in the same place, however it was cut
    out."""

    value: int
    probability: float
    box: TextBox
    rival: float = 0.0

    def moved(self, x: int, y: int) -> "Digit":
        box = self.box
        return replace(self, box=TextBox(box.left + x, box.top + y, box.right + x, box.bottom + y))


def read_digits(glyphs: Sequence[Glyph]) -> list[Digit]:
    """The digits among some glyphs, left to right; of several in one place, the likeliest class.

    A place whose likeliest class is no digit gives none.
    """
    if not glyphs:
        return []
    found = digit_model().probabilities(stack_patches(glyphs))
    order = np.argsort(-found[:, :NO_DIGIT].max(axis=1))
    digits: list[Digit] = []
    for number in order.tolist():
        value, box = int(found[number].argmax()), glyphs[number].box
        if value != NO_DIGIT and not any(_overlap(box, other.box) for other in digits):
            same_place = [_overlap(box, glyph.box) for glyph in glyphs]
            others = np.delete(found[same_place, :NO_DIGIT], value, axis=1)
            probability, rival = float(found[number, value]), float(others.max())
            digits.append(Digit(value, probability, box, rival))
    return sorted(digits, key=lambda digit: digit.box.left)


@lru_cache(maxsize=1)
def digit_model() -> DigitModel:
    """The model that ships with the package."""
    return parse_model(files(__package__).joinpath(WEIGHTS_FILE).read_text())


def parse_model(text: str) -> DigitModel:
    stored = json.loads(text)
    layers = []
    for layer in stored["layers"]:
        shape = layer["inputs"], layer["outputs"]
        numbers = np.frombuffer(base64.b64decode(layer["weights"]), np.float16).astype(np.float32)
        layers.append((numbers.reshape(shape), np.array(layer["bias"], np.float32)))
    return DigitModel(tuple(layers))


def write_model(model: DigitModel) -> str:
    layers = [
        {
            "inputs": weights.shape[0],
            "outputs": weights.shape[1],
            "bias": [round(float(value), 4) for value in bias],
            "weights": base64.b64encode(weights.astype(np.float16).tobytes()).decode(),
        }
        for weights, bias in model.layers
    ]
    return json.dumps({"layers": layers}, indent=1) + "\n"


def _overlap(one: TextBox, other: TextBox) -> bool:
    across = min(one.right, other.right) - max(one.left, other.left)
    down = min(one.bottom, other.bottom) - max(one.top, other.top)
    return across > 0 and down > 0
