"""Shots of people: the scorer and his side, the fans."""

import math
from functools import lru_cache

import cv2
import numpy as np

from footy_assets.sim.footage.figures import (
    HAIRS,
    JOY,
    SKINS,
    STRIDES,
    Kit,
    Pose,
    figure,
    sized_figure,
    stride,
)
from footy_assets.sim.footage.planes import Colour, Picture, Planes, Sprite, scratch
from footy_assets.sim.footage.shots import Scene, Shot
from footy_assets.sim.footage.stadium import STAND_GRAIN

# The stand behind a close-up is drawn so much smaller: it is out of focus.
BLURRED = 4.0


def celebration(scene: Scene, rng: np.random.Generator, number: int) -> Shot:
    """The scorer close up, running and shouting, team-mates behind him, the stand blurred."""
    texture = scene.stadium.far[0].texture
    left = bool(rng.integers(2))
    start, drift = rng.uniform(100, texture.size[0] - 500), rng.uniform(25, 60) * (-1) ** left
    step, phase = rng.uniform(2.2, 3.2), rng.uniform(0, 6)
    mates = [
        (rng.uniform(-0.42, 0.42), rng.uniform(0.5, 0.8), int(p)) for p in rng.integers(0, 9, 2)
    ]
    look, path = int(rng.integers(11)), rng.uniform(-0.09, 0.09)
    backdrop = _blurred(texture, 6.0)
    grass = int(rng.integers(2))

    def shot(picture: Planes, t: float) -> None:
        width, height = picture.size
        small = scratch(width, height, BLURRED)
        scale = small.size[1] / (9 * STAND_GRAIN)
        small.window(backdrop, start + drift * t, 11 * STAND_GRAIN, scale)
        picture.enlarged_from(small)
        if grass:
            low = int(height * 0.86) // 2 * 2
            for plane, value, until in zip(picture.each, (96, 112, 112), (1, 2, 2), strict=True):
                plane[low // until :] = value
        for x, size, mate in mates:
            tall = height * size * 1.5
            pose = JOY[int(t * 4 + mate) % len(JOY)] if mate % 2 else stride(int(t * 11) % STRIDES)
            sprite = sized_figure(scene.attackers, pose, mate, left, tall)
            across = width * (0.5 + x + 0.05 * math.sin(1.3 * t + mate)) - sprite.width / 2
            sprite.onto(picture, across, height * (0.32 - 0.02 * math.sin(9 * t + mate)))
        tall = round(height * 1.75)
        hero = _big(scene.attackers, JOY[int(t * step) % len(JOY)], look, number, left, tall)
        bob = 0.03 * abs(math.sin(math.pi * step * t + phase))
        across = width * (0.5 + path * t + 0.03 * math.sin(2 * t + phase)) - hero.width / 2
        hero.onto(picture, across, height * (0.02 - bob))

    return shot


def crowd(rng: np.random.Generator, colours: tuple[Colour, Colour], size: tuple[int, int]) -> Shot:
    """Fans who jump, row behind row."""
    width, height = size
    rows = [_fans(rng, colours, width, height, 0.20 + 0.05 * row) for row in range(4)]
    pace, phase = rng.uniform(5, 11, len(rows)), rng.uniform(0, 6, len(rows))
    pan, back = rng.uniform(-50, 50), int(rng.integers(30, 70))

    def shot(picture: Planes, t: float) -> None:
        picture.clear(back)
        for number, row in enumerate(rows):
            jump = 0.035 * height * abs(math.sin(pace[number] / 2 * t + phase[number]))
            x = -(row.width - width) / 2 + pan * t * (0.6 + 0.2 * number)
            row.onto(picture, x, height * (0.02 + 0.2 * number) - jump)

    return shot


@lru_cache(maxsize=6)
def _big(kit: Kit, pose: Pose, look: int, number: int, left: bool, tall: int) -> Sprite:
    return figure(kit, pose, look, number, left).scaled(tall)


@lru_cache(maxsize=8)
def _blurred(texture: Planes, by: float) -> Planes:
    soft = texture.copy()
    for plane, source, half in zip(soft.each, texture.each, (1, 2, 2), strict=True):
        cv2.GaussianBlur(source, (0, 0), by / half, dst=plane)
    return soft


def _fans(
    rng: np.random.Generator, colours: tuple[Colour, Colour], width: int, height: int, tall: float
) -> Sprite:
    """A strip of people shoulder to shoulder, some with raised arms or scarves."""
    wide, high = round(width * 1.3), round(height * (tall + 0.45))
    bgra: Picture = np.zeros((high, wide, 4), np.uint8)
    head = height * tall * 0.2
    x = -head
    while x < wide + head:
        top = height * 0.14 + rng.uniform(-0.3, 0.3) * head
        shirt = colours[int(rng.integers(2))] if rng.random() < 0.7 else rng.integers(20, 200, 3)
        worn = tuple(int(value * rng.uniform(0.7, 1)) for value in shirt)
        skin = SKINS[int(rng.integers(len(SKINS)))]
        hair = HAIRS[int(rng.integers(len(HAIRS)))]
        body = (round(x), round(top + head * 4.2)), (round(head * 1.7), round(head * 3))
        cv2.ellipse(bgra, *body, 0, 0, 360, (*worn, 255), -1, cv2.LINE_AA)
        if rng.random() < 0.5:
            for side in (-1, 1):
                hand = round(x + side * head * rng.uniform(1.2, 2)), round(top - head * 1.6)
                shoulder = round(x + side * head * 1.2), round(top + head * 2)
                cv2.line(bgra, shoulder, hand, (*skin, 255), max(2, round(head * 0.6)), cv2.LINE_AA)
        cv2.circle(bgra, (round(x), round(top)), round(head), (*skin, 255), -1, cv2.LINE_AA)
        at = round(x), round(top - head * 0.25)
        cv2.ellipse(bgra, at, (round(head), round(head * 0.8)), 0, 180, 360, (*hair, 255), -1)
        mouth = round(x), round(top + head * 0.45)
        cv2.circle(bgra, mouth, max(1, round(head * 0.25)), (30, 30, 60, 255), -1, cv2.LINE_AA)
        x += head * rng.uniform(2.2, 3.0)
    bgra[round(height * 0.14 + head * 4) :, :, 3] = 255
    return Sprite(bgra)
