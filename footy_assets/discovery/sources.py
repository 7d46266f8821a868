"""S5: where fans post. One interface, whatever lies behind it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from footy_assets.discovery.posts import Post, Window
from footy_assets.discovery.query import GoalQuery

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Found:
    """What one search of one source gave. `unreadable` counts posts by the reason they were not
    understood; they never stop their neighbours."""

    posts: tuple[Post, ...] = ()
    looked_at: int = 0
    unreadable: dict[str, int] = field(default_factory=dict)


class VideoSource(Protocol):
    """Raises `SourceError` when the search could not be made; never answers empty instead (S7)."""

    @property
    def name(self) -> str: ...

    def search(self, query: GoalQuery, window: Window, on_progress: Progress) -> Found:
        """Newest first, until a post is older than the window or enough was seen."""
        ...
