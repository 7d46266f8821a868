"""A ground with its grass, lines, boards and stands, as textures on planes."""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from footy_assets.sim.footage.camera import Camera, Point
from footy_assets.sim.footage.planes import Colour, Picture, Planes, Sprite

LENGTH, WIDTH = 105.0, 68.0
# What the ground texture covers, in metres, and its grain in pixels a metre.
LEFT, RIGHT, NEAR, FAR = -10.0, 115.0, -8.0, 74.0
GRAIN = 16
STAND_GRAIN, STAND_HEIGHT = 9, 26.0
BOARD_GRAIN, BOARD_HEIGHT = 24, 1.0
# A spectator in pixels of a stand.
PERSON_WIDTH, PERSON_HEIGHT = 5, 7
BOARD_WORDS = (
    "NORTHERN RAIL",
    "KOLA",
    "AEROLINEA",
    "SPORTWELT",
    "MOTORI",
    "VOLT ENERGY",
    "BANCA UNO",
    "TELEKO",
    "PILS",
    "CREDIT NORD",
    "TYRES",
    "FRESH",
)
CHALK = (228, 236, 230)
# In pixels, wider than real lines: far ones would be lost between the pixels of a picture.
CHALK_WIDTH = 3


class Ground(NamedTuple):
    """How one ground looks: what differs from stadium to stadium."""

    seed: int
    seats: Colour
    fans: tuple[Colour, Colour]


class Wall(NamedTuple):
    """A texture that stands upright."""

    texture: Planes
    origin: Point
    across: Point
    down: Point


@dataclass(frozen=True)
class Stadium:
    grass: Planes
    far: tuple[Wall, ...]
    near: tuple[Wall, ...]
    left: tuple[Wall, ...]
    right: tuple[Wall, ...]

    def draw(self, picture: Planes, camera: Camera) -> None:
        """Everything that does not move. Stands between the camera and the pitch are left out."""
        x, y, _ = camera.stands_at
        width, height = picture.size
        edge = camera.see(np.array([(LEFT, FAR, 0.0), (RIGHT, FAR, 0.0)]))
        grass_from = int(edge[:, 1].min()) - 2 if y < FAR and edge[:, 2].min() > 1 else 0
        matrix = camera.plane((LEFT, FAR, 0), (1 / GRAIN, 0, 0), (0, -1 / GRAIN, 0))
        picture.warp(self.grass, matrix, (0, grass_from, width, height))
        sides = (
            (self.far, y < FAR),
            (self.near, y > FAR),
            (self.left, x > 0),
            (self.right, x < LENGTH),
        )
        for walls, seen in sides:
            for wall in walls if seen else ():
                self._draw_wall(picture, camera, wall)

    def _draw_wall(self, picture: Planes, camera: Camera, wall: Wall) -> None:
        width, height = wall.texture.size
        corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float64)
        origin, across, down = (np.array(value) for value in wall[1:])
        seen = camera.see(origin + corners[:, :1] * across + corners[:, 1:] * down)
        ahead = seen[:, 2] > 0.5
        if not ahead.any():
            return
        box = (0, 0, *picture.size)
        if ahead.all():
            left, top = np.floor(seen[:, :2].min(axis=0)).astype(int)
            right, bottom = np.ceil(seen[:, :2].max(axis=0)).astype(int)
            box = (int(left), int(top), int(right) + 1, int(bottom) + 1)
        picture.warp(wall.texture, camera.plane(wall.origin, wall.across, wall.down), box)


@lru_cache(maxsize=4)
def build(ground: Ground) -> Stadium:
    rng = np.random.default_rng(ground.seed)
    stand = Planes.from_bgr(_stand(rng, ground, RIGHT - LEFT))
    end = Planes.from_bgr(_stand(rng, ground, FAR - NEAR))
    boards = Planes.from_bgr(_boards(rng, RIGHT - LEFT))
    short = Planes.from_bgr(_boards(rng, FAR - NEAR))
    step, fine = 1 / STAND_GRAIN, 1 / BOARD_GRAIN
    top, low = STAND_HEIGHT, BOARD_HEIGHT
    return Stadium(
        grass=Planes.from_bgr(_grass(rng)),
        far=(
            Wall(stand, (LEFT, FAR, top), (step, 0, 0), (0, 0, -step)),
            Wall(boards, (LEFT, WIDTH + 4, low), (fine, 0, 0), (0, 0, -fine)),
        ),
        near=(
            Wall(stand, (RIGHT, NEAR, top), (-step, 0, 0), (0, 0, -step)),
            Wall(boards, (RIGHT, -4, low), (-fine, 0, 0), (0, 0, -fine)),
        ),
        left=(
            Wall(end, (LEFT, NEAR, top), (0, step, 0), (0, 0, -step)),
            Wall(short, (-6, NEAR, low), (0, fine, 0), (0, 0, -fine)),
        ),
        right=(
            Wall(end, (RIGHT, FAR, top), (0, -step, 0), (0, 0, -step)),
            Wall(short, (LENGTH + 6, FAR, low), (0, -fine, 0), (0, 0, -fine)),
        ),
    )


def _grass(rng: np.random.Generator) -> Picture:
    """The far touchline is up: a row is a line along the pitch."""
    width, height = round((RIGHT - LEFT) * GRAIN), round((FAR - NEAR) * GRAIN)
    green = np.array([rng.uniform(38, 60), rng.uniform(118, 142), rng.uniform(62, 88)])
    shade = _noise(rng, width, height, 2, 5.0) + _noise(rng, width, height, 24, 4.0)
    shade += _noise(rng, width, height, 200, 3.0)
    metres = np.arange(width) / GRAIN + LEFT
    stripes = np.where((metres // 5.25) % 2 == 0, rng.uniform(5, 9), -6.0)
    shade += stripes.astype(np.float32)[None, :]
    if rng.random() < 0.4:
        across = np.arange(height) / GRAIN
        shade += np.where((across // 6.8) % 2 == 0, 4.0, -4.0).astype(np.float32)[:, None]
    picture = np.empty((height, width, 3), np.float32)
    for channel, base in enumerate(green):
        picture[:, :, channel] = base + shade * (base / 120)
    grass = np.clip(picture, 0, 255).astype(np.uint8)
    _chalk(grass)
    return grass


def _chalk(grass: Picture) -> None:
    def at(x: float, y: float) -> tuple[int, int]:
        return round((x - LEFT) * GRAIN * 8), round((FAR - y) * GRAIN * 8)

    def box(x0: float, y0: float, x1: float, y1: float) -> None:
        cv2.rectangle(grass, at(x0, y0), at(x1, y1), CHALK, CHALK_WIDTH, cv2.LINE_AA, 3)

    def arc(x: float, y: float, radius: float, first: float, last: float) -> None:
        reach = round(radius * GRAIN * 8)
        cv2.ellipse(
            grass, at(x, y), (reach, reach), 0, first, last, CHALK, CHALK_WIDTH, cv2.LINE_AA, 3
        )

    box(0, 0, LENGTH, WIDTH)
    cv2.line(grass, at(LENGTH / 2, 0), at(LENGTH / 2, WIDTH), CHALK, CHALK_WIDTH, cv2.LINE_AA, 3)
    arc(LENGTH / 2, WIDTH / 2, 9.15, 0, 360)
    middle = WIDTH / 2
    for end, inwards in ((0.0, 1), (LENGTH, -1)):
        box(end, middle - 20.16, end + inwards * 16.5, middle + 20.16)
        box(end, middle - 9.16, end + inwards * 5.5, middle + 9.16)
        spot = end + inwards * 11
        turn = 0 if inwards > 0 else 180
        arc(spot, middle, 9.15, turn - 53, turn + 53)
        cv2.circle(grass, at(spot, middle), 24, CHALK, -1, cv2.LINE_AA, 3)
    cv2.circle(grass, at(LENGTH / 2, middle), 24, CHALK, -1, cv2.LINE_AA, 3)


def _stand(rng: np.random.Generator, ground: Ground, length: float) -> Picture:
    """Rows of people, heads and shirts, with stairs and a darker roof."""
    width, height = round(length * STAND_GRAIN), round(STAND_HEIGHT * STAND_GRAIN)
    picture = np.empty((height, width, 3), np.uint8)
    picture[:] = (np.array(ground.seats) * 0.55).astype(np.uint8)
    shirts = np.array([*ground.fans, (40, 38, 42), (200, 200, 205), (90, 70, 60), (60, 50, 110)])
    skins = np.array([(130, 160, 205), (95, 125, 180), (60, 85, 130), (150, 180, 220)])
    across = width // PERSON_WIDTH
    for row in range(height // PERSON_HEIGHT):
        light = rng.uniform(0.55, 1.0, (across, 1)) * (rng.random((across, 1)) > 0.06)
        worn = np.minimum(rng.exponential(1.5, across).astype(int), len(shirts) - 1)
        line = np.repeat(shirts[worn] * light, PERSON_WIDTH, axis=0).astype(np.uint8)
        heads = (np.repeat(skins[rng.integers(0, len(skins), across)] * light, 2, axis=0)).astype(
            np.uint8
        )
        top, shift = row * PERSON_HEIGHT, int(rng.integers(PERSON_WIDTH))
        picture[top + 3 : top + 7, : len(line)] = np.roll(line, shift, axis=0)
        columns = np.arange(across)[:, None] * PERSON_WIDTH + [1, 2]
        picture[top : top + 3, (columns.ravel() + shift) % len(line)] = heads
    for x in range(int(rng.integers(40, 120)), width, int(13 * STAND_GRAIN)):
        picture[:, x : x + 8] = (96, 98, 100)
    tier = int(height * rng.uniform(0.42, 0.58))
    picture[tier : tier + 14] = (np.array(ground.fans[0]) * 0.7 + 30).astype(np.uint8)
    fall = np.linspace(0.35, 1.0, height, dtype=np.float32)[:, None, None]
    soft = cv2.GaussianBlur(picture, (3, 3), 0)
    return np.asarray(np.clip(soft * fall, 0, 255), np.uint8)


def _boards(rng: np.random.Generator, length: float) -> Picture:
    width, height = round(length * BOARD_GRAIN), round(BOARD_HEIGHT * BOARD_GRAIN)
    picture = np.zeros((height, width, 3), np.uint8)
    x = 0
    while x < width:
        wide = int(rng.integers(6, 11)) * BOARD_GRAIN
        dark = rng.random() < 0.5
        paper = rng.integers(0, 90, 3) if dark else rng.integers(150, 256, 3)
        picture[:, x : x + wide] = paper
        ink = (245, 245, 245) if dark else (30, 20, 20)
        word = str(rng.choice(BOARD_WORDS))
        cv2.putText(
            picture, word, (x + 14, height - 5), cv2.FONT_HERSHEY_DUPLEX, 0.62, ink, 1, cv2.LINE_AA
        )
        x += wide
    return picture


def _noise(
    rng: np.random.Generator, width: int, height: int, grain: int, strength: float
) -> NDArray[np.float32]:
    coarse = rng.standard_normal((height // grain + 2, width // grain + 2), dtype=np.float32)
    return np.asarray(
        cv2.resize(coarse, (width, height), interpolation=cv2.INTER_LINEAR) * strength, np.float32
    )


def net_lines(goal_x: float, inwards: int) -> NDArray[np.float64]:
    """The goal's net as pairs of ends, in metres."""
    middle, half, tall, deep = WIDTH / 2, 3.66, 2.44, 2.0
    back = goal_x - inwards * deep
    lines = []
    for share in np.linspace(0, 1, 15):
        y = middle - half + 2 * half * share
        lines += [(back, y, 0, back, y, tall * 0.85), (back, y, tall * 0.85, goal_x, y, tall)]
    for z in np.linspace(0, tall * 0.85, 6):
        lines.append((back, middle - half, z, back, middle + half, z))
        for side in (-half, half):
            lines.append((back, middle + side, z, goal_x, middle + side, z * tall / 2.07))
    return np.array(lines, np.float64)


def goal_frame(goal_x: float) -> NDArray[np.float64]:
    low, high = WIDTH / 2 - 3.66, WIDTH / 2 + 3.66
    x = goal_x
    return np.array(
        [(x, low, 0, x, low, 2.44), (x, high, 0, x, high, 2.44), (x, low, 2.44, x, high, 2.44)]
    )


def draw_goal(picture: Planes, camera: Camera, goal_x: float) -> None:
    inwards = 1 if goal_x == 0 else -1
    for lines, frame in ((net_lines(goal_x, inwards), False), (goal_frame(goal_x), True)):
        first, last = camera.see(lines[:, :3]), camera.see(lines[:, 3:])
        ahead = (first[:, 2] > 0.5) & (last[:, 2] > 0.5)
        if ahead.any():
            near = camera.pixels_a_metre(float(first[ahead][0, 2]))
            thick = max(1, round(0.13 * near)) if frame else 1
            picture.lines(first[ahead], last[ahead], 232 if frame else 176, thick)


def soft_shadow(width: int, height: int, strength: int) -> Sprite:
    cover = np.zeros((height, width), np.uint8)
    centre = (width // 2, height // 2)
    cv2.ellipse(cover, centre, (width // 2 - 2, height // 2 - 2), 0, 0, 360, strength, -1)
    bgra = np.zeros((height, width, 4), np.uint8)
    bgra[:, :, 3] = cv2.GaussianBlur(cover, (0, 0), max(1.0, height / 10))
    return Sprite(bgra)
