"""The move that ends in the goal: where the ball and every player are at each moment."""

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from footy_assets.sim.footage.stadium import LENGTH, WIDTH

Places = NDArray[np.float64]

# Ten of the attacking side, ten of the defending one, both goalkeepers, the referee.
ATTACKERS, DEFENDERS = range(10), range(10, 20)
KEEPER, OTHER_KEEPER, REFEREE = 20, 21, 22
PEOPLE = 23

# Metres from the goal that is attacked, and from the middle of the pitch.
ATTACKING = (
    (52, -18), (50, -6), (51, 7), (50, 19), (38, -14), (36, 0), (37, 13),
    (22, -17), (18, 1), (21, 15),
)  # fmt: skip
DEFENDING = (
    (17, -15), (15, -5), (15, 5), (17, 15), (26, -12), (25, -1), (26, 11),
    (36, -9), (38, 6), (44, 0),
)  # fmt: skip


@dataclass(frozen=True)
class Touch:
    """The ball at a player's feet (or, last, in the net) at a moment."""

    at: float
    x: float
    y: float
    z: float = 0.0
    player: int | None = None
    arc: float = 0.0


class Play:
    """Everything is a smooth function of time in seconds; the ball crosses the line at `goal_at`.

    `right` is the end that is attacked. Penalties have everyone outside the box and one kick.
    """

    def __init__(self, seed: int, goal_at: float, right: bool, penalty: bool) -> None:
        rng = np.random.default_rng(seed)
        self.goal_at, self.right, self.penalty = goal_at, right, penalty
        self.touches = _penalty(rng, goal_at) if penalty else _move(rng, goal_at)
        self.scorer = next(t.player for t in reversed(self.touches) if t.player is not None)
        self._anchors = _anchors(rng, penalty)
        self._wander = rng.uniform(0.25, 1.1, (PEOPLE, 4)), rng.uniform(0, 6.3, (PEOPLE, 4))
        self._reach = rng.uniform(0.4, 2.2, (PEOPLE, 2)) * (0.25 if penalty else 1.0)
        self._drift = rng.uniform(-1, 1, (PEOPLE, 2))
        self._corner = np.array([rng.uniform(3, 9), rng.choice([-1, 1]) * rng.uniform(20, 31)])
        self._dive = rng.choice([-1.0, 1.0]) * rng.uniform(1.2, 2.8)

    def ball(self, t: float) -> tuple[float, float, float]:
        """In metres of the pitch."""
        x, y, z = self._ball(t)
        middle = WIDTH / 2
        return (LENGTH - x, middle + y, z) if self.right else (x, middle - y, z)

    def people(self, t: float) -> Places:
        """A row for each of PEOPLE."""
        return self._placed(self._people(t))

    def dives(self, t: float) -> bool:
        return t > self.goal_at - 0.35

    def _placed(self, places: Places) -> Places:
        along, across = places[:, 0], places[:, 1]
        x = LENGTH - along if self.right else along
        return np.column_stack([x, WIDTH / 2 + (across if self.right else -across)])

    def _ball(self, t: float) -> tuple[float, float, float]:
        touches = self.touches
        if t <= touches[0].at:
            return touches[0].x, touches[0].y, 0.0
        for a, b in pairwise(touches):
            if t <= b.at:
                share = (t - a.at) / (b.at - a.at)
                if a.player == b.player:
                    share = share * share * (3 - 2 * share)
                else:
                    share = 1 - (1 - share) ** 1.4
                rise = 4 * b.arc * share * (1 - share)
                return a.x + (b.x - a.x) * share, a.y + (b.y - a.y) * share, b.z * share + rise
        last, late = touches[-1], t - touches[-1].at
        bounce = abs(math.cos(late * 5)) * math.exp(-1.6 * late)
        return last.x, last.y + 0.3 * (1 - math.exp(-late)), last.z * bounce

    def _people(self, t: float) -> Places:
        ball = np.array(self._ball(min(t, self.goal_at))[:2])
        pace, phase = self._wander
        swing = np.sin(pace * t + phase)
        places = self._anchors + self._reach * (swing[:, :2] + 0.6 * swing[:, 2:])
        if not self.penalty:
            pull = np.where(np.arange(PEOPLE)[:, None] < 20, 0.22, 0.0)
            places = places + pull * (ball - [30, 0]) * [0.9, 0.8] + self._drift * (t - 3) * 0.5
        places[KEEPER] = [1.2, ball[1] * 0.12]
        places[REFEREE] = ball * [0.55, 0.4] + [14, 9] + swing[REFEREE, :2]
        for touch in self.touches:
            if touch.player is None:
                continue
            near = math.exp(-(((t - touch.at) / (0.9 if self.penalty else 1.1)) ** 2))
            feet = np.array([touch.x + 0.6, touch.y - 0.4])
            places[touch.player] += near * (feet - places[touch.player])
        if self.dives(t):
            share = min(1.0, (t - self.goal_at + 0.35) / 0.5)
            side = math.copysign(abs(self._dive), self.touches[-1].y)
            places[KEEPER] += [0.0, side * share * 0.9]
        return self._celebrated(places, t) if t > self.goal_at + 0.3 else places

    def _celebrated(self, places: Places, t: float) -> Places:
        """The scorer runs off to a corner, his side after him, the others stop."""
        late = t - self.goal_at - 0.3
        share = 1 - math.exp(-((late / 3.0) ** 1.6))
        run = self._corner - places[self.scorer]
        hero = places[self.scorer] + run * share
        for player in ATTACKERS:
            after = share * (0.85 if player in (7, 8, 9) else 0.6)
            offset = np.array([1.4 + 0.5 * player, 1.1 * (player - 4)])
            places[player] += (hero + offset - places[player]) * after
        places[self.scorer] = hero
        return places


def _move(rng: np.random.Generator, goal_at: float) -> list[Touch]:
    """Passes towards the goal, then the shot."""
    passes = int(rng.integers(2, 5))
    players = [int(p) for p in rng.permutation([4, 5, 6, 7, 8, 9, 1, 2])[: passes + 1]]
    along = np.sort(rng.uniform(14, 46, passes + 1))[::-1]
    along[-1] = rng.uniform(6, 21)
    across = np.clip(np.cumsum(rng.uniform(-17, 17, passes + 1)) + rng.uniform(-9, 9), -29, 29)
    across[-1] = rng.uniform(-11, 11)
    shot = goal_at - 0.25 - 0.022 * along[-1]
    gaps = rng.uniform(0.7, 1.5, passes)
    moments = shot - np.concatenate([np.cumsum(gaps[::-1])[::-1], [0]])
    touches = []
    for at, x, y, player in zip(moments, along, across, players, strict=True):
        lofted = float(rng.uniform(2, 5)) if rng.random() < 0.3 else 0.0
        touches.append(Touch(float(at) - 0.25, float(x), float(y), 0.0, player, lofted))
        carried = float(x - rng.uniform(0.5, 2.0)), float(y + rng.uniform(-1, 1))
        touches.append(Touch(float(at), *carried, 0.0, player))
    return [*touches, *_into_the_net(rng, goal_at)]


def _penalty(rng: np.random.Generator, goal_at: float) -> list[Touch]:
    kick = goal_at - 0.5
    player = int(rng.choice([7, 8, 9]))
    return [
        Touch(kick - 2, 11, 0, 0, None),
        Touch(kick, 11, 0, 0, player),
        *_into_the_net(rng, goal_at),
    ]


def _into_the_net(rng: np.random.Generator, goal_at: float) -> list[Touch]:
    y, z = float(rng.uniform(-3.1, 3.1)), float(rng.uniform(0.1, 2.1))
    behind = y + float(rng.uniform(-0.4, 0.4))
    return [
        Touch(goal_at, 0.0, y, z, None, float(rng.uniform(0, 0.5))),
        Touch(goal_at + 0.15, -1.5, behind, z * 0.8, None),
    ]


def _anchors(rng: np.random.Generator, penalty: bool) -> Places:
    rest = [(1.2, 0.0), (LENGTH - 14, 0.0), (30.0, 9.0)]
    places = np.array([*ATTACKING, *DEFENDING, *rest], np.float64)
    places[:20] += rng.uniform(-5, 5, (20, 2))
    if penalty:
        wide = np.linspace(-19, 19, 14)[rng.permutation(14)]
        places[6:20, 0] = rng.uniform(17.5, 23, 14)
        places[6:20, 1] = wide
    return places
