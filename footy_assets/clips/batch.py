"""The chosen videos of one goal on their way to become clips, and why some do not."""

import errno
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol
from uuid import uuid4

from pymongo.errors import PyMongoError

from footy_assets.clip_limits import ClipRules, exceeded_limits
from footy_assets.clips.rules.clip import Candidate
from footy_assets.clips.rules.dedup import Group
from footy_assets.clips.rules.keys import rendition_key
from footy_assets.clips.rules.rendition import ClipRendition
from footy_assets.clips.work_folders import WorkFolder
from footy_assets.errors import (
    Busy,
    DownloadCause,
    DownloadFailed,
    DownloadUnavailable,
    Stalled,
    Unavailable,
)
from footy_assets.logs import LogSink, Stage, StageLog
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.media import Probe, Quality, VideoUnreadable
from footy_assets.media.examine import Examination
from footy_assets.media.goal_facts import GoalFacts
from footy_assets.media.playable import PlayableFile, PlayableMethod
from footy_assets.media.rendition import RenditionFile
from footy_assets.media.validation import Refusal, RefusalReason
from footy_assets.search.rules.posts import stated_figures
from footy_assets.search.rules.video import VideoState
from footy_assets.store.collections import Document


class DownloadsUnderWay(Protocol):
    """The downloads that go on beside a batch's work."""

    def next(self) -> "tuple[Document, DownloadedFile | Exception] | None": ...
    def end(self) -> None: ...


class DownloadedFile(Protocol):
    @property
    def path(self) -> Path: ...
    @property
    def md5(self) -> str: ...
    @property
    def size(self) -> int: ...


@dataclass(frozen=True, slots=True)
class AcceptedVideo:
    """A video whose file passed validation, or is refused so far (SE8)."""

    video: Document
    file: DownloadedFile
    examination: Examination

    @property
    def video_id(self) -> str:
        return str(self.video["video_id"])

    @property
    def candidate(self) -> Candidate:
        assert self.examination.fingerprint is not None
        assert self.examination.validation is not None
        return Candidate(
            md5=self.file.md5,
            quality=Quality.of(self.examination.probe),
            verified=self.examination.validation.verified,
            fingerprint=self.examination.fingerprint,
            popularity={self.video_id: self.video["popularity"]},
            verified_by=self.examination.validation.verified_by,
        )


@dataclass(frozen=True, slots=True)
class StoredRendition:
    """D6: the MP4 with the original pictures of a video that was transcoded."""

    path: Path
    md5: str
    probe: Probe
    codec: str
    codecs: str

    @classmethod
    def of(cls, made: RenditionFile) -> "StoredRendition":
        return cls(made.path, _md5(made.path), made.probe, str(made.codec), made.codecs)

    @property
    def quality(self) -> Quality:
        return Quality.of(self.probe)

    def at(self, goal: GoalEvent) -> ClipRendition:
        """As the clip of a goal lists it."""
        return ClipRendition(
            key=rendition_key(goal, self.md5, self.codec),
            codec=self.codec,
            codecs=self.codecs,
            md5=self.md5,
            width=self.probe.width,
            height=self.probe.height,
            size=self.probe.size,
        )


@dataclass(frozen=True, slots=True)
class StoredFile:
    """D4: the MP4 of a video that is stored, and its original pictures if they are kept."""

    path: Path
    md5: str
    probe: Probe
    method: PlayableMethod
    renditions: tuple[StoredRendition, ...] = ()

    @classmethod
    def of(cls, made: PlayableFile) -> "StoredFile":
        return cls(made.path, _md5(made.path), made.probe, made.method)

    @property
    def quality(self) -> Quality:
        return Quality.of(self.probe)


def _md5(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()


@dataclass(frozen=True, slots=True)
class Examined:
    """What was found about a file, and what was known of the goal then."""

    facts: GoalFacts
    found: "Examination | VideoUnreadable | Stalled"


@dataclass(slots=True)
class ClipBatch:
    """The chosen videos of one goal and what each step adds to them.

    `outcomes` holds the last state and its reason of each video that is done, `errors` why others
    stay chosen for the next batch; both by video id.
    """

    goal: GoalEvent
    work_folder: WorkFolder
    run_id: str
    # Of one video on its way: the batch it belongs to.
    part_of: "ClipBatch | None" = None
    # A run that starts over makes another batch, which is another try.
    try_id: str = field(default_factory=lambda: uuid4().hex)
    videos: list[Document] = field(default_factory=list)
    downloads: dict[str, DownloadedFile] = field(default_factory=dict)
    # SE8: what was known of the goal when its files were judged, and those that are refused for
    # nothing else while the goal is not stable.
    facts: GoalFacts = field(default_factory=GoalFacts)
    refused_so_far: list[AcceptedVideo] = field(default_factory=list)
    accepted: list[AcceptedVideo] = field(default_factory=list)
    groups: tuple[Group, ...] = ()
    # By md5: copies of a better video that the batch accepted before.
    beaten: set[str] = field(default_factory=set)
    # By the md5 of the downloaded file.
    playable: dict[str, StoredFile] = field(default_factory=dict)
    # D3: by the md5 of the file; the same bytes are examined once.
    examined: dict[str, Examined] = field(default_factory=dict)
    outcomes: dict[str, dict[str, Any]] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    # Whether the goal's clips were ranked and what a killed run left was removed.
    published: bool = False
    # The downloads of the whole batch, the ids of the videos that were taken from it, whether it
    # leaves the others for later, and whether its folder is gone.
    fetching: "DownloadsUnderWay | None" = None
    taken: set[str] = field(default_factory=set)
    gives_way: bool = False
    ended: bool = False
    stored: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)

    def part(self, videos: Sequence[Document]) -> "ClipBatch":
        """Some of its videos, which go through the steps by themselves."""
        return ClipBatch(
            self.goal,
            self.work_folder,
            self.run_id,
            part_of=self,
            try_id=self.try_id,
            videos=list(videos),
        )

    def add(self, part: "ClipBatch") -> None:
        """What became of one of its videos."""
        self.goal = part.goal
        self.downloads |= part.downloads
        self.accepted += part.accepted
        self.refused_so_far += part.refused_so_far
        self.outcomes |= part.outcomes
        self.errors |= part.errors
        self.stored += part.stored
        self.replaced += [one for one in part.replaced if one not in self.replaced]
        self.published = self.published or part.published

    @property
    def folder(self) -> Path:
        return self.work_folder.path

    def settle(self, video_id: str, state: VideoState, reason: str, **details: Any) -> None:
        self.outcomes[video_id] = {"state": state, "reason": reason, **details}

    def log(self, stage: Stage, sink: LogSink, video: Document | None = None) -> StageLog:
        """P2: every line names the match, the goal and, where it is about one, the video."""
        ids: dict[str, Any] = {"fixture_id": self.goal.fixture_id, "event_id": self.goal.event_id}
        if video is not None:
            ids |= {"video_id": video["video_id"], "attempt": video.get("attempt")}
        return StageLog(stage, sink, ids)


def trace_of(batch: ClipBatch, video: Document) -> str | None:
    """The trace of the search that found a video, else that of its goal."""
    return video.get("traceparent") or batch.goal.traceparent


def is_own_outage(error: Exception) -> bool:
    """Whether our own stores or disk failed, and not a video."""
    if isinstance(error, DownloadUnavailable):
        return error.cause is DownloadCause.DISK_FULL
    if isinstance(error, OSError):
        return error.errno == errno.ENOSPC
    return isinstance(error, Unavailable | Busy | PyMongoError)


def failure_text(error: Exception) -> str:
    """An error that nobody foresaw, in words."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def download_refusal(error: Exception) -> dict[str, Any]:
    """D1: why a video is refused whose download failed for good, and the details."""
    if isinstance(error, DownloadFailed):
        return {"reason": str(error.cause), "detail": str(error)}
    return {"reason": str(DownloadCause.UNREADABLE), "detail": failure_text(error)}


def is_known_from_post(video: Document, reason: str, rules: ClipRules) -> bool:
    """SE6: whether what the post says exceeds the same limit: then the download was wasted."""
    stated = (video.get(name) for name in ("duration", "width", "height", "aspect", "size"))
    return reason in {one.reason for one in exceeded_limits(stated_figures(*stated), rules)}


def refusal_of(examined: Examination | VideoUnreadable) -> dict[str, Any] | None:
    """D2, V1: the reason to refuse a file and its details, or None."""
    if isinstance(examined, VideoUnreadable):
        return {"reason": str(examined.reason), "detail": examined.sentence()}
    if examined.rejections:
        first = examined.rejections[0]
        return {
            "reason": str(first.reason),
            "detail": "; ".join(r.sentence() for r in examined.rejections),
            "measured": first.measured,
            "limit": first.limit,
        }
    validation = examined.validation
    if validation is None or not validation.accepted or examined.fingerprint is None:
        refusals = validation.refusals if validation else ()
        refusal = refusals[0] if refusals else Refusal(RefusalReason.NOT_JUDGED)
        return {
            "reason": refusal.sentence(),
            "reason_kind": str(refusal.reason),
            "detail": "; ".join(one.sentence() for one in refusals),
            "verdict": validation.as_json() if validation else {},
        }
    return None
