"""X's JSON, as far as it is read. Unknown fields are ignored."""

import re
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    Field,
    model_validator,
)

from footy_assets.parsing import IfReadable
from footy_assets.search.rules.renditions import Rendition

MP4 = "video/mp4"
# The size of a file is a part of its path: /vid/avc1/1280x720/name.mp4.
SIZE_IN_PATH = re.compile(r"/(\d{2,5})x(\d{2,5})/")
MOST_BITS, LONGEST_MILLIS = 10**9, 10**9
Edge = Annotated[int, Field(gt=0, le=100_000)]
X_TIME = "%a %b %d %H:%M:%S %z %Y"


def _x_time(text: Any) -> Any:
    if not isinstance(text, str):
        return text
    return datetime.strptime(text, X_TIME).astimezone(UTC)


class XModel(BaseModel):
    """Treats null as a missing field."""

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, value: Any) -> Any:
        if isinstance(value, dict):
            return {name: field for name, field in value.items() if field is not None}
        return value


class Variant(XModel):
    url: str
    content_type: str = ""
    bitrate: int = Field(0, ge=0, le=MOST_BITS)

    @property
    def rendition(self) -> Rendition:
        found = SIZE_IN_PATH.search(self.url)
        width, height = map(int, found.groups()) if found else (None, None)
        return Rendition(self.url, width, height, self.bitrate or None)


class VideoInfo(XModel):
    variants: list[Variant] = []
    duration_millis: int | None = Field(None, ge=0, le=LONGEST_MILLIS)
    aspect_ratio: Annotated[tuple[Edge, Edge] | None, IfReadable] = None


class OriginalInfo(XModel):
    width: Edge
    height: Edge


class Media(XModel):
    type: str
    video_info: VideoInfo | None = None
    original_info: Annotated[OriginalInfo | None, IfReadable] = None

    @property
    def renditions(self) -> tuple[Rendition, ...]:
        """The files of a video; a GIF is none."""
        if self.type != "video" or self.video_info is None:
            return ()
        variants = self.video_info.variants
        return tuple(one.rendition for one in variants if one.content_type == MP4)

    @property
    def aspect(self) -> float | None:
        ratio = self.video_info.aspect_ratio if self.video_info else None
        return ratio[0] / ratio[1] if ratio else None

    @property
    def seconds(self) -> float | None:
        millis = self.video_info.duration_millis if self.video_info else None
        return millis / 1000 if millis else None


class Entities(XModel):
    media: list[Media] = []


class Legacy(XModel):
    created_at: Annotated[datetime, BeforeValidator(_x_time)]
    full_text: str = ""
    favorite_count: int = 0
    retweet_count: int = 0
    extended_entities: Entities = Field(default_factory=Entities)


class Named(XModel):
    screen_name: str | None = None


class User(XModel):
    """The name is in `core`, formerly in `legacy`; both occur."""

    core: Named = Field(default_factory=Named)
    legacy: Named = Field(default_factory=Named)


class UserResult(XModel):
    result: User = Field(default_factory=User)


class TweetCore(XModel):
    user_results: UserResult = Field(default_factory=UserResult)


class Views(XModel):
    count: int = 0


class Tweet(XModel):
    rest_id: str = Field(pattern=r"^\d+$")
    legacy: Legacy
    core: TweetCore = Field(default_factory=TweetCore)
    views: Views = Field(default_factory=Views)

    @property
    def author(self) -> str:
        user = self.core.user_results.result
        return user.core.screen_name or user.legacy.screen_name or ""


class Instruction(XModel):
    entries: list[Any] = []
    entry: Any = None


class Timeline(XModel):
    instructions: list[Instruction]


class SearchTimeline(XModel):
    timeline: Timeline


class RawQuery(XModel):
    search_timeline: SearchTimeline


class SearchData(XModel):
    search_by_raw_query: RawQuery


class XError(XModel):
    code: int = 0
    message: str = ""


class Answer(XModel):
    data: SearchData | None = None
    errors: list[XError] = []


class Article(XModel):
    """A post on the page."""

    href: str = Field(pattern=r"^/\w+/status/\d+")
    posted_at: datetime
    text: str = ""
    has_video: bool = False
    is_ad: bool = False
    likes: int = 0
    reposts: int = 0
    views: int = 0

    @property
    def author(self) -> str:
        return self.href.split("/")[1]

    @property
    def post_id(self) -> str:
        return self.href.split("/")[3]
