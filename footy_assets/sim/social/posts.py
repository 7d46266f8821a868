"""What fans post, and which of it a search finds."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

# How X hands a post out: as it is, in a wrapper, as a gravestone, or broken. Telegram's previews
# leave out a video that is too big.
Shape = Literal["plain", "visibility", "tombstone", "empty", "malformed", "undated", "too_big"]

TERM = re.compile(r'\(([^)]*)\)|"([^"]*)"|(\S+)')
WORD = re.compile(r"\w+")
OPERATOR = re.compile(r"^(filter|since_time|until_time):(\S+)$")


@dataclass(frozen=True)
class SimPost:
    """`video` names a film. `links_a_video` is a post that X counts as one with a video though
    it only links to it, as one does that `quotes` another post with a film."""

    id: str
    text: str
    author: str
    posted_at: datetime
    video: str | None = None
    duration: float | None = None
    sites: frozenset[str] = frozenset({"x"})
    likes: int = 0
    reposts: int = 0
    views: int = 0
    is_ad: bool = False
    links_a_video: bool = False
    quotes: "SimPost | None" = None
    shape: Shape = "plain"
    size: tuple[int, int] = (1280, 720)

    @property
    def counts_as_video(self) -> bool:
        quoted = self.quotes is not None and self.quotes.video is not None
        return self.video is not None or self.links_a_video or quoted


Posts = Callable[[datetime], Iterable[SimPost]]


@dataclass(frozen=True)
class Search:
    """A query as X reads it: every group must be met by one of its phrases."""

    groups: tuple[tuple[str, ...], ...]
    videos_only: bool = False
    since: float | None = None
    until: float | None = None

    def finds(self, post: SimPost) -> bool:
        at = post.posted_at.timestamp()
        if self.videos_only and not post.counts_as_video:
            return False
        if (self.since is not None and at < self.since) or (
            self.until is not None and at >= self.until
        ):
            return False
        text = f" {' '.join(_words(post.text))} "
        return all(any(f" {phrase} " in text for phrase in group) for group in self.groups)


def read_query(text: str) -> Search:
    """`(a OR b) "c d" filter:videos since_time:1 until_time:2`."""
    groups: list[tuple[str, ...]] = []
    operators: dict[str, str] = {}
    for grouped, quoted, word in TERM.findall(text):
        if operator := OPERATOR.match(word):
            operators[operator[1]] = operator[2]
            continue
        phrases = re.split(r"\s+OR\s+", grouped) if grouped else [quoted or word]
        if group := tuple(" ".join(_words(phrase)) for phrase in phrases if _words(phrase)):
            groups.append(group)
    return Search(
        tuple(groups),
        operators.get("filter") == "videos",
        float(operators["since_time"]) if "since_time" in operators else None,
        float(operators["until_time"]) if "until_time" in operators else None,
    )


@dataclass(frozen=True)
class Page:
    posts: tuple[SimPost, ...]
    cursor: str | None
    ad: SimPost | None = None


@dataclass
class Shelf:
    """All posts of one place, as far as its clock has come."""

    site: str
    posts: Posts
    page_size: int = 20
    searched: list[str] = field(default_factory=list)

    def page(self, search: Search, now: datetime, cursor: str | None, size: int = 0) -> Page:
        """Newest first. A cursor is the last post that was shown, so new ones shift nothing."""
        size = size or self.page_size
        here = [p for p in self.posts(now) if self.site in p.sites and p.posted_at <= now]
        found = _newest_first([p for p in here if not p.is_ad and search.finds(p)])
        ids = [p.id for p in found]
        start = ids.index(cursor) + 1 if cursor in ids else 0
        shown = found[start : start + size]
        more = bool(found[start + size :])
        ads = _newest_first([p for p in here if p.is_ad])
        number = start // size
        return Page(
            tuple(shown), shown[-1].id if more else None, ads[number % len(ads)] if ads else None
        )

    def by_id(self, post_id: str, now: datetime) -> SimPost | None:
        for post in self.posts(now):
            if post.id == post_id and self.site in post.sites and post.posted_at <= now:
                return post
        return None


def _newest_first(posts: Sequence[SimPost]) -> list[SimPost]:
    return sorted(posts, key=lambda post: (post.posted_at, post.id), reverse=True)


def _words(text: str) -> list[str]:
    decomposed = unicodedata.normalize("NFKD", text.lower())
    return WORD.findall("".join(c for c in decomposed if not unicodedata.combining(c)))
