"""Drawn scenes that are green and not football."""

from collections.abc import Callable, Iterator, Sequence

import cv2
import numpy as np

from benchmarks.validation_scenes.drawing import (
    draw_person,
    grass_colour,
    paint_texture,
    random_people,
    texture,
)
from benchmarks.validation_scenes.video import HEIGHT, WIDTH, Picture, Rng, pan_photo


def _green_scene(
    seed: int, paint: Callable[[Rng, Picture], None], grains: Sequence[int], depth: float
) -> Iterator[Picture]:
    rng = np.random.default_rng(seed)
    size = (round(1.5 * WIDTH), round(1.3 * HEIGHT))
    scene = paint_texture(grass_colour(rng), texture(rng, size, grains), depth)
    paint(rng, scene)
    yield from pan_photo(scene, seed + 1)


def meadow(seed: int) -> Iterator[Picture]:
    def paint(rng: Rng, scene: Picture) -> None:
        sky = round(scene.shape[0] * rng.uniform(0.2, 0.5))
        scene[:sky] = paint_texture(
            [225, 190, 150], texture(rng, (scene.shape[1], sky), (60, 120)), 15
        )
        for _ in range(int(rng.integers(0, 120))):
            x, y = rng.integers(scene.shape[1]), rng.integers(sky, scene.shape[0])
            cv2.circle(
                scene,
                (int(x), int(y)),
                int(rng.integers(1, 5)),
                tuple(rng.uniform(120, 255, 3)),
                -1,
            )

    return _green_scene(seed, paint, (2, 4, 50), 22)


def forest(seed: int) -> Iterator[Picture]:
    def paint(rng: Rng, scene: Picture) -> None:
        for _ in range(int(rng.integers(15, 60))):
            x, width = rng.integers(scene.shape[1]), rng.integers(3, 26)
            cv2.rectangle(
                scene,
                (int(x), 0),
                (int(x + width), int(rng.integers(scene.shape[0]))),
                (30, 45, 60),
                -1,
            )

    return _green_scene(seed, paint, (2, 5, 11, 40), 38)


def golf(seed: int) -> Iterator[Picture]:
    def paint(rng: Rng, scene: Picture) -> None:
        height, width = scene.shape[:2]
        sky = round(height * rng.uniform(0.2, 0.45))
        scene[:sky] = (230, 200, 170)
        for _ in range(40):
            cv2.circle(
                scene, (int(rng.integers(width)), sky), int(rng.integers(8, 40)), (40, 80, 50), -1
            )
        for _ in range(3):
            cv2.ellipse(
                scene,
                (int(rng.integers(width)), int(rng.integers(sky + 40, height))),
                (int(rng.integers(40, 120)), int(rng.integers(8, 30))),
                0,
                0,
                360,
                (160, 210, 225),
                -1,
            )
        x = int(rng.integers(width // 4, 3 * width // 4))
        cv2.line(scene, (x, sky + 20), (x, sky + 150), (240, 240, 240), 3)
        cv2.fillPoly(
            scene, [np.array([[x, sky + 20], [x + 40, sky + 35], [x, sky + 50]])], (40, 40, 220)
        )
        cv2.circle(scene, (x + 60, height - 60), 5, (255, 255, 255), -1)
        colours, _ = random_people(rng, 1)
        draw_person(scene, (x - 120, height - 40), 150, colours[0], 0.3)

    return _green_scene(seed, paint, (3, 60), 6)


def tennis(seed: int) -> Iterator[Picture]:
    def paint(rng: Rng, scene: Picture) -> None:
        height, width = scene.shape[:2]
        if rng.random() < 0.5:
            scene[:] = rng.uniform(60, 160, 3)
        white = (240, 240, 240)
        top, low = height * 0.25, height * 0.95
        court = np.array(
            [[width * 0.32, top], [width * 0.68, top], [width * 0.85, low], [width * 0.15, low]],
            np.int32,
        )
        cv2.fillPoly(scene, [court], tuple(rng.uniform(60, 170, 3)))
        cv2.polylines(scene, [court], True, white, 3)
        cv2.line(
            scene, (width // 2, int(height * 0.35)), (width // 2, int(height * 0.75)), white, 3
        )
        for part in (0.35, 0.75):
            cv2.line(
                scene,
                (int(width * (0.3 - part * 0.1)), int(height * part)),
                (int(width * (0.7 + part * 0.1)), int(height * part)),
                white,
                3,
            )
        cv2.rectangle(
            scene,
            (int(width * 0.2), int(height * 0.5)),
            (int(width * 0.8), int(height * 0.56)),
            (60, 60, 60),
            -1,
        )
        cv2.line(
            scene,
            (int(width * 0.2), int(height * 0.5)),
            (int(width * 0.8), int(height * 0.5)),
            white,
            5,
        )
        colours, _ = random_people(rng, 2)
        draw_person(scene, (width * 0.45, height * 0.33), 70, colours[0], 1.0)
        draw_person(scene, (width * 0.6, height * 0.93), 150, colours[1], 0.5)

    return _green_scene(seed, paint, (3, 40), 4)


def billiards(seed: int) -> Iterator[Picture]:
    def paint(rng: Rng, scene: Picture) -> None:
        height, width = scene.shape[:2]
        cv2.rectangle(scene, (0, 0), (width, height), (30, 50, 90), int(rng.integers(40, 130)))
        for _ in range(int(rng.integers(5, 16))):
            at = (int(rng.integers(90, width - 90)), int(rng.integers(90, height - 90)))
            cv2.circle(scene, at, 14, tuple(rng.uniform(0, 255, 3)), -1)
            cv2.circle(scene, (at[0] - 4, at[1] - 4), 4, (250, 250, 250), -1)
        cv2.line(scene, (100, height - 100), (width // 2, height // 2), (120, 170, 210), 7)

    return _green_scene(seed, paint, (80,), 4)
