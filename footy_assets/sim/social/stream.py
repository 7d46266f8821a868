"""What happens on the network, in order, as a Jetstream sends it."""

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import Condition, Lock
from typing import Any, Literal, Protocol

from footy_assets.sim.social.posts import SimPost

Json = dict[str, Any]
Version = Literal[1, 2]
SECOND = 1_000_000


class SimStream(Protocol):
    """Numbered messages with rising positions, in microseconds since 1970."""

    def message(self, number: int, version: Version) -> str | None:
        """None if it has not happened yet."""
        ...

    def first_at(self, position: int) -> int:
        """The number of the first message at a position or later, among those still kept."""
        ...

    def oldest(self) -> int:
        """The position of the first message that is still kept."""
        ...

    def count(self) -> int: ...

    def wait(self, seconds: float) -> None:
        """For more messages."""
        ...


@dataclass(frozen=True)
class SimEvent:
    """A change of a record, or of an account if `account` is set."""

    position: int
    did: str
    operation: str = "create"
    rkey: str = ""
    record: Json | None = None
    account: Json | None = None
    collection: str = "app.bsky.feed.post"

    def message(self, number: int, version: Version) -> str:
        return json.dumps(self._v1() if version == 1 else self._v2(number))

    def _v1(self) -> Json:
        event: Json = {"did": self.did, "time_us": self.position}
        if self.account is not None:
            return event | {"kind": "account", "account": self.account | {"did": self.did}}
        return event | {"kind": "commit", "commit": self._commit()}

    def _v2(self, number: int) -> Json:
        kind = "commit" if self.account is None else "account"
        payload: Json = {
            "$type": f"network.bsky.jetstream.subscribeEvents#{kind}",
            "did": self.did,
            "seq": number + 1,
            "time": iso_time(self.position),
            "witnessedAt": iso_time(self.position),
        }
        payload |= self._commit() if self.account is None else {"account": self.account}
        return {"$type": "message", "payload": payload}

    def _commit(self) -> Json:
        commit: Json = {
            "rev": "3lgqvogx3fo2r",
            "operation": self.operation,
            "collection": self.collection,
            "rkey": self.rkey,
        }
        return commit if self.record is None else commit | {"record": self.record, "cid": "bafyrei"}


@dataclass
class EventLog:
    """A `SimStream` in memory. Several threads may use it."""

    events: list[SimEvent] = field(default_factory=list)
    forgotten: int = 0
    _changed: Condition = field(default_factory=lambda: Condition(Lock()))

    def add(self, *events: SimEvent) -> None:
        with self._changed:
            self.events += events
            self._changed.notify_all()

    def forget_before(self, position: int) -> None:
        """Older messages are not to be had any more."""
        self.forgotten = self.first_at(position)

    def message(self, number: int, version: Version) -> str | None:
        if number >= len(self.events):
            return None
        return self.events[number].message(number, version)

    def first_at(self, position: int) -> int:
        kept = range(self.forgotten, len(self.events))
        return next((n for n in kept if self.events[n].position >= position), len(self.events))

    def oldest(self) -> int:
        return self.events[self.forgotten].position if self.forgotten < self.count() else 0

    def count(self) -> int:
        return len(self.events)

    def wait(self, seconds: float) -> None:
        with self._changed:
            self._changed.wait(seconds)


def created(post: SimPost, position: int | None = None) -> SimEvent:
    """A post as its author writes it."""
    at = position if position is not None else position_at(post.posted_at)
    return SimEvent(at, did_of(post), rkey=post.id, record=_record(post))


def deleted(post: SimPost, position: int) -> SimEvent:
    return SimEvent(position, did_of(post), "delete", post.id)


def account_gone(author: str, position: int, status: str = "deleted") -> SimEvent:
    return SimEvent(position, f"did:plc:{author}", account={"active": False, "status": status})


def chatter(position: int) -> SimEvent:
    """Somebody writes something else, as somebody always does."""
    record = {"$type": "app.bsky.feed.post", "createdAt": iso_time(position), "text": "Lunch."}
    return SimEvent(position, "did:plc:somebody", rkey=f"c{position}", record=record)


def did_of(post: SimPost) -> str:
    return f"did:plc:{post.author}"


def position_at(at: datetime) -> int:
    return round(at.timestamp() * SECOND)


def iso_time(position: int) -> str:
    seconds, micros = divmod(position, SECOND)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{micros:06d}Z"


def _record(post: SimPost) -> Json:
    record: Json = {
        "$type": "app.bsky.feed.post",
        "createdAt": iso_time(position_at(post.posted_at)),
        "langs": ["en"],
        "text": post.text,
    }
    if post.shape == "undated":
        record["createdAt"] = "a moment ago"
    if post.shape == "malformed":
        record["text"] = 7
    embed = _embed(post)
    return record | ({"embed": embed} if embed else {})


def _embed(post: SimPost) -> Json | None:
    video: Json | None = None
    if post.video is not None:
        width, height = post.size
        video = {
            "$type": "app.bsky.embed.video",
            "aspectRatio": {"width": width, "height": height},
            "video": {
                "$type": "blob",
                "ref": {"$link": post.video},
                "mimeType": "video/mp4",
                "size": 1_000_000,
            },
        }
    if post.quotes is None:
        return video
    quoted = {"uri": f"at://{did_of(post.quotes)}/app.bsky.feed.post/{post.quotes.id}", "cid": "b"}
    record = {"$type": "app.bsky.embed.record", "record": quoted}
    if video is None:
        return record
    return {"$type": "app.bsky.embed.recordWithMedia", "record": record, "media": video}
