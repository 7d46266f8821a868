"""The chosen videos of one goal on their way to become clips, and why some do not."""

import errno
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from pymongo.errors import PyMongoError

from footy_assets.archive.clip import Candidate
from footy_assets.archive.dedup import Group
from footy_assets.errors import Busy, DownloadUnavailable, Unavailable
from footy_assets.logs import Stage, StageLog, Tell
from footy_assets.matchday.goal import GoalEvent
from footy_assets.media import Quality, VideoUnreadable
from footy_assets.media.examine import Examined
from footy_assets.operations.work_folders import WorkFolder
from footy_assets.store.collections import Document

DISK_FULL = "disk_full"


class Fetched(Protocol):
    @property
    def path(self) -> Path: ...
    @property
    def md5(self) -> str: ...
    @property
    def size(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Local:
    """A file of the batch that may become a clip."""

    video: Document
    fetched: Fetched
    examined: Examined

    @property
    def candidate(self) -> Candidate:
        assert self.examined.fingerprint is not None
        assert self.examined.judged is not None
        return Candidate(
            md5=self.fetched.md5,
            quality=Quality.of(self.examined.probe),
            verified=self.examined.judged.verified,
            fingerprint=self.examined.fingerprint,
            popularity={self.video["video_id"]: self.video["popularity"]},
        )


@dataclass(slots=True)
class Batch:
    """The chosen videos of one goal on their way. `ends` says what became of each that is done,
    `troubles` why others have to wait for the next batch."""

    goal: GoalEvent
    place: WorkFolder
    run_id: str
    videos: list[Document] = field(default_factory=list)
    fetched: dict[str, Fetched] = field(default_factory=dict)
    fit: list[Local] = field(default_factory=list)
    groups: tuple[Group, ...] = ()
    ends: dict[str, dict[str, Any]] = field(default_factory=dict)
    troubles: dict[str, str] = field(default_factory=dict)
    stored: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)

    @property
    def folder(self) -> Path:
        return self.place.path

    def end(self, video_id: str, state: str, reason: str, **more: Any) -> None:
        self.ends[video_id] = {"state": state, "reason": reason, **more}

    def log(self, stage: Stage, tell: Tell, video: Document | None = None) -> StageLog:
        """P2: every line names the match, the goal and, where it is about one, the video."""
        ids: dict[str, Any] = {"fixture_id": self.goal.fixture_id, "event_id": self.goal.event_id}
        if video is not None:
            ids |= {"video_id": video["video_id"], "attempt": video.get("attempt")}
        return StageLog(stage, tell, ids)


def is_ours(error: Exception) -> bool:
    """Whether a failure is an outage of our own stores or disk, and no fault of a video."""
    if isinstance(error, DownloadUnavailable):
        return error.cause == DISK_FULL
    if isinstance(error, OSError):
        return error.errno == errno.ENOSPC
    return isinstance(error, Unavailable | Busy | PyMongoError)


def refusal(looked: Examined | VideoUnreadable) -> dict[str, Any] | None:
    """D2, V1: why a file is not taken, or None."""
    if isinstance(looked, VideoUnreadable):
        return {"reason": str(looked.reason), "detail": looked.sentence()}
    if looked.rejections:
        first = looked.rejections[0]
        return {
            "reason": str(first.reason),
            "detail": "; ".join(r.sentence() for r in looked.rejections),
            "measured": first.measured,
            "limit": first.limit,
        }
    if looked.judged is None or not looked.judged.accepted or looked.fingerprint is None:
        judged = looked.judged
        return {
            "reason": judged.reasons[0] if judged and judged.reasons else "could not be judged",
            "detail": "; ".join(judged.reasons) if judged else "",
            "verdict": judged.explanation if judged else {},
        }
    return None
