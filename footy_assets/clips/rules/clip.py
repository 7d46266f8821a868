"""A stored clip, and a file that may become one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from footy_assets.media import Fingerprint, Quality

# The popularity of each post, by video id, so that adding a post twice changes nothing.
Popularity = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A downloaded, validated file. `popularity` holds every post with the same bytes."""

    md5: str
    quality: Quality
    verified: bool
    fingerprint: Fingerprint
    popularity: Popularity


@dataclass(frozen=True, slots=True)
class Clip:
    """A clip of a goal in S3. `key` is its present object; `public_key` never changes."""

    id: str
    goal_key: str
    key: str
    public_key: str
    md5: str
    quality: Quality
    width: int
    height: int
    verified: bool
    fingerprint: Fingerprint
    popularity_by: Popularity
    # The post that the file came from.
    video_id: str = ""
    rank: int | None = None
    stored_at: datetime | None = None
    verdict: Mapping[str, object] = field(default_factory=dict)

    @property
    def popularity(self) -> int:
        return sum(self.popularity_by.values())
