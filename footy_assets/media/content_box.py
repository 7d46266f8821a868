"""Where in the frame the video really is, and which parts of it to look at."""

from typing import NamedTuple

import numpy as np

from footy_assets.media.decode import Gray

# Change per quarter second, in gray levels, below which a line is a border and not a picture.
STILL_LEVELS = 0.6
STILL_SHARE = 0.06
# A cut or an end card must not make a border look alive.
CHANGE_CAP = 40
# The liveliest pixels speak for a line: calm grass has a player somewhere, a black bar has none.
LIVELY_PERCENTILE = 95
SMALLEST_SIDE = 0.2
# Trimmed by more than this, the borders were added and the picture's own shape is the box.
ADDED_BORDERS = 0.15
PORTRAIT = 9 / 16


class Box(NamedTuple):
    """Top, bottom, left and right as parts of the frame, 0 to 1."""

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
        """A box inside this one, given as parts of it."""
        return Box(
            self.top + inner.top * self.height,
            self.top + inner.bottom * self.height,
            self.left + inner.left * self.width,
            self.left + inner.right * self.width,
        )

    def cut(self, other: "Box") -> "Box":
        """What both cover."""
        return Box(
            max(self.top, other.top),
            min(self.bottom, other.bottom),
            max(self.left, other.left),
            min(self.right, other.right),
        )


WHOLE = Box(0.0, 1.0, 0.0, 1.0)


def content_box(samples: Gray) -> Box:
    """The frame without borders that stay still: letterbox, caption band, dull frame."""
    if len(samples) < 3:
        return WHOLE
    change = np.zeros(samples.shape[1:], np.float32)
    for before, after in zip(samples[:-2], samples[2:], strict=True):
        change += np.minimum(np.maximum(before, after) - np.minimum(before, after), CHANGE_CAP)
    change /= len(samples) - 2
    top, bottom = _live_span(np.percentile(change, LIVELY_PERCENTILE, axis=1))
    rows = slice(round(top * len(change)), round(bottom * len(change)))
    left, right = _live_span(np.percentile(change[rows], LIVELY_PERCENTILE, axis=0))
    box = Box(top, bottom, left, right)
    return box if min(box.width, box.height) >= SMALLEST_SIDE else WHOLE


def portrait_strip(box: Box, aspect: float) -> Box:
    """What a vertical crop keeps of a wide picture (and a wide crop of a tall one)."""
    added = min(box.width, box.height) < 1 - ADDED_BORDERS
    if added:
        return box.part(_strip(aspect * box.width / box.height))
    return _strip(aspect).cut(box)


def _strip(aspect: float) -> Box:
    side = min(1.0, PORTRAIT / aspect if aspect > 1 else PORTRAIT * aspect)
    low, high = 0.5 - side / 2, 0.5 + side / 2
    return Box(0.0, 1.0, low, high) if aspect > 1 else Box(low, high, 0.0, 1.0)


def _live_span(activity: np.ndarray) -> tuple[float, float]:
    """From the first to the last line that moves, as parts of the side."""
    floor = max(STILL_SHARE * float(np.percentile(activity, 75)), STILL_LEVELS)
    alive = np.flatnonzero(activity > floor)
    if len(alive) == 0:
        return 0.0, 1.0
    return int(alive[0]) / len(activity), (int(alive[-1]) + 1) / len(activity)
