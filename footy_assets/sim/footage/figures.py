"""Players drawn once per kit and pose, then only scaled and placed."""

import math
from functools import lru_cache
from typing import NamedTuple

import cv2
import numpy as np

from footy_assets.sim.footage.planes import Colour, Picture, Sprite

# A figure is drawn this tall; its sprite is wider than it, for arms and strides.
TALL, WIDE = 320, 240
STRIDES = 6
FEET = 0.97
# Sizes of figures: the smallest, and how much larger the next one is.
FINEST, GROWTH = 12, 1.05
LOOKS = 4
SKINS: tuple[Colour, ...] = ((140, 170, 215), (100, 135, 190), (62, 88, 135), (48, 62, 92))
HAIRS: tuple[Colour, ...] = ((25, 25, 30), (35, 50, 75), (70, 120, 160), (20, 20, 20))


class Kit(NamedTuple):
    shirt: Colour
    shorts: Colour
    socks: Colour
    stripes: Colour | None = None


class Pose(NamedTuple):
    """Angles in degrees from hanging down, forwards positive: thighs, knees, arms, elbows."""

    thighs: tuple[float, float]
    knees: tuple[float, float]
    arms: tuple[float, float]
    elbows: tuple[float, float] = (40, 40)
    lean: float = 6.0


STANDING = Pose((4, -4), (-4, -4), (8, -8), (10, 10), 0)
JOY = (
    Pose((14, -12), (-10, -14), (168, -160), (-14, 12), -4),
    Pose((38, -20), (-52, -12), (150, -172), (-22, 8), -2),
    Pose((-16, 30), (-12, -44), (172, -150), (-8, 20), -6),
)
DIVE = Pose((30, -22), (-30, -12), (160, 172), (0, 0), 60)


def stride(phase: int) -> Pose:
    """One of STRIDES moments of a run."""
    swing = math.sin(2 * math.pi * phase / STRIDES)
    lift = math.cos(2 * math.pi * phase / STRIDES)
    return Pose(
        (46 * swing, -46 * swing),
        (-18 - 55 * max(0.0, lift), -18 - 55 * max(0.0, -lift)),
        (-44 * swing, 44 * swing),
        (70, 70),
        9,
    )


@lru_cache(maxsize=64)
def figure(kit: Kit, pose: Pose, look: int = 0, number: int = 0, left: bool = False) -> Sprite:
    """The sprite of one player: `look` picks skin and hair."""
    picture = _drawn(kit, pose, look, number, left)
    return Sprite(np.ascontiguousarray(picture[:, ::-1]) if left else picture)


@lru_cache(maxsize=256)
def _reduced(kit: Kit, pose: Pose, look: int, left: bool, level: int) -> Sprite:
    """Halved again and again, so that small figures are not made from large ones each time."""
    if level == 0:
        return figure(kit, pose, look, 0, left)
    larger = _reduced(kit, pose, look, left, level - 1)
    return larger.scaled(larger.height // 2)


@lru_cache(maxsize=1024)
def _sized(kit: Kit, pose: Pose, look: int, left: bool, step: int) -> Sprite:
    height = round(FINEST * GROWTH**step)
    level = max(0, int(math.log2(TALL / height)))
    return _reduced(kit, pose, look, left, level).scaled(height)


def sized_figure(kit: Kit, pose: Pose, look: int, left: bool, height: float) -> Sprite:
    """A figure about so many pixels high, out of a ladder of sizes."""
    step = max(0, round(math.log(max(height, FINEST) / FINEST) / math.log(GROWTH)))
    return _sized(kit, pose, look % LOOKS, left, step)


def _drawn(kit: Kit, pose: Pose, look: int, number: int, turned: bool) -> Picture:
    bgra = np.zeros((TALL, WIDE, 4), np.uint8)
    skin, hair = SKINS[look % len(SKINS)], HAIRS[(look * 3 + 1) % len(HAIRS)]
    lean = math.radians(pose.lean)
    hip = np.array([WIDE / 2 - 20 * math.sin(lean), TALL * 0.53])
    up = np.array([math.sin(lean), -math.cos(lean)])
    side = np.array([math.cos(lean), math.sin(lean)])
    neck = hip + up * TALL * 0.30
    shade = 0.72
    for near in (0, 1):
        dim = 1.0 if near else shade
        _leg(bgra, hip + side * (4 - 8 * near), pose.thighs[near], pose.knees[near], kit, skin, dim)
        if near == 0:
            _arm(bgra, neck + up * -12, pose, 0, kit, skin, dim)
    torso = np.array(
        [
            hip - side * 24 - up * 4,
            neck - side * 30 - up * 14,
            neck - side * 12,
            neck + side * 12,
            neck + side * 30 - up * 14,
            hip + side * 24 - up * 4,
        ]
    )
    _polygon(bgra, torso, kit.shirt)
    if kit.stripes is not None:
        for shift in (-14, 14):
            band = [neck + side * shift, hip + side * shift]
            _stroke(bgra, band[0] - up * 8, band[1], kit.stripes, 9)
    if number:
        _numbered(bgra, hip + up * 34, number, kit.shirt, turned)
    waist, hem = (hip - side * 25 + up * 8, hip + side * 25 + up * 8), hip - up * 26
    shorts = np.array([*waist, hem + side * 27, hem - side * 27])
    _polygon(bgra, shorts, kit.shorts)
    _arm(bgra, neck + up * -12, pose, 1, kit, skin, 1.0)
    head = neck + up * 24
    _stroke(bgra, neck - up * 4, head, skin, 15)
    cv2.circle(bgra, _whole(head), 19, (*skin, 255), -1, cv2.LINE_AA)
    cv2.ellipse(bgra, _whole(head + up * 5), (19, 15), pose.lean, 180, 360, (*hair, 255), -1)
    return bgra


def _numbered(bgra: Picture, at: np.ndarray, number: int, shirt: Colour, turned: bool) -> None:
    """`turned`: the whole figure will be, so the number is already."""
    text, face = str(number), cv2.FONT_HERSHEY_DUPLEX
    ink = (20, 20, 20) if sum(shirt) > 380 else (245, 245, 245)
    x, y = int(at[0]) - 11 * len(text), int(at[1])
    cv2.putText(bgra, text, (x, y), face, 1.1, (*ink, 255), 3, cv2.LINE_AA)
    if turned:
        part = bgra[y - 30 : y + 6, x : x + 22 * len(text)]
        part[:] = part[:, ::-1].copy()


def _leg(
    bgra: Picture, hip: np.ndarray, thigh: float, knee: float, kit: Kit, skin: Colour, dim: float
) -> None:
    bend = hip + _reach(thigh, TALL * 0.22)
    foot = bend + _reach(thigh + knee, TALL * 0.21)
    _stroke(bgra, hip, bend, _dimmed(skin, dim), 21)
    _stroke(bgra, hip, hip + (bend - hip) * 0.62, _dimmed(kit.shorts, dim), 29)
    _stroke(bgra, bend + (foot - bend) * 0.18, foot, _dimmed(kit.socks, dim), 17)
    _stroke(bgra, foot, foot + _reach(thigh + knee + 80, 15), (30, 30, 34), 13)


def _arm(
    bgra: Picture, neck: np.ndarray, pose: Pose, which: int, kit: Kit, skin: Colour, dim: float
) -> None:
    shoulder = neck + np.array([-18.0 if which else 18.0, 4.0])
    angle = pose.arms[which]
    elbow = shoulder + _reach(angle, TALL * 0.14)
    hand = elbow + _reach(angle + pose.elbows[which], TALL * 0.14)
    _stroke(bgra, elbow, hand, _dimmed(skin, dim), 12)
    _stroke(bgra, shoulder, elbow, _dimmed(kit.shirt, dim), 19)


def _reach(angle: float, length: float) -> np.ndarray:
    turned = math.radians(angle)
    return np.array([math.sin(turned) * length, math.cos(turned) * length])


def _stroke(bgra: Picture, a: np.ndarray, b: np.ndarray, colour: Colour, width: int) -> None:
    cv2.line(bgra, _whole(a), _whole(b), (*colour, 255), width, cv2.LINE_AA)


def _polygon(bgra: Picture, corners: np.ndarray, colour: Colour) -> None:
    points = np.rint(corners).astype(np.int32)
    cv2.fillPoly(bgra, [points], (*colour, 255), cv2.LINE_AA)
    cv2.polylines(bgra, [points], True, (*_dimmed(colour, 0.8), 255), 3, cv2.LINE_AA)


def _dimmed(colour: Colour, by: float) -> Colour:
    blue, green, red = colour
    return int(blue * by), int(green * by), int(red * by)


def _whole(point: np.ndarray) -> tuple[int, int]:
    return int(point[0]), int(point[1])
