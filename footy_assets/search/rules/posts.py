"""SE6: which posts may show the goal, and which of them are downloaded."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

# SE6: a post may be a little older than the previous attempt's start.
BEFORE_PREVIOUS_ATTEMPT = timedelta(minutes=3)
CHOSEN_PER_ATTEMPT = 5


@dataclass(frozen=True, slots=True)
class Post:
    """A post on a site. `is_ad` is the site's own marker, never guessed from the text."""

    site: str
    post_id: str
    url: str
    posted_at: datetime
    text: str = ""
    author: str = ""
    video_url: str | None = None
    duration: float | None = None
    popularity: int = 0
    is_ad: bool = False

    @property
    def video_id(self) -> str:
        return f"{self.site}:{self.post_id}"


class PostRefusal(StrEnum):
    """Why a post is not eligible, as stored with the attempt."""

    NO_VIDEO = "no_video"
    TOO_OLD = "too_old"
    TOO_NEW = "too_new"
    AD = "ad"
    KNOWN = "known"


@dataclass(frozen=True, slots=True)
class Window:
    """When a post must have been made. A past match is searched once, over its whole length."""

    since: datetime
    until: datetime | None = None


def attempt_window(scored_at: datetime, answered_at: datetime | None) -> Window:
    """SE6: from three minutes before the previous attempt's start; at first, before the goal.

    Fans post at once, while the feed may need ten minutes for the scorer's name. `answered_at` is
    the start of the last attempt that the site answered: an attempt without an answer saw nothing.
    """
    return Window((answered_at or scored_at) - BEFORE_PREVIOUS_ATTEMPT)


def post_refusal(post: Post, window: Window, known: Collection[str]) -> PostRefusal | None:
    """SE6: the first reason to refuse a post, or None."""
    if post.is_ad:
        return PostRefusal.AD
    if post.video_url is None:
        return PostRefusal.NO_VIDEO
    if post.posted_at < window.since:
        return PostRefusal.TOO_OLD
    if window.until is not None and post.posted_at > window.until:
        return PostRefusal.TOO_NEW
    if post.video_id in known:
        return PostRefusal.KNOWN
    return None


def choose(posts: Sequence[Post], most: int = CHOSEN_PER_ATTEMPT) -> tuple[Post, ...]:
    """SE6: the longest; of unknown or equal length, the more popular, then the newer."""
    unique = list({post.video_id: post for post in posts}.values())
    ranked = sorted(
        unique,
        key=lambda post: (-(post.duration or 0.0), -post.popularity, -post.posted_at.timestamp()),
    )
    return tuple(ranked[:most])
