"""A drawn football match."""

from collections.abc import Iterator

import cv2
import numpy as np

from benchmarks.validation_scenes.drawing import (
    draw_person,
    grass_colour,
    paint_texture,
    random_people,
    texture,
)
from benchmarks.validation_scenes.video import FPS, FRAMES, HEIGHT, WIDTH, Picture


def drawn_pitch(seed: int) -> Iterator[Picture]:
    """Football: striped grass, lines in perspective, two teams, stands, a pan."""
    rng = np.random.default_rng(seed)
    width, height = 2 * WIDTH, round(1.6 * HEIGHT)
    grass = grass_colour(rng)
    ground = paint_texture(grass, texture(rng, (width, height), (2, 6, 40)), rng.uniform(2, 8))
    stripes = (np.arange(width) * rng.uniform(6, 14) / width).astype(int) % 2
    ground = np.clip(ground * (1 + rng.uniform(0.02, 0.1) * stripes[None, :, None]), 0, 255).astype(
        np.uint8
    )
    horizon = round(height * rng.uniform(0.1, 0.4))
    stand = paint_texture(rng.uniform(40, 150, 3), texture(rng, (width, height), (3, 5, 30)), 40)
    ground[:horizon] = stand[:horizon]
    board = max(6, height // 22)
    cv2.rectangle(ground, (0, horizon - board), (width, horizon), tuple(rng.uniform(0, 255, 3)), -1)
    white = (235, 240, 235)
    thick = int(rng.integers(2, 5))
    lean = rng.uniform(-0.5, 0.5)
    cv2.line(ground, (0, horizon + 12), (width, horizon + 12), white, thick)
    middle = width * rng.uniform(0.3, 0.7)
    cv2.line(
        ground, (int(middle), horizon + 12), (int(middle + lean * height), height), white, thick
    )
    cv2.ellipse(
        ground,
        (int(middle + lean * height / 2), int((horizon + height) / 2)),
        (int(0.17 * width), int(0.12 * height)),
        0,
        0,
        360,
        white,
        thick,
    )
    side = rng.choice([-1, 1])
    edge = 0.05 * width if side < 0 else 0.95 * width
    box = np.array(
        [
            [edge, horizon + 40],
            [edge - side * 0.16 * width, horizon + 44],
            [edge - side * 0.2 * width, height * 0.85],
            [edge, height * 0.9],
        ],
        np.int32,
    )
    cv2.polylines(ground, [box], True, white, thick)
    near = rng.uniform(0.08, 0.45)
    count = int(rng.integers(3, 8)) if near > 0.25 else int(rng.integers(8, 20))
    colours, places = random_people(rng, count)
    begin, end = rng.uniform(0, width - WIDTH, 2)
    drop = rng.uniform(0, height - HEIGHT)
    for n in range(FRAMES):
        t = n / FPS
        scene = ground.copy()
        for colour, (x, y, speed, phase) in sorted(
            zip(colours, places, strict=True), key=lambda one: one[1][1]
        ):
            tall = near * height * (0.35 + 0.65 * y)
            foot = horizon + 0.15 * (height - horizon) + y * 0.85 * (height - horizon)
            draw_person(scene, ((x + speed * t) * width, foot), tall, colour, 6 * t + phase)
        at = begin + (end - begin) * n / FRAMES
        yield np.ascontiguousarray(scene[int(drop) : int(drop) + HEIGHT, int(at) : int(at) + WIDTH])
