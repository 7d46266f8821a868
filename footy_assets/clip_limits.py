"""D2: which videos are worth keeping, by figures that a file has or that a post states."""

from dataclasses import dataclass
from enum import StrEnum

# 480×360 after even-pixel rounding is still 4:3.
ASPECT_TOLERANCE = 0.01


class RejectionReason(StrEnum):
    """Which limit a video exceeds, as stored with it."""

    TOO_SHORT = "too_short"
    TOO_LONG = "too_long"
    TOO_SMALL = "too_small"
    TOO_NARROW = "too_narrow"
    TOO_WIDE = "too_wide"
    PORTRAIT = "portrait"
    TOO_LARGE = "too_large"


@dataclass(frozen=True, slots=True)
class ClipRules:
    """D2's numbers. A clip of exactly `longer_than` seconds is too short."""

    longer_than: float = 3.0
    up_to: float = 60.0
    short_edge: int = 360
    min_aspect: float = 4 / 3
    max_aspect: float = 2.4
    allow_portrait: bool = False
    # In bytes; D1 stops a download that exceeds it.
    max_size: int | None = None


@dataclass(frozen=True, slots=True)
class VideoFigures:
    """What is known of a video: seconds, pixels, width to height, bytes. None is unknown."""

    duration: float | None = None
    short_edge: int | None = None
    aspect: float | None = None
    size: int | None = None


@dataclass(frozen=True, slots=True)
class Rejection:
    """One limit that a video exceeds: the measured value and the limit."""

    reason: RejectionReason
    measured: float
    limit: float

    def sentence(self) -> str:
        return f"{self.reason.value.replace('_', ' ')}: {self.measured:g} against {self.limit:g}"


def exceeded_limits(video: VideoFigures, rules: ClipRules) -> tuple[Rejection, ...]:
    """D2, SE6: every limit that these figures exceed; an unknown figure exceeds none."""
    rejections: list[Rejection] = []

    def check(holds: bool, reason: RejectionReason, measured: float, limit: float) -> None:
        if not holds:
            rejections.append(Rejection(reason, round(measured, 3), round(limit, 3)))

    if (seconds := video.duration) is not None:
        check(seconds > rules.longer_than, RejectionReason.TOO_SHORT, seconds, rules.longer_than)
        check(seconds <= rules.up_to, RejectionReason.TOO_LONG, seconds, rules.up_to)
    if (edge := video.short_edge) is not None:
        check(edge >= rules.short_edge, RejectionReason.TOO_SMALL, edge, rules.short_edge)
    if video.aspect is not None:
        is_portrait = video.aspect < 1
        if is_portrait and not rules.allow_portrait:
            check(False, RejectionReason.PORTRAIT, video.aspect, 1.0)
        else:
            aspect = 1 / video.aspect if is_portrait else video.aspect
            lowest, highest = rules.min_aspect, rules.max_aspect
            narrow, wide = RejectionReason.TOO_NARROW, RejectionReason.TOO_WIDE
            check(aspect >= lowest * (1 - ASPECT_TOLERANCE), narrow, aspect, lowest)
            check(aspect <= highest * (1 + ASPECT_TOLERANCE), wide, aspect, highest)
    if video.size is not None and rules.max_size is not None:
        check(video.size <= rules.max_size, RejectionReason.TOO_LARGE, video.size, rules.max_size)
    return tuple(rejections)
