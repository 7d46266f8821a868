"""SE6: posts, and which of them may show the goal."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from footy_assets.clip_limits import ClipRules, RejectionReason, VideoFigures, exceeded_limits

# SE6: a post may be a little older than the previous attempt's start.
BEFORE_PREVIOUS_ATTEMPT = timedelta(minutes=3)
CHOSEN_PER_ATTEMPT = 5
# A picture is wider than this many pixels; a ratio, such as 16:9, is of smaller numbers.
LARGEST_RATIO = 100


@dataclass(frozen=True, slots=True)
class Likelihood:
    """How likely a post shows the goal, and why. Scores are compared, and mean nothing alone."""

    score: float
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Post:
    """A post on a site. `is_ad` is the site's own marker, never guessed from the text.

    Duration, picture and size (in bytes) are what the post says of the file that is fetched, None
    where it does not. `aspect` is of sites that state no pixels.
    """

    site: str
    post_id: str
    url: str
    posted_at: datetime
    text: str = ""
    author: str = ""
    video_url: str | None = None
    duration: float | None = None
    width: int | None = None
    height: int | None = None
    aspect: float | None = None
    size: int | None = None
    popularity: int = 0
    is_ad: bool = False
    likelihood: Likelihood | None = None

    @property
    def video_id(self) -> str:
        return f"{self.site}:{self.post_id}"

    @property
    def figures(self) -> VideoFigures:
        return stated_figures(self.duration, self.width, self.height, self.aspect, self.size)


def read_ratio(
    width: int | None, height: int | None
) -> tuple[int | None, int | None, float | None]:
    """Width, height and aspect of a ratio which may be in pixels: 1280:720 is, 16:9 is not."""
    if not width or not height:
        return None, None, None
    in_pixels = max(width, height) > LARGEST_RATIO
    return width if in_pixels else None, height if in_pixels else None, width / height


def stated_figures(
    duration: float | None,
    width: int | None,
    height: int | None,
    aspect: float | None,
    size: int | None,
) -> VideoFigures:
    """D2's figures, as far as a post states them."""
    if not width or not height:
        return VideoFigures(duration, None, aspect, size)
    return VideoFigures(duration, min(width, height), width / height, size)


class PostRefusal(StrEnum):
    """Why a post is not eligible, as stored with the attempt."""

    NO_VIDEO = "no_video"
    TOO_OLD = "too_old"
    TOO_NEW = "too_new"
    AD = "ad"
    KNOWN = "known"
    # D2's limits, exceeded by what the post says.
    TOO_SHORT = RejectionReason.TOO_SHORT.value
    TOO_LONG = RejectionReason.TOO_LONG.value
    TOO_SMALL = RejectionReason.TOO_SMALL.value
    TOO_NARROW = RejectionReason.TOO_NARROW.value
    TOO_WIDE = RejectionReason.TOO_WIDE.value
    PORTRAIT = RejectionReason.PORTRAIT.value
    TOO_LARGE = RejectionReason.TOO_LARGE.value


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


def post_refusal(
    post: Post, window: Window, known: Collection[str], rules: ClipRules
) -> PostRefusal | None:
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
    for rejection in exceeded_limits(post.figures, rules):
        return PostRefusal(rejection.reason.value)
    return None
