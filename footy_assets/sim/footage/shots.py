"""What a director cuts between: the main camera, close ones, the crowd, the scorer, replays."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np

from footy_assets.sim.footage.camera import Camera
from footy_assets.sim.footage.figures import (
    DIVE,
    FEET,
    JOY,
    STANDING,
    STRIDES,
    Kit,
    sized_figure,
    stride,
)
from footy_assets.sim.footage.planes import Matrix, Planes, Sprite, scratch
from footy_assets.sim.footage.play import (
    ATTACKERS,
    DEFENDERS,
    KEEPER,
    PEOPLE,
    REFEREE,
    Play,
)
from footy_assets.sim.footage.stadium import (
    LENGTH,
    WIDTH,
    Stadium,
    draw_goal,
    soft_shadow,
)

# A sprite is so many metres tall for a player of normal height.
SPRITE_METRES = 2.1
RUNNING = 1.2
# Above the roofs.
NIGHT = 34
# What stands still is drawn so much smaller and enlarged: a lens is not that sharp anyway.
COARSE = 1.5

Shot = Callable[[Planes, float], None]


@dataclass(frozen=True)
class Scene:
    """A ground, a move and the kits of those who play it: the scoring side first."""

    stadium: Stadium
    play: Play
    attackers: Kit
    defenders: Kit
    keepers: tuple[Kit, Kit]
    referee: Kit

    @property
    def goal_x(self) -> float:
        return LENGTH if self.play.right else 0.0

    def kit(self, person: int) -> Kit:
        if person in ATTACKERS:
            return self.attackers
        if person in DEFENDERS:
            return self.defenders
        if person == REFEREE:
            return self.referee
        return self.keepers[0] if person == KEEPER else self.keepers[1]

    def draw(self, picture: Planes, camera: Camera, t: float) -> None:
        places = self.play.people(t)
        feet = camera.see(np.column_stack([places, np.zeros(PEOPLE)]))
        self._ground(picture, camera, t, feet)
        from_behind = abs(camera.stands_at[0] - LENGTH / 2) > LENGTH / 2
        if not from_behind:
            self._goals(picture, camera)
        self._players(picture, camera, t, places, feet)
        if from_behind:
            self._goals(picture, camera)

    def _ground(self, picture: Planes, camera: Camera, t: float, feet: Matrix) -> None:
        """The stadium, and the shadows on it."""
        width, height = picture.size
        small = scratch(width, height, COARSE)
        small.clear(NIGHT)
        self.stadium.draw(small, replace(camera, width=small.size[0], height=small.size[1]))
        x, y, _ = self.play.ball(t)
        ball = camera.see(np.array([[x, y, 0.0]]))[0]
        for size, place in [(SPRITE_METRES, foot) for foot in feet] + [(0.9, ball)]:
            if place[2] > 1 and 0 < place[0] < width and 0 < place[1] < height:
                tall = camera.pixels_a_metre(place[2]) * size / COARSE
                shade = _shadow(round(tall / 4) * 4)
                middle = place[:2] / COARSE - [shade.width * 0.44, shade.height * 0.5]
                shade.onto(small, middle[0], middle[1], shade=True)
        picture.enlarged_from(small)

    def _goals(self, picture: Planes, camera: Camera) -> None:
        width, _ = picture.size
        for x in (0.0, LENGTH):
            seen = camera.see(np.array([[x, WIDTH / 2, 1.0]]))[0]
            if seen[2] > 1 and -0.4 * width < seen[0] < 1.4 * width:
                draw_goal(picture, camera, x)

    def _players(
        self, picture: Planes, camera: Camera, t: float, places: Matrix, feet: Matrix
    ) -> None:
        paces = (places - self.play.people(t - 0.08)) / 0.08
        aside = camera.see(np.column_stack([places + paces * 0.2, np.zeros(PEOPLE)]))
        width, height = picture.size
        ball = camera.see(np.array([self.play.ball(t)]))[0]
        drawn = False
        for person in np.argsort(-feet[:, 2]):
            x, y, depth = feet[person]
            if depth < 1:
                continue
            if not drawn and depth < ball[2]:
                self._ball(picture, camera, t)
                drawn = True
            tall = camera.pixels_a_metre(depth) * SPRITE_METRES
            if not (-tall < x < width + tall and 0 < y < height + tall):
                continue
            self._player(picture, person, t, (x, y), tall, aside[person, 0] < x, paces[person])
        if not drawn:
            self._ball(picture, camera, t)

    def _player(
        self,
        picture: Planes,
        person: int,
        t: float,
        feet: tuple[float, float],
        tall: float,
        left: bool,
        pace: np.ndarray,
    ) -> None:
        speed = float(np.hypot(*pace))
        pose = STANDING
        if person == KEEPER and self.play.dives(t) and t < self.play.goal_at + 2.5:
            pose = DIVE
        elif t > self.play.goal_at + 0.6 and person in (self.play.scorer, 8, 9):
            pose = JOY[int(t * 5 + person) % len(JOY)]
        elif speed > RUNNING:
            pose = stride(int(t * (8 + speed) + 2.3 * person) % STRIDES)
        sprite = sized_figure(self.kit(person), pose, person, left, tall)
        sprite.onto(picture, feet[0] - sprite.width / 2, feet[1] - sprite.height * FEET)

    def _ball(self, picture: Planes, camera: Camera, t: float) -> None:
        x, y, z = self.play.ball(t)
        seen = camera.see(np.array([[x, y, z + 0.11]]))[0]
        size = max(5, round(0.36 * camera.pixels_a_metre(seen[2])))
        ball = _ball_sprite(size, int(t * 12) % 4)
        ball.onto(picture, seen[0] - ball.width / 2, seen[1] - ball.height / 2)


class Operator:
    """The hand on the camera: it overshoots, corrects and zooms in its own way in every shot."""

    def __init__(self, rng: np.random.Generator, reach: float) -> None:
        self._pace = rng.uniform(0.7, 3.4, (3, 3))
        self._phase = rng.uniform(0, 6.3, (3, 3))
        self._reach = rng.uniform(0.4, 1.0, (3, 3)) * np.array([[reach], [0.7 * reach], [0.045]])

    def moves(self, t: float) -> tuple[float, float, float]:
        """Metres along the pitch and across it, and how much wider the view is."""
        x, y, zoom = (self._reach * np.sin(self._pace * t + self._phase)).sum(axis=1)
        return float(x), float(y), 1 + float(zoom)


def main_camera(scene: Scene, rng: np.random.Generator) -> Shot:
    """High on the halfway line, follows the ball, closes in on the goal."""
    stand = (LENGTH / 2 + rng.uniform(-10, 10), rng.uniform(-36, -24), rng.uniform(13, 22))
    far, near = rng.uniform(36, 52), rng.uniform(24, 36)
    lag, closing = rng.uniform(0.0, 0.6), rng.uniform(-0.4, 1.8)
    operator = Operator(rng, 1.5)

    def shot(picture: Planes, t: float) -> None:
        x, y = _followed(scene.play, t - lag)
        dx, dy, wider = operator.moves(t)
        close = 1 / (1 + math.exp(-(t - scene.play.goal_at + closing) * 1.3))
        aim_x = min(max(x, 12), LENGTH - 12) + dx
        aim = (aim_x, 0.45 * y + 0.55 * WIDTH * 0.52 + dy, 0.8)
        view = (far + (near - far) * close) * wider
        scene.draw(picture, Camera(stand, aim, view, *picture.size), t)

    return shot


def goal_mouth(scene: Scene, rng: np.random.Generator) -> Shot:
    """Tight on the goal from the side, at the moment after."""
    out = 1 if scene.goal_x == 0 else -1
    stand = (scene.goal_x + out * rng.uniform(12, 28), rng.uniform(-18, -11), rng.uniform(4, 9))
    view, drift, closing = rng.uniform(11, 19), rng.uniform(-2.5, 2.5, 2), rng.uniform(-2.5, 2.5)
    operator = Operator(rng, 0.4)

    def shot(picture: Planes, t: float) -> None:
        late = t - scene.play.goal_at
        dx, dy, wider = operator.moves(t)
        along = scene.goal_x + out * (2.5 + drift[0] * late) + dx
        aim = (along, WIDTH / 2 + drift[1] * late + dy, 1.2)
        tight = (view - closing * late) * wider
        scene.draw(picture, Camera(stand, aim, tight, *picture.size), t)

    return shot


def replay(scene: Scene, rng: np.random.Generator, pace: float, from_t: float) -> Shot:
    """The goal again, slowly, from behind it, from the other side, or close from above."""
    out = 1 if scene.goal_x == 0 else -1
    angle = int(rng.integers(3))
    if angle == 0:
        stand = (scene.goal_x - out * 17, WIDTH / 2 + rng.uniform(-20, 20), rng.uniform(5, 12))
    elif angle == 1:
        stand = (scene.goal_x + out * rng.uniform(4, 28), 80.0, rng.uniform(4, 10))
    else:
        stand = (scene.goal_x + out * rng.uniform(10, 34), -22.0, rng.uniform(8, 15))
    view, closing = rng.uniform(15, 26), rng.uniform(-1.6, 1.6)
    operator = Operator(rng, 0.8)

    def shot(picture: Planes, t: float) -> None:
        then = from_t + t * pace
        x, y = _followed(scene.play, then)
        dx, dy, wider = operator.moves(t)
        inside = scene.goal_x + out * min(abs(x - scene.goal_x), 24) * 0.75
        aim = (inside + dx, 0.7 * y + 0.3 * WIDTH / 2 + dy, 1.0)
        tight = (view - closing * t) * wider
        scene.draw(picture, Camera(stand, aim, tight, *picture.size), then)

    return shot


def _followed(play: Play, t: float) -> tuple[float, float]:
    """The ball's path as a camera operator smooths it."""
    seen = np.array([play.ball(t + shift)[:2] for shift in (-0.6, -0.3, 0.0, 0.3, 0.6)])
    return float(seen[:, 0].mean()), float(seen[:, 1].mean())


@lru_cache(maxsize=64)
def _shadow(height: int) -> Sprite:
    return soft_shadow(max(8, round(height * 0.42)), max(6, round(height * 0.13)), 120)


@lru_cache(maxsize=64)
def _ball_sprite(size: int, turn: int) -> Sprite:
    edge = 64
    bgra = np.zeros((edge, edge, 4), np.uint8)
    cv2.circle(bgra, (32, 32), 29, (242, 244, 244, 255), -1, cv2.LINE_AA)
    for spot in range(5):
        angle = 2 * math.pi * (spot / 5 + turn / 20)
        at = int(32 + 17 * math.cos(angle)), int(32 + 17 * math.sin(angle))
        cv2.circle(bgra, at, 5, (60, 50, 50, 255), -1, cv2.LINE_AA)
    return Sprite(bgra).scaled(max(4, size // 2 * 2))
