"""Textures, colours and people for drawn scenes."""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.validation_scenes.video import Floats, Picture, Rng


def texture(rng: Rng, size: tuple[int, int], grains: Sequence[int]) -> Floats:
    width, height = size
    texture = np.zeros((height, width), np.float32)
    for grain in grains:
        coarse = rng.normal(size=(height // grain + 2, width // grain + 2)).astype(np.float32)
        layer = cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)
        texture += layer / max(float(layer.std()), 1e-6)
    return texture / np.sqrt(len(grains))


def paint_texture(colour: Sequence[float], texture: Floats, depth: float) -> Picture:
    base = np.array(colour, np.float32) + texture[..., None] * depth
    return np.clip(base, 0, 255).astype(np.uint8)


def grass_colour(rng: Rng) -> list[float]:
    green = rng.uniform(90, 180)
    return [green * rng.uniform(0.2, 0.6), green, green * rng.uniform(0.35, 0.85)]


def draw_person(
    picture: Picture, at: tuple[float, float], tall: float, colours: NDArray, swing: float
) -> None:
    x, y = at
    shirt, shorts, skin = (tuple(int(c) for c in colour) for colour in colours)
    head = max(1, round(tall * 0.09))
    stride = tall * 0.18 * np.sin(swing)
    thick = max(1, round(tall * 0.1))
    foot = int(y)
    hip = int(y - 0.45 * tall)
    for side in (-1, 1):
        cv2.line(picture, (int(x), hip), (int(x + side * stride), foot), skin, thick)
    cv2.rectangle(
        picture,
        (int(x - tall * 0.1), hip - 1),
        (int(x + tall * 0.1), int(hip + tall * 0.15)),
        shorts,
        -1,
    )
    cv2.ellipse(
        picture,
        (int(x), int(y - 0.65 * tall)),
        (max(1, int(tall * 0.13)), max(1, int(tall * 0.22))),
        0,
        0,
        360,
        shirt,
        -1,
    )
    cv2.circle(picture, (int(x), int(y - 0.92 * tall)), head, skin, -1)


def random_people(rng: Rng, count: int) -> tuple[NDArray, NDArray]:
    kits = rng.uniform(0, 255, (2, 2, 3))
    skins = np.array([[120, 160, 210], [70, 100, 150], [40, 60, 90]])
    colours = np.stack([np.vstack([kits[n % 2], skins[rng.integers(3)]]) for n in range(count)])
    places = np.stack(
        [
            rng.uniform(0.02, 0.98, count),
            rng.uniform(0, 1, count),
            rng.uniform(-0.06, 0.06, count),
            rng.uniform(0, 6, count),
        ],
        1,
    )
    return colours, places
