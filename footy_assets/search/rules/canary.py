"""SE5: a canary is an ordinary search that always has results: it notices a site that has changed
before a goal is missed."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from footy_assets.search.rules.posts import Window
from footy_assets.search.rules.query import GoalQuery
from footy_assets.search.rules.site import SiteResult

LOOKS_BACK = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class CanaryRules:
    """How often each site gets a canary, zero for never, and the clubs that it searches for."""

    every: timedelta = timedelta(hours=1)
    words: tuple[str, ...] = ("Liverpool", "Barcelona", "Arsenal")

    @property
    def query(self) -> GoalQuery:
        return GoalQuery((), self.words)


def canary_window(now: datetime) -> Window:
    return Window(now - LOOKS_BACK)


def canary_problem(result: SiteResult) -> str | None:
    """SE5: why an answer is not one that a working site gives, or None.

    Some sites compare posts with a goal, which a canary does not have: what they looked at shows
    that they work.
    """
    unreadable = sum(result.unreadable.values())
    if result.posts:
        if any(post.video_url for post in result.posts):
            return None
        return f"none of {len(result.posts)} posts has a video"
    if unreadable >= max(result.looked_at, 1):
        reasons = ", ".join(f"{name} {n}" for name, n in sorted(result.unreadable.items()))
        return f"no post could be read ({reasons})"
    return None if result.looked_at else "it answered with no posts"
