"""What is posted with a goal's words and shows no football: other pictures that move."""

import math
from collections.abc import Callable, Iterator
from enum import StrEnum

import cv2
import numpy as np

from footy_assets.sim.footage.planes import Colour, Picture, Planes

SIZE = (640, 360)
FPS = 15

Draw = Callable[[float], Picture]


class Place(StrEnum):
    STUDIO = "studio"
    TALKING_HEAD = "talking head"
    STREET = "street"
    BASKETBALL = "basketball"
    GAME = "video game"


def pictures(place: Place, seed: int, seconds: float) -> Iterator[Planes]:
    draw = DRAWN[place](np.random.default_rng(seed))
    for number in range(round(seconds * FPS)):
        yield Planes.from_bgr(draw(number / FPS))


def _talking_head(rng: np.random.Generator) -> Draw:
    """Someone in a room, speaking into a phone."""
    wall, shirt, skin = _colour(rng, 110, 190), _colour(rng, 20, 120), (115, 150, 205)
    room = _shaded(wall, rng)
    for number in range(4):
        x, y = int(rng.uniform(20, 560)), 40 + 50 * (number % 2)
        cv2.rectangle(room, (x, y), (x + 90, y + 60), _colour(rng, 40, 220), -1)
        cv2.rectangle(room, (x, y), (x + 90, y + 60), (40, 50, 60), 4)
    sway, talk = rng.uniform(0.6, 1.6, 2), rng.uniform(6, 9)
    centre = rng.uniform(270, 370)

    def draw(t: float) -> Picture:
        picture = room.copy()
        x = round(centre + 14 * math.sin(sway[0] * t))
        y = round(150 + 6 * math.sin(2.3 * sway[1] * t))
        cv2.ellipse(picture, (x, 390), (175, 160), 0, 0, 360, shirt, -1, cv2.LINE_AA)
        cv2.rectangle(picture, (x - 28, y + 60), (x + 28, y + 120), skin, -1)
        cv2.ellipse(picture, (x, y), (68, 92), 0, 0, 360, skin, -1, cv2.LINE_AA)
        cv2.ellipse(picture, (x, y - 34), (72, 66), 0, 180, 360, (30, 38, 52), -1, cv2.LINE_AA)
        for side in (-26, 26):
            cv2.ellipse(picture, (x + side, y - 8), (12, 7), 0, 0, 360, (240, 240, 240), -1)
            cv2.circle(picture, (x + side + round(3 * math.sin(t)), y - 8), 5, (50, 40, 30), -1)
        opening = 3 + round(9 * abs(math.sin(talk * t)))
        cv2.ellipse(picture, (x, y + 44), (22, opening), 0, 0, 360, (50, 40, 110), -1, cv2.LINE_AA)
        return picture

    return draw


def _studio(rng: np.random.Generator) -> Draw:
    """Two pundits at a desk before a screen wall."""
    back, desk = _colour(rng, 20, 90), _colour(rng, 120, 210)
    set_ = _shaded(back, rng)
    for x in range(0, 640, 80):
        cv2.line(set_, (x, 0), (x, 250), tuple(min(255, v + 40) for v in back), 3)
    suits = _colour(rng, 20, 70), _colour(rng, 40, 110)
    pace = rng.uniform(0.7, 1.8, 2)

    def draw(t: float) -> Picture:
        picture = set_.copy()
        glow = 120 + round(80 * math.sin(1.5 * t))
        cv2.rectangle(picture, (230, 40), (410, 150), (glow, 90, 160), -1)
        cv2.circle(picture, (320 + round(60 * math.sin(t)), 95), 24, (240, 230, 220), -1)
        for person, x in enumerate((180, 460)):
            nod = round(5 * math.sin(3 * pace[person] * t))
            cv2.ellipse(picture, (x, 290), (85, 110), 0, 0, 360, suits[person], -1, cv2.LINE_AA)
            cv2.rectangle(picture, (x - 10, 190), (x + 10, 260), (230, 230, 235), -1)
            cv2.ellipse(
                picture, (x, 148 + nod), (34, 45), 0, 0, 360, (120, 155, 205), -1, cv2.LINE_AA
            )
            cv2.ellipse(picture, (x, 134 + nod), (36, 34), 0, 180, 360, (35, 40, 55), -1)
            arm = x + round(50 * math.sin(pace[person] * t + person))
            cv2.line(picture, (x, 250), (arm, 268), (120, 155, 205), 12, cv2.LINE_AA)
        cv2.rectangle(picture, (0, 272), (640, 360), desk, -1)
        cv2.putText(picture, "SPORTS DESK", (40, 335), 2, 1.2, (40, 30, 30), 2, cv2.LINE_AA)
        return picture

    return draw


def _street(rng: np.random.Generator) -> Draw:
    """Houses, a road, cars and people who pass."""
    town = np.full((360, 1400, 3), (225, 205, 180), np.uint8)
    x = 0
    while x < 1400:
        wide, tall = int(rng.integers(90, 190)), int(rng.integers(120, 230))
        cv2.rectangle(town, (x, 250 - tall), (x + wide, 250), _colour(rng, 70, 190), -1)
        for wx in range(x + 14, x + wide - 20, 34):
            for wy in range(262 - tall, 230, 44):
                cv2.rectangle(town, (wx, wy), (wx + 18, wy + 26), (95, 85, 70), -1)
        x += wide
    town[250:275] = (150, 150, 155)
    town[275:] = (82, 80, 80)
    for x in range(0, 1400, 90):
        town[318:324, x : x + 45] = (225, 225, 225)
    grain = rng.normal(0, 5, town.shape[:2]).astype(np.float32)[:, :, None]
    town = np.clip(town + grain, 0, 255).astype(np.uint8)
    cars = [(rng.uniform(0, 900), rng.uniform(90, 220), _colour(rng, 30, 220)) for _ in range(4)]
    walkers = [(rng.uniform(0, 640), rng.uniform(-40, 40), _colour(rng, 30, 160)) for _ in range(5)]
    pan = rng.uniform(15, 45)

    def draw(t: float) -> Picture:
        left = int(pan * t) % 700
        picture = np.ascontiguousarray(town[:, left : left + 640])
        for start, speed, colour in walkers:
            x = int((start + speed * t) % 680) - 20
            cv2.line(picture, (x, 232), (x, 258), colour, 12, cv2.LINE_AA)
            cv2.circle(picture, (x, 220), 7, (120, 155, 205), -1, cv2.LINE_AA)
            step = round(6 * math.sin(7 * t + start))
            cv2.line(picture, (x, 256), (x + step, 278), (50, 45, 45), 5, cv2.LINE_AA)
        for lane, (start, speed, colour) in enumerate(cars):
            x, y = int((start + speed * t) % 900) - 150, 292 + 16 * lane
            cv2.rectangle(picture, (x, y - 24), (x + 110, y), colour, -1)
            cv2.rectangle(picture, (x + 22, y - 44), (x + 86, y - 24), colour, -1)
            cv2.rectangle(picture, (x + 30, y - 40), (x + 78, y - 26), (200, 190, 170), -1)
            for wheel in (24, 88):
                cv2.circle(picture, (x + wheel, y), 12, (25, 25, 25), -1, cv2.LINE_AA)
        return picture

    return draw


def _basketball(rng: np.random.Generator) -> Draw:
    """A wooden floor, painted lines, tall players, an orange ball."""
    floor = np.empty((360, 900, 3), np.float32)
    floor[:] = (110, 165, 215)
    floor += (np.arange(900) // 14 % 2 * 9.0)[None, :, None] + rng.normal(0, 4, (360, 900, 1))
    court = np.clip(floor, 0, 255).astype(np.uint8)
    court[:110] = rng.integers(20, 110, (110, 900, 3))
    court[:110] = cv2.GaussianBlur(court[:110], (0, 0), 3)
    paint = _colour(rng, 40, 170)
    cv2.fillPoly(court, [np.array([(620, 160), (840, 160), (880, 260), (640, 260)])], paint)
    cv2.ellipse(court, (450, 230), (110, 50), 0, 0, 360, (240, 240, 240), 4, cv2.LINE_AA)
    cv2.line(court, (450, 110), (450, 360), (240, 240, 240), 4)
    cv2.rectangle(court, (800, 20), (880, 80), (245, 245, 245), -1)
    cv2.ellipse(court, (820, 92), (22, 6), 0, 0, 360, (30, 90, 240), 4)
    shirts = _colour(rng, 20, 120), (235, 235, 235)
    moves = rng.uniform(0.4, 1.6, (10, 2)), rng.uniform(0, 6, (10, 2))

    def draw(t: float) -> Picture:
        left = round(130 + 120 * math.sin(0.5 * t))
        picture = np.ascontiguousarray(court[:, left : left + 640])
        for player in range(10):
            pace, phase = moves[0][player], moves[1][player]
            x = round(320 + 250 * math.sin(pace[0] * t + phase[0]))
            y = round(240 + 80 * math.sin(pace[1] * t + phase[1]))
            tall = 50 + (y - 160) // 4
            cv2.line(picture, (x, y), (x, y - tall), (90, 120, 170), tall // 5, cv2.LINE_AA)
            body = (x, y - tall // 2), (x, y - tall + 6)
            cv2.line(picture, *body, shirts[player % 2], tall // 3, cv2.LINE_AA)
            cv2.circle(picture, (x, y - tall - 8), 8, (90, 120, 170), -1, cv2.LINE_AA)
        ball = round(320 + 200 * math.sin(0.8 * t)), round(200 - 60 * abs(math.sin(4 * t)))
        cv2.circle(picture, ball, 9, (30, 110, 235), -1, cv2.LINE_AA)
        return picture

    return draw


def _game(rng: np.random.Generator) -> Draw:
    """A corridor rushing by, with a game's display over it."""
    wall, floor = _colour(rng, 40, 120), _colour(rng, 30, 90)
    turn, pace = rng.uniform(0.5, 1.2), rng.uniform(0.8, 1.6)

    def draw(t: float) -> Picture:
        picture = np.full((360, 640, 3), floor, np.uint8)
        picture[:150] = (60, 40, 45)
        cx, cy = 320 + round(120 * math.sin(turn * t)), 165 + round(12 * math.sin(5 * t))
        for ring in range(9, -1, -1):
            depth = max(0.1, ring + 1 - (pace * t) % 1)
            half = round(420 / depth), round(240 / depth)
            light = max(0.25, 1 - depth / 10)
            shade = tuple(int(v * light) for v in wall)
            a, b = (cx - half[0], cy - half[1]), (cx + half[0], cy + half[1])
            cv2.rectangle(picture, a, b, shade, max(2, round(40 / depth)))
        foe = cx + round(50 * math.sin(2 * t)), cy + 20
        cv2.rectangle(
            picture, (foe[0] - 18, foe[1] - 40), (foe[0] + 18, foe[1] + 30), (40, 40, 170), -1
        )
        cv2.circle(picture, (foe[0], foe[1] - 52), 14, (60, 60, 200), -1)
        cv2.fillPoly(
            picture, [np.array([(400, 360), (450, 250), (490, 250), (560, 360)])], (70, 70, 75)
        )
        cv2.drawMarker(picture, (320, 180), (255, 255, 255), cv2.MARKER_CROSS, 22, 2)
        health = round(150 * (0.6 + 0.3 * math.sin(0.7 * t)))
        cv2.rectangle(picture, (20, 330), (20 + health, 346), (60, 60, 230), -1)
        cv2.putText(picture, f"AMMO {30 - int(3 * t) % 30}", (500, 345), 2, 0.7, (255, 255, 255), 1)
        return picture

    return draw


def _colour(rng: np.random.Generator, low: int, high: int) -> Colour:
    """Never a green that could be grass."""
    blue, green, red = (int(value) for value in rng.integers(low, high, 3))
    return blue, min(green, (blue + red) // 2), red


def _shaded(colour: Colour, rng: np.random.Generator) -> Picture:
    fall = np.linspace(1.1, 0.7, SIZE[1])[:, None, None] * np.array(colour, np.float64)
    wall = np.broadcast_to(fall, (SIZE[1], SIZE[0], 3)) + rng.normal(0, 3, (SIZE[1], SIZE[0], 1))
    return np.clip(wall, 0, 255).astype(np.uint8)


DRAWN: dict[Place, Callable[[np.random.Generator], Draw]] = {
    Place.STUDIO: _studio,
    Place.TALKING_HEAD: _talking_head,
    Place.STREET: _street,
    Place.BASKETBALL: _basketball,
    Place.GAME: _game,
}
