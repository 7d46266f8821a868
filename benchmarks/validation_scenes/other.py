"""Drawn scenes without any sport."""

from collections.abc import Iterator

import cv2
import numpy as np

from benchmarks.validation_scenes.drawing import (
    paint_texture,
    texture,
)
from benchmarks.validation_scenes.video import FPS, FRAMES, HEIGHT, WIDTH, Picture, pan_photo


def talking_head(seed: int) -> Iterator[Picture]:
    """A face before a wall, sometimes green as a chroma key, with a lower third."""
    rng = np.random.default_rng(seed)
    wall = [60, 200, 60] if rng.random() < 0.3 else rng.uniform(30, 220, 3)
    back = paint_texture(wall, texture(rng, (WIDTH, HEIGHT), (30, 90)), rng.uniform(2, 14))
    skin, hair, shirt = (
        rng.uniform([80, 110, 150], [170, 200, 245]),
        rng.uniform(10, 90, 3),
        rng.uniform(0, 255, 3),
    )
    x, size = WIDTH * rng.uniform(0.35, 0.65), HEIGHT * rng.uniform(0.16, 0.3)
    third = rng.random() < 0.5
    for n in range(FRAMES):
        t = n / FPS
        scene = back.copy()
        at = (int(x + 6 * np.sin(1.3 * t)), int(HEIGHT * 0.42 + 4 * np.sin(2.1 * t)))
        cv2.ellipse(
            scene,
            (at[0], int(HEIGHT * 1.02)),
            (int(2 * size), int(1.4 * size)),
            0,
            0,
            360,
            tuple(shirt),
            -1,
        )
        cv2.ellipse(
            scene,
            (at[0], at[1] - int(0.15 * size)),
            (int(0.85 * size), int(1.15 * size)),
            0,
            0,
            360,
            tuple(hair),
            -1,
        )
        cv2.ellipse(scene, at, (int(0.75 * size), int(size)), 0, 0, 360, tuple(skin), -1)
        for side in (-1, 1):
            cv2.ellipse(
                scene,
                (int(at[0] + side * 0.3 * size), int(at[1] - 0.15 * size)),
                (int(0.12 * size), int(0.07 * size)),
                0,
                0,
                360,
                (250, 250, 250),
                -1,
            )
            cv2.circle(
                scene,
                (int(at[0] + side * 0.3 * size), int(at[1] - 0.15 * size)),
                max(1, int(0.06 * size)),
                (40, 30, 20),
                -1,
            )
        mouth = 0.05 + 0.08 * abs(np.sin(7 * t))
        cv2.ellipse(
            scene,
            (at[0], int(at[1] + 0.5 * size)),
            (int(0.25 * size), int(mouth * size)),
            0,
            0,
            360,
            (60, 50, 150),
            -1,
        )
        if third:
            cv2.rectangle(scene, (0, int(HEIGHT * 0.82)), (WIDTH, HEIGHT), (120, 30, 20), -1)
            cv2.putText(
                scene,
                "BREAKING NEWS",
                (30, int(HEIGHT * 0.93)),
                cv2.FONT_HERSHEY_SIMPLEX,
                1,
                (255, 255, 255),
                2,
            )
        yield cv2.GaussianBlur(scene, (0, 0), 1.0)


def computer_game(seed: int) -> Iterator[Picture]:
    """A platform game: tiles (often green), a sky, a running figure, scores on top."""
    rng = np.random.default_rng(seed)
    tile = int(rng.integers(20, 48))
    columns = 3 * WIDTH // tile
    ground = rng.integers(2, 6, columns)
    colours = rng.uniform(0, 255, (3, 3))
    if rng.random() < 0.6:
        colours[0] = [40, 180, 60]
    sky = tuple(rng.uniform(80, 255, 3))
    for n in range(FRAMES):
        scene = np.full((HEIGHT, WIDTH, 3), sky, np.uint8)
        shift = n * 9
        for column in range(columns):
            x = column * tile - shift
            for row in range(int(ground[column])):
                y = HEIGHT - (row + 1) * tile
                top = row == ground[column] - 1
                cv2.rectangle(
                    scene, (x, y), (x + tile - 2, y + tile - 2), tuple(colours[0 if top else 1]), -1
                )
        hop = abs(np.sin(n / 4)) * 60
        cv2.rectangle(
            scene,
            (200, int(HEIGHT - 5 * tile - hop)),
            (230, int(HEIGHT - 4 * tile - hop)),
            tuple(colours[2]),
            -1,
        )
        cv2.putText(
            scene,
            f"SCORE {n * 10:05d}",
            (20, 34),
            cv2.FONT_HERSHEY_SIMPLEX,
            0.9,
            (255, 255, 255),
            2,
        )
        yield scene


def crowd(seed: int) -> Iterator[Picture]:
    """People in rows with no sport: an audience."""
    rng = np.random.default_rng(seed)
    scene = paint_texture(
        rng.uniform(20, 90, 3), texture(rng, (WIDTH * 2, HEIGHT * 2), (20, 60)), 12
    )
    step = int(rng.integers(24, 60))
    for y in range(0, scene.shape[0], step):
        for x in range(0, scene.shape[1], step):
            at = (x + int(rng.integers(-8, 8)), y + int(rng.integers(-6, 6)))
            cv2.ellipse(
                scene,
                (at[0], at[1] + step // 2),
                (step // 2, step // 2),
                0,
                0,
                360,
                tuple(rng.uniform(20, 230, 3)),
                -1,
            )
            cv2.circle(scene, at, step // 4, tuple(rng.uniform([60, 90, 120], [170, 200, 240])), -1)
    yield from pan_photo(cv2.GaussianBlur(scene, (0, 0), 1.2), seed)


def slate(seed: int) -> Iterator[Picture]:
    """A table of results or a title: text on one colour or a gradient."""
    rng = np.random.default_rng(seed)
    base = [40, 150, 40] if rng.random() < 0.4 else rng.uniform(0, 255, 3)
    fade = np.linspace(0.6, 1.2, WIDTH, dtype=np.float32)[None, :, None]
    scene = np.clip(
        np.ones((HEIGHT, WIDTH, 3), np.float32) * np.array(base, np.float32) * fade, 0, 255
    ).astype(np.uint8)
    for row in range(int(rng.integers(1, 7))):
        cv2.putText(
            scene,
            "".join(rng.choice(list("ABCDEFGHIKLMNOPRSTU 0123456789"), 16)),
            (50, 60 + row * 48),
            cv2.FONT_HERSHEY_DUPLEX,
            1.1,
            (255, 255, 255),
            2,
        )
    for n in range(FRAMES):
        yield np.roll(scene, n // 4, axis=1)
