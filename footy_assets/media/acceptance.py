"""D2: is a probed file worth keeping at all?"""

from dataclasses import dataclass
from enum import StrEnum

from footy_assets.media.probe import Probe


class RejectionReason(StrEnum):
    """Which limit a readable video exceeds, as stored with it."""

    TOO_SHORT = "too_short"
    TOO_LONG = "too_long"
    TOO_SMALL = "too_small"
    TOO_NARROW = "too_narrow"
    TOO_WIDE = "too_wide"
    PORTRAIT = "portrait"


@dataclass(frozen=True, slots=True)
class ClipRules:
    """D2's numbers. A clip of exactly `longer_than` seconds is too short."""

    longer_than: float = 3.0
    up_to: float = 60.0
    short_edge: int = 360
    min_aspect: float = 4 / 3
    max_aspect: float = 2.4
    allow_portrait: bool = False


@dataclass(frozen=True, slots=True)
class Rejection:
    """One rule that a file breaks: the measured value and the limit."""

    reason: RejectionReason
    measured: float
    limit: float

    def sentence(self) -> str:
        return f"{self.reason.value.replace('_', ' ')}: {self.measured:g} against {self.limit:g}"


def rejections(clip: Probe, rules: ClipRules | None = None) -> tuple[Rejection, ...]:
    """D2: every rule that this file breaks, each with its measured value.

    Aspects are compared with a tolerance of 1 %: 480×360 after even-pixel rounding is still 4:3.
    """
    rules = rules or ClipRules()
    broken: list[Rejection] = []

    def check(holds: bool, reason: RejectionReason, measured: float, limit: float) -> None:
        if not holds:
            broken.append(Rejection(reason, round(measured, 3), round(limit, 3)))

    check(
        clip.duration > rules.longer_than,
        RejectionReason.TOO_SHORT,
        clip.duration,
        rules.longer_than,
    )
    check(clip.duration <= rules.up_to, RejectionReason.TOO_LONG, clip.duration, rules.up_to)
    check(
        clip.short_edge >= rules.short_edge,
        RejectionReason.TOO_SMALL,
        clip.short_edge,
        rules.short_edge,
    )
    portrait = clip.aspect < 1
    check(not portrait or rules.allow_portrait, RejectionReason.PORTRAIT, clip.aspect, 1.0)
    if not portrait or rules.allow_portrait:
        aspect = 1 / clip.aspect if portrait else clip.aspect
        check(
            aspect >= rules.min_aspect * 0.99, RejectionReason.TOO_NARROW, aspect, rules.min_aspect
        )
        check(aspect <= rules.max_aspect * 1.01, RejectionReason.TOO_WIDE, aspect, rules.max_aspect)
    return tuple(broken)
