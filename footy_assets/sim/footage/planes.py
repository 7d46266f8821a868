"""Pictures as H.264 keeps them: a plane of brightness and two half-sized ones of colour (I420).

Everything is drawn straight into the planes: half the pixels of BGR, and no conversion before
encoding.
"""

from functools import cached_property, lru_cache
from itertools import islice

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
Plane = NDArray[np.uint8]
Matrix = NDArray[np.float64]
Colour = tuple[int, int, int]
# Left, top, right, bottom in pixels.
Box = tuple[int, int, int, int]

HALF = np.diag([0.5, 0.5, 1.0])
DOUBLE = np.diag([2.0, 2.0, 1.0])
BLACK_LUMA, GREY = 16, 128


class Planes:
    """One picture. `i420` is the memory that an encoder takes; `y`, `u`, `v` are views of it."""

    def __init__(self, i420: Picture) -> None:
        rows, width = i420.shape
        height = rows * 2 // 3
        quarter = height // 4
        self.i420 = i420
        self.y = i420[:height]
        self.u = i420[height : height + quarter].reshape(height // 2, width // 2)
        self.v = i420[height + quarter :].reshape(height // 2, width // 2)

    @classmethod
    def blank(cls, width: int, height: int, luma: int = BLACK_LUMA) -> "Planes":
        picture = cls(np.empty((height * 3 // 2, width), np.uint8))
        picture.clear(luma)
        return picture

    @classmethod
    def from_bgr(cls, picture: Picture) -> "Planes":
        """Cut to a multiple of four rows and two columns."""
        height, width = picture.shape[0] // 4 * 4, picture.shape[1] // 2 * 2
        even = np.ascontiguousarray(picture[:height, :width])
        return cls(np.asarray(cv2.cvtColor(even, cv2.COLOR_BGR2YUV_I420), np.uint8))

    @property
    def size(self) -> tuple[int, int]:
        return self.y.shape[1], self.y.shape[0]

    @property
    def each(self) -> tuple[Plane, Plane, Plane]:
        return self.y, self.u, self.v

    def bgr(self) -> Picture:
        return np.asarray(cv2.cvtColor(self.i420, cv2.COLOR_YUV2BGR_I420), np.uint8)

    def clear(self, luma: int) -> None:
        """Grey all over."""
        self.i420[:] = GREY
        self.y[:] = luma

    def copy(self) -> "Planes":
        return Planes(self.i420.copy())

    def warp(self, texture: "Planes", matrix: Matrix, box: Box | None = None) -> None:
        """Lay a texture over the picture, within a box of it; where it does not reach, the picture
        stays."""
        width, height = self.size
        left, top, right, bottom = box or (0, 0, width, height)
        left, top = max(0, left // 2 * 2), max(0, top // 2 * 2)
        right, bottom = min(width, (right + 1) // 2 * 2), min(height, (bottom + 1) // 2 * 2)
        if left >= right or top >= bottom:
            return
        moved = np.array([[1, 0, -left], [0, 1, -top], [0, 0, 1]], np.float64) @ matrix
        halved = HALF @ moved @ DOUBLE
        for plane, source, turn, half in (
            (self.y, texture.y, moved, 1),
            (self.u, texture.u, halved, 2),
            (self.v, texture.v, halved, 2),
        ):
            part = plane[top // half : bottom // half, left // half : right // half]
            cv2.warpPerspective(
                source,
                turn,
                (part.shape[1], part.shape[0]),
                dst=part,
                flags=cv2.INTER_LINEAR,
                borderMode=cv2.BORDER_TRANSPARENT,
            )

    def enlarged_from(self, other: "Planes") -> None:
        """Fill the picture with a smaller one."""
        for plane, source in zip(self.each, other.each, strict=True):
            cv2.resize(source, (plane.shape[1], plane.shape[0]), dst=plane)

    def window(self, texture: "Planes", left: float, top: float, scale: float = 1.0) -> None:
        """Fill the picture with a part of a larger texture, shown `scale` times as large."""
        matrix = np.array([[scale, 0, -left * scale], [0, scale, -top * scale]], np.float64)
        for plane, source, half in zip(self.each, texture.each, (1, 2, 2), strict=True):
            moved = matrix.copy()
            moved[:, 2] /= half
            cv2.warpAffine(
                source,
                moved,
                (plane.shape[1], plane.shape[0]),
                dst=plane,
                flags=cv2.INTER_LINEAR,
                borderMode=cv2.BORDER_REPLICATE,
            )

    def lines(self, first: Matrix, last: Matrix, luma: int, thickness: int = 1) -> None:
        """Grey to white lines, in brightness only unless they are thick."""
        ends = np.stack([first[:, :2], last[:, :2]], axis=1)
        fixed = np.rint(np.clip(ends, -4000, 4000) * 8).astype(np.int32)
        cv2.polylines(self.y, list(fixed), False, luma, thickness, cv2.LINE_AA, 3)
        if thickness > 2:
            for plane in (self.u, self.v):
                thin = max(1, thickness // 2)
                cv2.polylines(plane, list(fixed), False, GREY, thin, cv2.LINE_AA, 4)

    def fill(self, corners: Matrix, colour: Colour) -> None:
        """A polygon in one colour."""
        for plane, value, shift in zip(self.each, yuv(colour), (3, 4, 4), strict=True):
            points = np.rint(corners * 8).astype(np.int32)
            cv2.fillConvexPoly(plane, points, value, cv2.LINE_AA, shift)


class Sprite:
    """A picture with transparency, ready to be laid over others."""

    def __init__(self, bgra: Picture) -> None:
        height, width = bgra.shape[:2]
        padded = np.zeros(((height + 3) // 4 * 4, (width + 1) // 2 * 2, 4), np.uint8)
        padded[:height, :width] = bgra
        self.bgra = padded
        self.height, self.width = padded.shape[:2]

    @cached_property
    def _layers(self) -> tuple[tuple[NDArray[np.uint16], NDArray[np.uint16]], ...]:
        """Per plane: colour times opacity, and what is left for the picture below, out of 256."""
        planes = Planes.from_bgr(np.ascontiguousarray(self.bgra[:, :, :3]))
        cover = self.bgra[:, :, 3]
        half = cv2.resize(cover, (self.width // 2, self.height // 2), interpolation=cv2.INTER_AREA)
        layers = []
        for plane, alpha in zip(planes.each, (cover, half, half), strict=True):
            share = np.asarray((alpha.astype(np.uint16) * 257) >> 8, np.uint16)
            ink = np.asarray(plane.astype(np.uint16) * share, np.uint16)
            layers.append((ink, np.asarray(256 - share, np.uint16)))
        return tuple(layers)

    def scaled(self, height: int) -> "Sprite":
        width = max(2, round(self.width * height / self.height))
        way = cv2.INTER_AREA if height < self.height else cv2.INTER_LINEAR
        return Sprite(np.asarray(cv2.resize(self.bgra, (width, height), interpolation=way)))

    def onto(self, picture: Planes, left: float, top: float, shade: bool = False) -> None:
        """Lay the sprite over the picture. A mere shade leaves the colours as they are."""
        x, y = round(left / 2) * 2, round(top / 2) * 2
        width, height = picture.size
        x0, y0 = max(0, x), max(0, y)
        x1, y1 = min(width, x + self.width), min(height, y + self.height)
        if x0 >= x1 or y0 >= y1:
            return
        layers = zip(picture.each, self._layers, (1, 2, 2), strict=True)
        for plane, (ink, left_over), half in islice(layers, 1 if shade else 3):
            rows, columns = slice(y0 // half, y1 // half), slice(x0 // half, x1 // half)
            mine = (
                slice((y0 - y) // half, (y1 - y) // half),
                slice((x0 - x) // half, (x1 - x) // half),
            )
            under = plane[rows, columns]
            under[:] = (ink[mine] + under * left_over[mine]) >> 8


@lru_cache(maxsize=4)
def scratch(width: int, height: int, by: float) -> Planes:
    """Memory for a picture `by` times smaller than one of this size, to be enlarged later."""
    return Planes.blank(round(width / by / 2) * 2, round(height / by / 4) * 4)


def yuv(colour: Colour) -> tuple[int, int, int]:
    """Blue, green, red as brightness and two colour values, as broadcasts scale them."""
    blue, green, red = colour
    return (
        round(16 + (65.7 * red + 129.1 * green + 25.1 * blue) / 256),
        round(128 + (-37.9 * red - 74.5 * green + 112.4 * blue) / 256),
        round(128 + (112.4 * red - 94.2 * green - 18.3 * blue) / 256),
    )
