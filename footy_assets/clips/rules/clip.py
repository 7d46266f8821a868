"""A stored clip, and a file that may become one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from footy_assets.clips.rules.keys import object_keys
from footy_assets.clips.rules.rendition import ClipRendition
from footy_assets.media import Fingerprint, Quality
from footy_assets.media.evidence import VerifiedBy

# The popularity of each post with the same content, by video id, so that adding a post twice
# changes nothing. Posts that nobody likes are in it too.
Popularity = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A downloaded, validated file. `popularity` holds every post with the same bytes."""

    md5: str
    quality: Quality
    verified: bool
    fingerprint: Fingerprint
    popularity: Popularity
    # V7.
    verified_by: VerifiedBy = VerifiedBy.NOTHING


@dataclass(frozen=True, slots=True)
class JudgedFile:
    """The downloaded file that was judged, of which a clip is the playable MP4 (D4). Copies are
    compared with it: of the same content, one container may be larger than another."""

    md5: str
    quality: Quality


@dataclass(frozen=True, slots=True)
class Clip:
    """A clip of a goal in S3. `key` is its present object; `public_key` never changes. `md5`,
    `quality`, `width` and `height` are those of the object."""

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
    # None in clips of a version that stored files as they were downloaded.
    judged: JudgedFile | None = None
    # D6: the original pictures, where they are kept.
    renditions: tuple[ClipRendition, ...] = ()
    # V7.
    verified_by: VerifiedBy = VerifiedBy.NOTHING
    # V5: whether there is a picture of the scorebug that was read.
    has_scorebug: bool = False

    @property
    def object_keys(self) -> tuple[str, ...]:
        return object_keys(
            self.key, (one.key for one in self.renditions), has_scorebug=self.has_scorebug
        )

    @property
    def judged_md5(self) -> str:
        return self.judged.md5 if self.judged else self.md5

    @property
    def judged_quality(self) -> Quality:
        return self.judged.quality if self.judged else self.quality

    @property
    def popularity(self) -> int:
        return sum(self.popularity_by.values())

    @property
    def discovered(self) -> int:
        """H6: in how many posts the same content was found."""
        return len(self.popularity_by)
