"""S6: which posts are worth a look, and which of them go on."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

# S6: a post may be a little older than the previous attempt's start.
BEFORE_PREVIOUS_ATTEMPT = timedelta(minutes=3)
CHOSEN_PER_ATTEMPT = 5


@dataclass(frozen=True, slots=True)
class Post:
    """A post as a source shows it. `is_ad` is the source's own marker, never guessed from words."""

    source: str
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
        return f"{self.source}:{self.post_id}"


class Unfit(StrEnum):
    """Why a post is not kept."""

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
    """S6: three minutes before the previous attempt's start; at first, before the goal was scored.

    Fans post at once, while a scorer's name may take the feed ten minutes. An attempt that the
    source did not answer is none to go on from: what was posted before it would never be seen.
    """
    return Window((answered_at or scored_at) - BEFORE_PREVIOUS_ATTEMPT)


def unfit(post: Post, window: Window, known: Collection[str]) -> Unfit | None:
    """S6: the first reason against a post, or none."""
    if post.is_ad:
        return Unfit.AD
    if post.video_url is None:
        return Unfit.NO_VIDEO
    if post.posted_at < window.since:
        return Unfit.TOO_OLD
    if window.until is not None and post.posted_at > window.until:
        return Unfit.TOO_NEW
    if post.video_id in known:
        return Unfit.KNOWN
    return None


def choose(posts: Sequence[Post], most: int = CHOSEN_PER_ATTEMPT) -> tuple[Post, ...]:
    """S6: the longest go on; of unknown or equal length, the more popular, then the newer."""
    unique = list({post.video_id: post for post in posts}.values())
    ranked = sorted(
        unique,
        key=lambda post: (-(post.duration or 0.0), -post.popularity, -post.posted_at.timestamp()),
    )
    return tuple(ranked[:most])
