"""Bluesky's JSON, as far as it is read. Unknown fields are ignored."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import AwareDatetime, BaseModel, Field

from footy_assets.parsing import IfReadable

VIDEO = "app.bsky.embed.video#view"
WITH_MEDIA = "app.bsky.embed.recordWithMedia#view"
# What MongoDB can store: a record of anybody must not stop the listener.
LARGEST = 2**53


class Results(BaseModel):
    """`app.bsky.feed.searchPosts`; each post is parsed on its own."""

    posts: list[Any]
    cursor: str | None = None


class Author(BaseModel):
    did: str
    handle: str = ""


class Record(BaseModel):
    created_at: AwareDatetime = Field(alias="createdAt")
    text: str = ""


class AspectRatio(BaseModel):
    """ "May be approximate, and may not correspond to absolute dimensions in any given unit"."""

    width: int = Field(gt=0, le=LARGEST)
    height: int = Field(gt=0, le=LARGEST)


class Embed(BaseModel):
    """A video, or a quote with a video; the video of the quoted post itself does not count."""

    type: str = Field("", alias="$type")
    playlist: str | None = None
    aspect_ratio: Annotated[AspectRatio | None, IfReadable] = Field(None, alias="aspectRatio")
    media: "Embed | None" = None

    @property
    def video(self) -> "Embed | None":
        if self.type == VIDEO:
            return self
        return self.media.video if self.type == WITH_MEDIA and self.media else None


class PostView(BaseModel):
    uri: str = Field(pattern=r"^at://[^/]+/app\.bsky\.feed\.post/[^/]+$")
    author: Author
    record: Record
    indexed_at: AwareDatetime | None = Field(None, alias="indexedAt")
    embed: Embed | None = None
    like_count: int = Field(0, alias="likeCount")
    repost_count: int = Field(0, alias="repostCount")

    @property
    def key(self) -> str:
        return self.uri.rsplit("/", 1)[1]

    @property
    def post_id(self) -> str:
        """A key is unique only within its author."""
        return f"{self.author.did}/{self.key}"

    @property
    def posted_at(self) -> datetime:
        """The author's time, unless Bluesky indexed the post before that."""
        created = self.record.created_at
        return min(created, self.indexed_at) if self.indexed_at else created
