"""SE5: the interface of a site where fans post."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from footy_assets.search.rules.posts import Post, Window
from footy_assets.search.rules.query import GoalQuery

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class SiteResult:
    """The posts that one search of a site returned. `unreadable` counts the posts that could not
    be parsed, by reason."""

    posts: tuple[Post, ...] = ()
    looked_at: int = 0
    unreadable: dict[str, int] = field(default_factory=dict)


class VideoSite(Protocol):
    """Raises `SiteError` when a search fails; never returns an empty result instead (SE7)."""

    @property
    def name(self) -> str: ...

    def search(self, query: GoalQuery, window: Window, on_progress: Progress) -> SiteResult:
        """Newest first, until a post is older than the window or the site's limit is reached."""
        ...


@runtime_checkable
class HeardSite(Protocol):
    """A `VideoSite` whose posts are heard: its canary is what was heard lately, of any words."""

    def canary(self, window: Window, on_progress: Progress) -> SiteResult: ...


@runtime_checkable
class LimitedSite(Protocol):
    """A `VideoSite` that a search costs requests of its rate limit."""

    def has_room(self) -> bool:
        """SE8: whether at most half of the limit is used, so that attempts lack nothing."""
        ...
