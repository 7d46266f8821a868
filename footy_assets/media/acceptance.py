"""D2: is a probed file worth keeping at all?"""

from footy_assets.clip_limits import ClipRules, Rejection, VideoFigures, exceeded_limits
from footy_assets.media.probe import Probe


def rejections(clip: Probe, rules: ClipRules | None = None) -> tuple[Rejection, ...]:
    """D2: every limit that this file exceeds, each with its measured value."""
    figures = VideoFigures(clip.duration, clip.short_edge, clip.aspect, clip.size)
    return exceeded_limits(figures, rules or ClipRules())
