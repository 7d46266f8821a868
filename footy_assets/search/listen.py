"""SE5: keeps the posts with videos that a stream sends, so that a search is a query of our own.

A batch is written each second, or sooner if it is full. What a batch holds is bounded; while it is
written the stream is not read, and the server waits.
"""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta

import structlog

from footy_assets.clock import Clock
from footy_assets.search.rules.heard import (
    Change,
    HeardPost,
    PostStream,
    RemovedAuthor,
    RemovedPost,
    StreamEvent,
)
from footy_assets.search.store.heard_posts import RECONNECTS, HeardPosts

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class ListenRules:
    """How long a post is kept, and when a batch is written."""

    keep: timedelta = timedelta(hours=48)
    batch_changes: int = 500
    batch_seconds: float = 1.0


@dataclass
class ListenBatch:
    """Changes that are not written yet. `counts` has every message since the last batch: kept,
    removed, passed over for having no video, the reasons of unreadable ones; and reconnects."""

    posts: dict[str, HeardPost] = field(default_factory=dict)
    removed: set[str] = field(default_factory=set)
    removed_authors: set[str] = field(default_factory=set)
    counts: Counter[str] = field(default_factory=Counter)
    position: int | None = None
    missed: tuple[int, int] | None = None

    def add(self, event: StreamEvent) -> None:
        if event.position is not None:
            self.position = event.position
            if event.missed_since is not None:
                self.missed = (event.missed_since, event.position)
        if event.broke_off:
            self.counts[RECONNECTS] += 1
        elif event.unreadable:
            self.counts[event.unreadable] += 1
        elif not event.changes:
            self.counts["passed"] += 1
        for change in event.changes:
            self._add_change(change)

    def _add_change(self, change: Change) -> None:
        match change:
            case HeardPost():
                self.posts[change.post_id] = change
                self.counts["kept"] += 1
            case RemovedPost(post_id):
                self.posts.pop(post_id, None)
                self.removed.add(post_id)
                self.counts["removed"] += 1
            case RemovedAuthor(author):
                self.posts = {i: post for i, post in self.posts.items() if post.author != author}
                self.removed_authors.add(author)
                self.counts["removed_authors"] += 1

    @property
    def size(self) -> int:
        return len(self.posts) + len(self.removed) + len(self.removed_authors)


class PostListener:
    """Writes a stream into the store, from where it was left. `clock` is the real time, by which
    MongoDB deletes posts."""

    def __init__(
        self,
        store: HeardPosts,
        stream: PostStream,
        clock: Clock,
        rules: ListenRules | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store, self._stream, self._clock = store, stream, clock
        self._rules = rules or ListenRules()
        self._monotonic = monotonic
        self.counts: Counter[str] = Counter()

    def run(self, stopped: Callable[[], bool]) -> None:
        """Until `stopped`. Raises a `PyMongoError` when nothing can be written; the next start
        goes on where the store ends."""
        state = self._store.state()
        batch, due = ListenBatch(), self._monotonic() + self._rules.batch_seconds
        for event in self._stream.events(state.position if state else None, stopped):
            if event is not None:
                batch.add(event)
            if batch.size >= self._rules.batch_changes or self._monotonic() >= due:
                self._write(batch)
                batch, due = ListenBatch(), self._monotonic() + self._rules.batch_seconds
        self._write(batch)

    def _write(self, batch: ListenBatch) -> None:
        """Posts first, the position second. Without a position nothing came that has one."""
        now = self._clock.now()
        self._store.write(
            list(batch.posts.values()),
            sorted(batch.removed),
            sorted(batch.removed_authors),
            self._rules.keep,
        )
        if batch.position is not None:
            self._store.advance(batch.position, now, batch.counts, batch.missed)
        elif batch.counts:
            self._store.count(batch.counts)
        self.counts += batch.counts
        if batch.missed is not None:
            log.warning("posts_missed", since=batch.missed[0], until=batch.missed[1])
