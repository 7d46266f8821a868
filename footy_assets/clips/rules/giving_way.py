"""SE10: which videos come first, and when a goal leaves its place to another one."""

from collections.abc import Collection, Mapping
from typing import Any


def likeliest_first(video: Mapping[str, Any]) -> tuple[float, float, str]:
    """To sort a batch by: how likely its posts show the goal (SE6), then how popular they are."""
    likelihood = (video.get("likelihood") or {}).get("score", 0.0)
    return -likelihood, -video.get("popularity", 0), video["video_id"]


def gives_way(
    goal_key: str,
    waiting: Collection[str],
    served: Collection[str],
    preferred: Collection[str],
) -> bool:
    """Whether a goal with a clip, or a held one, leaves the rest of its videos for later: a goal
    without any waits. Not a goal that somebody waits for (T16)."""
    if goal_key not in served or goal_key in preferred:
        return False
    return any(other not in served and other != goal_key for other in waiting)
