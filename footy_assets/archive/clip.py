"""A clip that is kept, and a file that may become one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from footy_assets.media import Fingerprint, Quality

# Video ids and how popular each post was: a set of contributions, so that adding one twice
# changes nothing.
Popularity = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A downloaded, validated file. `popularity` names every post that had these very bytes."""

    md5: str
    quality: Quality
    verified: bool
    fingerprint: Fingerprint
    popularity: Popularity


@dataclass(frozen=True, slots=True)
class Clip:
    """One clip of a goal in S3. `key` is where its object lies now; `public_key` never changes."""

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
    # The post that these bytes came from.
    video_id: str = ""
    rank: int | None = None
    stored_at: datetime | None = None
    verdict: Mapping[str, object] = field(default_factory=dict)

    @property
    def popularity(self) -> int:
        return sum(self.popularity_by.values())
