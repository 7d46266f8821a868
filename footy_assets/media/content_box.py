"""The part of the frame that shows the video, without borders, and crops of it."""

from typing import NamedTuple

import numpy as np

from footy_assets.media.decode import Gray

# A line with less change per quarter second, in gray levels, is a border.
MIN_CHANGE = 0.6
MIN_CHANGE_SHARE = 0.06
# Limits the effect of a cut or an end card on the borders.
CHANGE_CAP = 40
# The change of a line is that of its liveliest pixels: calm grass has a player somewhere.
LIVELY_PERCENTILE = 95
MIN_SIDE = 0.2
# Borders wider than this were added, and the box is the original shape of the picture.
ADDED_BORDERS = 0.15
PORTRAIT = 9 / 16


class Box(NamedTuple):
    """A rectangle in parts of the frame, 0 to 1."""

    top: float
    bottom: float
    left: float
    right: float

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def width(self) -> float:
        return self.right - self.left

    def part(self, inner: "Box") -> "Box":
        """The box `inner`, given in parts of this one, in parts of the frame."""
        return Box(
            self.top + inner.top * self.height,
            self.top + inner.bottom * self.height,
            self.left + inner.left * self.width,
            self.left + inner.right * self.width,
        )

    def intersection(self, other: "Box") -> "Box":
        """The intersection of both boxes."""
        return Box(
            max(self.top, other.top),
            min(self.bottom, other.bottom),
            max(self.left, other.left),
            min(self.right, other.right),
        )


WHOLE = Box(0.0, 1.0, 0.0, 1.0)


def content_box(samples: Gray) -> Box:
    """The frame without borders that do not move: letterbox, caption band, background."""
    if len(samples) < 3:
        return WHOLE
    change = np.zeros(samples.shape[1:], np.float32)
    for before, after in zip(samples[:-2], samples[2:], strict=True):
        change += np.minimum(np.maximum(before, after) - np.minimum(before, after), CHANGE_CAP)
    change /= len(samples) - 2
    top, bottom = _moving_span(np.percentile(change, LIVELY_PERCENTILE, axis=1))
    rows = slice(round(top * len(change)), round(bottom * len(change)))
    left, right = _moving_span(np.percentile(change[rows], LIVELY_PERCENTILE, axis=0))
    box = Box(top, bottom, left, right)
    return box if min(box.width, box.height) >= MIN_SIDE else WHOLE


def portrait_strip(box: Box, aspect: float) -> Box:
    """The part that a vertical crop keeps of a wide picture, or a wide crop of a tall one."""
    added = min(box.width, box.height) < 1 - ADDED_BORDERS
    if added:
        return box.part(_strip(aspect * box.width / box.height))
    return _strip(aspect).intersection(box)


def _strip(aspect: float) -> Box:
    side = min(1.0, PORTRAIT / aspect if aspect > 1 else PORTRAIT * aspect)
    low, high = 0.5 - side / 2, 0.5 + side / 2
    return Box(0.0, 1.0, low, high) if aspect > 1 else Box(low, high, 0.0, 1.0)


def _moving_span(change: np.ndarray) -> tuple[float, float]:
    """The first and the last line that moves, in parts of the side."""
    floor = max(MIN_CHANGE_SHARE * float(np.percentile(change, 75)), MIN_CHANGE)
    moving = np.flatnonzero(change > floor)
    if len(moving) == 0:
        return 0.0, 1.0
    return int(moving[0]) / len(change), (int(moving[-1]) + 1) / len(change)
