"""Films as a hand-held camera records them off a screen."""

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np

from benchmarks.validation_scenes.drawing import (
    texture,
)
from benchmarks.validation_scenes.video import FPS, HEIGHT, WIDTH, Picture


@dataclass(frozen=True)
class ScreenStyle:
    """Ranges of the random parameters of a recording: parts of the frame, pixels or gray levels.

    `fill` is the part of the frame that the screen takes (over 1: its edges are cut off), `moved`
    the distance of its centre from that of the frame.
    """

    fill: tuple[float, float] = (0.6, 0.95)
    moved: float = 0.03
    skew: float = 0.05
    shake: tuple[float, float] = (0.002, 0.015)
    bezel: tuple[float, float] = (0.0, 0.06)
    bezel_shade: tuple[float, float] = (5, 60)
    room_shade: tuple[float, float] = (5, 60)
    room_detail: float = 4.0
    moire: tuple[float, float] = (0.0, 8.0)
    blur: tuple[float, float] = (0.5, 1.8)
    noise: tuple[float, float] = (1.0, 8.0)
    gamma: tuple[float, float] = (0.65, 1.25)
    size: tuple[int, int] = (WIDTH, HEIGHT)


SCREEN_STYLES: dict[str, ScreenStyle] = {
    "dark_room": ScreenStyle(),
    "lit_room": ScreenStyle(
        fill=(0.55, 0.85), room_shade=(90, 210), room_detail=25.0, bezel=(0.02, 0.07)
    ),
    "partly_cut_off": ScreenStyle(fill=(0.9, 1.08), moved=0.1, bezel=(0.02, 0.08)),
    "moire_only": ScreenStyle(fill=(1.08, 1.3), moire=(4.0, 12.0), skew=0.02),
    "strong_shake": ScreenStyle(shake=(0.015, 0.04)),
    "steady_hand": ScreenStyle(shake=(0.0004, 0.002), moire=(0.0, 5.0)),
    "portrait": ScreenStyle(
        fill=(0.85, 1.0), size=(360, 640), room_shade=(5, 150), room_detail=15.0
    ),
}


# No screen, but a hand, a noisy sensor and a bad lens: must not be detected as a screen.
HAND_HELD = ScreenStyle(fill=(1.12, 1.35), moire=(0.0, 0.0), skew=0.01, shake=(0.002, 0.03))


def record_off_screen(
    pictures: Iterator[Picture], style: ScreenStyle, seed: int
) -> Iterator[Picture]:
    """The pictures as a hand-held camera records them off a screen."""
    rng = np.random.default_rng(seed)
    width, height = style.size
    yy, xx = np.mgrid[0:height, 0:width].astype(np.float32)
    radius = (xx / width - 0.5) ** 2 + (yy / height - 0.5) ** 2
    vignette = 1 - rng.uniform(0, 0.8) * radius
    room = np.full(
        (height, width, 3), rng.uniform(*style.room_shade) * rng.uniform(0.85, 1.15, 3), np.float32
    )
    room += texture(rng, (width, height), (8, 30, 90))[..., None] * rng.uniform(
        0, style.room_detail
    )
    fill, skew = rng.uniform(*style.fill), rng.uniform(-style.skew, style.skew, (4, 2))
    moved, turn = rng.uniform(-style.moved, style.moved, 2), rng.normal(0, 0.02)
    shake, rates = rng.uniform(*style.shake), rng.uniform(0.8, 7, (2, 3))
    phases, breathing = rng.uniform(0, 6, (2, 3)), rng.uniform(0, 0.015)
    bezel, bezel_shade = rng.uniform(*style.bezel), rng.uniform(*style.bezel_shade)
    waves = [
        (
            rng.uniform(0.5, 2.4),
            rng.uniform(0, np.pi),
            rng.uniform(*style.moire),
            rng.uniform(-3, 3),
        )
        for _ in range(int(rng.integers(1, 4)))
    ]
    blur, noise, gamma = (
        rng.uniform(*style.blur),
        rng.uniform(*style.noise),
        rng.uniform(*style.gamma),
    )
    tint, black = rng.uniform(0.9, 1.1, 3).astype(np.float32), rng.uniform(0, 18)
    flicker, flicker_rate = rng.uniform(0, 0.04), rng.uniform(3, 30)
    for n, picture in enumerate(pictures):
        t = n / FPS
        aspect = picture.shape[1] / picture.shape[0]
        half = np.array([width, width / aspect]) / 2
        if half[1] > height / 2 and style.size[0] > style.size[1]:
            half *= height / 2 / half[1]
        corners = (
            np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
            * fill
            * (1 + breathing * np.sin(0.8 * t))
            * half
        )
        spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        sway = shake * width * np.sin(rates * t + phases).sum(axis=1) / 1.7
        corners = (
            (corners + skew * 2 * half) @ spin.T
            + [width / 2, height / 2]
            + moved * [width, height]
            + sway
        )
        seen = room.copy()
        if bezel > 0:
            outer = (corners - corners.mean(axis=0)) * (1 + 2 * bezel) + corners.mean(axis=0)
            cv2.fillPoly(
                seen, [np.round(outer * 16).astype(np.int32)], (bezel_shade,) * 3, cv2.LINE_AA, 4
            )
        quad = np.array(
            [
                [0, 0],
                [picture.shape[1], 0],
                [picture.shape[1], picture.shape[0]],
                [0, picture.shape[0]],
            ],
            np.float32,
        )
        matrix = cv2.getPerspectiveTransform(quad, corners.astype(np.float32))
        screen = cv2.warpPerspective(picture, matrix, (width, height), flags=cv2.INTER_AREA).astype(
            np.float32
        )
        mask = cv2.warpPerspective(np.ones(picture.shape[:2], np.float32), matrix, (width, height))[
            ..., None
        ]
        for rate, angle, strength, drift in waves:
            wave = np.sin(rate * (xx * np.cos(angle) + yy * np.sin(angle)) + drift * t)
            screen += strength * wave[..., None]
        seen = seen * (1 - mask) + screen * mask
        seen = cv2.GaussianBlur(seen, (0, 0), blur)
        seen = 255 * (np.clip(seen, 0, 255) / 255) ** gamma * vignette[..., None]
        seen *= 1 + flicker * np.sin(flicker_rate * t)
        seen += black + rng.normal(0, noise, (height, width)).astype(np.float32)[..., None]
        yield np.clip(seen * tint, 0, 255).astype(np.uint8)
