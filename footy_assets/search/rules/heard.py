"""SE5: posts that a site sends as they are made, in place of a search."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Protocol

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class HeardPost:
    """A post with a video of its own. `video` is the id of the file; the other figures are the
    author's claims."""

    post_id: str
    author: str
    text: str
    posted_at: datetime
    video: str
    size: int | None = None
    width: int | None = None
    height: int | None = None
    langs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RemovedPost:
    post_id: str


@dataclass(frozen=True, slots=True)
class RemovedAuthor:
    """An account that was deleted, suspended or switched off: its posts go with it."""

    author: str


Change = HeardPost | RemovedPost | RemovedAuthor


@dataclass(frozen=True, slots=True)
class StreamEvent:
    """One message of a stream. `position` is its place, in microseconds since 1970; a message that
    cannot be read has none, but a reason. `missed_since` is set if the messages between that
    position and this one are no longer to be had. `broke_off` is no message: the connection ended,
    and the stream goes on in another."""

    position: int | None
    changes: tuple[Change, ...] = ()
    unreadable: str = ""
    missed_since: int | None = None
    broke_off: bool = False


class PostStream(Protocol):
    def events(
        self, after: int | None, stopped: Callable[[], bool]
    ) -> Iterator[StreamEvent | None]:
        """Messages from a little before a position on, or from now on, in order; some are repeated
        after a break. None where none came for a moment. Ends only when `stopped`."""
        ...


def position_of(at: datetime) -> int:
    return (at - EPOCH) // MICROSECOND


def time_of(position: int) -> datetime:
    return EPOCH + position * MICROSECOND
