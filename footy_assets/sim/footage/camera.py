"""Where the camera stands and what it sees. Metres: x along the pitch, y across it, z up."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
Point = tuple[float, float, float]


@dataclass(frozen=True)
class Camera:
    """A pinhole that looks from one point at another. `view` is the width of the picture in
    metres at the distance of what it looks at."""

    stands_at: Point
    looks_at: Point
    view: float
    width: int
    height: int

    @cached_property
    def matrix(self) -> Matrix:
        """3×4: from metres to pixels."""
        distance = math.dist(self.stands_at, self.looks_at)
        x, y, z = (
            (aim - eye) / distance for eye, aim in zip(self.stands_at, self.looks_at, strict=True)
        )
        level = math.hypot(x, y)
        right = (y / level, -x / level, 0.0)
        down = (x * z / level, y * z / level, -level)
        turn = np.array([right, down, (x, y, z)])
        focal = self.width * distance / self.view
        lens = np.array([[focal, 0, self.width / 2], [0, focal, self.height / 2], [0, 0, 1]])
        moved = -turn @ np.array(self.stands_at)
        return np.asarray(lens @ np.concatenate([turn, moved[:, None]], axis=1))

    def see(self, points: Matrix) -> Matrix:
        """Pixels and depth of points in metres, one a row."""
        seen = points @ self.matrix[:, :3].T + self.matrix[:, 3]
        depth = seen[:, 2:]
        seen[:, :2] /= np.where(np.abs(depth) < 1e-6, 1e-6, depth)
        return np.asarray(seen)

    def plane(self, origin: Point, across: Point, down: Point) -> Matrix:
        """3×3: from a texture's pixels to the picture's, `across` and `down` in metres a pixel."""
        edges = np.array([(*across, 0.0), (*down, 0.0), (*origin, 1.0)])
        return np.asarray(self.matrix @ edges.T)

    def pixels_a_metre(self, depth: float) -> float:
        return self.width * math.dist(self.looks_at, self.stands_at) / self.view / max(depth, 0.1)
