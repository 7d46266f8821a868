"""Messages of Bluesky's Jetstream, as far as they are read. Unknown fields are ignored.

Of all posts one in forty has a video: the record of any other is not validated.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import (
    AwareDatetime,
    BaseModel,
    Field,
    StringConstraints,
    ValidationError,
)

from footy_assets.search.rules.heard import (
    Change,
    HeardPost,
    RemovedAuthor,
    RemovedPost,
    StreamEvent,
    position_of,
    time_of,
)
from resources.bluesky.models import LARGEST, AspectRatio

POSTS = "app.bsky.feed.post"
VIDEO = "app.bsky.embed.video"
WITH_MEDIA = "app.bsky.embed.recordWithMedia"
# Bluesky allows 3,000 bytes of text and three languages.
TEXT_LENGTH = 3_000
MOST_LANGS = 3
# Statuses of an account that is gone; others, such as throttled, are its server's.
GONE = frozenset({"deleted", "takendown", "suspended", "deactivated"})
LATEST = 4_000_000_000_000_000

Did = Annotated[str, StringConstraints(pattern=r"^did:(plc|web):[A-Za-z0-9._:%-]{1,200}$")]
RecordKey = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._:~-]{1,512}$")]
Instant = Annotated[
    AwareDatetime,
    Field(ge=datetime(2000, 1, 1, tzinfo=UTC), le=datetime(2090, 1, 1, tzinfo=UTC)),
]
ContentId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9]{1,128}$")]


class StreamEnded(Exception):
    """The server names a reason and ends the stream."""


class StreamCommit(BaseModel):
    operation: str
    collection: str = ""
    rkey: RecordKey
    record: Any = None


class StreamAccount(BaseModel):
    active: bool = True
    status: str | None = None


class StreamV1Message(BaseModel):
    """`/subscribe`."""

    did: Did
    time_us: int = Field(gt=0, le=LATEST)
    kind: str
    commit: StreamCommit | None = None
    account: StreamAccount | None = None


class StreamV2Payload(BaseModel):
    """`witnessedAt` is what a cursor refers to; older servers have `time` alone."""

    type: str = Field(alias="$type")
    did: Did | None = None
    time: Instant | None = None
    witnessed_at: Instant | None = Field(None, alias="witnessedAt")


class StreamV2Message(BaseModel):
    """`network.bsky.jetstream.subscribeEvents`. An error is the last message of a connection."""

    type: str = Field(alias="$type")
    payload: dict[str, Any] = Field(default_factory=dict)
    error: str = ""


class BlobRef(BaseModel):
    link: ContentId = Field(alias="$link")


class VideoBlob(BaseModel):
    ref: BlobRef
    size: int | None = Field(None, ge=0, le=LARGEST)


class VideoEmbed(BaseModel):
    video: VideoBlob
    aspect_ratio: AspectRatio | None = Field(None, alias="aspectRatio")


class VideoPostRecord(BaseModel):
    created_at: Instant = Field(alias="createdAt")
    text: str = ""
    langs: list[str] = Field(default_factory=list)


def read_v1(text: str | bytes) -> StreamEvent:
    try:
        message = StreamV1Message.model_validate_json(text)
    except ValidationError:
        return StreamEvent(None, unreadable="unknown_form")
    at = message.time_us
    if message.commit is not None:
        return _with_changes(at, lambda: _of_commit(message.did, message.commit, at))
    return _with_changes(at, lambda: _of_account(message.did, message.account))


def read_v2(text: str | bytes) -> StreamEvent:
    """Raises `StreamEnded` for an error."""
    try:
        message = StreamV2Message.model_validate_json(text)
        if message.type == "error":
            raise StreamEnded(message.error or "an error without a name")
        payload = StreamV2Payload.model_validate(message.payload)
    except ValidationError:
        return StreamEvent(None, unreadable="unknown_form")
    time = payload.witnessed_at or payload.time
    kind = payload.type.rpartition("#")[2]
    if kind == "info":
        return StreamEvent(None)
    if time is None or payload.did is None:
        return StreamEvent(None, unreadable="unknown_form")
    at, did = position_of(time), payload.did
    if kind == "commit":
        return _with_changes(
            at, lambda: _of_commit(did, StreamCommit.model_validate(message.payload), at)
        )
    if kind == "account":
        # Some servers put the account's state into the message itself.
        raw = message.payload.get("account", message.payload)
        return _with_changes(at, lambda: _of_account(did, StreamAccount.model_validate(raw)))
    return StreamEvent(at)


def _with_changes(at: int, read: Callable[[], tuple[Change, ...]]) -> StreamEvent:
    """One unreadable record keeps its place, so that the stream goes on behind it."""
    try:
        return StreamEvent(at, read())
    except ValidationError:
        return StreamEvent(at, unreadable="unknown_record")


def _of_commit(did: str, commit: StreamCommit | None, at: int) -> tuple[Change, ...]:
    if commit is None or commit.collection != POSTS:
        return ()
    post_id = f"{did}/{commit.rkey}"
    if commit.operation == "delete":
        return (RemovedPost(post_id),)
    # An edited post takes the place of the old one.
    replaced = (RemovedPost(post_id),) if commit.operation == "update" else ()
    raw = _raw_video(commit.record)
    if raw is None:
        return replaced
    record = VideoPostRecord.model_validate(commit.record)
    embed = VideoEmbed.model_validate(raw)
    shape = embed.aspect_ratio
    post = HeardPost(
        post_id=post_id,
        author=did,
        text=record.text[:TEXT_LENGTH],
        # The author's time, unless the stream had the post before that.
        posted_at=min(record.created_at, time_of(at)),
        video=embed.video.ref.link,
        size=embed.video.size,
        width=shape.width if shape else None,
        height=shape.height if shape else None,
        langs=tuple(record.langs[:MOST_LANGS]),
    )
    return (*replaced, post)


def _raw_video(record: Any) -> Any | None:
    """The post's own video, also beside a quote; the video of a quoted post does not count."""
    embed = record.get("embed") if isinstance(record, dict) else None
    if isinstance(embed, dict) and embed.get("$type") == WITH_MEDIA:
        embed = embed.get("media")
    return embed if isinstance(embed, dict) and embed.get("$type") == VIDEO else None


def _of_account(did: str, account: StreamAccount | None) -> tuple[Change, ...]:
    if account is None or account.active or account.status not in GONE:
        return ()
    return (RemovedAuthor(did),)
