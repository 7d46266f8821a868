"""Bluesky's lexicons, as far as they are read. What is unknown is passed over."""

from datetime import datetime
from typing import Any

from pydantic import AwareDatetime, BaseModel, Field

VIDEO = "app.bsky.embed.video#view"
WITH_MEDIA = "app.bsky.embed.recordWithMedia#view"


class Results(BaseModel):
    """`app.bsky.feed.searchPosts`; each post is read on its own."""

    posts: list[Any]
    cursor: str | None = None


class Author(BaseModel):
    did: str
    handle: str = ""


class Record(BaseModel):
    created_at: AwareDatetime = Field(alias="createdAt")
    text: str = ""


class Embed(BaseModel):
    """A video, or a quoted post with one beside it; a quoted post's own video is not ours."""

    type: str = Field("", alias="$type")
    playlist: str | None = None
    media: "Embed | None" = None

    @property
    def film(self) -> str | None:
        if self.type == VIDEO:
            return self.playlist
        return self.media.film if self.type == WITH_MEDIA and self.media else None


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
        """Keys are unique for their author only."""
        return f"{self.author.did}/{self.key}"

    @property
    def posted_at(self) -> datetime:
        """What the author's program said, unless Bluesky knew of the post before that."""
        created = self.record.created_at
        return min(created, self.indexed_at) if self.indexed_at else created
