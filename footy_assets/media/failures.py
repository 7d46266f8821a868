"""Why a video could not be read: one class for the engine, one name for each cause."""

from enum import StrEnum
from pathlib import Path

from footy_assets.errors import FootyError


class Unreadable(StrEnum):
    """The causes, as they are stored with a rejected clip."""

    EMPTY = "empty"
    NOT_A_VIDEO = "not_a_video"
    NO_PICTURE = "no_picture"
    NO_FRAME_RATE = "no_frame_rate"
    TOO_LARGE = "too_large"
    TOO_LONG = "too_long"
    TOO_SLOW = "too_slow"
    BROKEN = "broken"


WHAT_TO_DO: dict[Unreadable, str] = {
    Unreadable.EMPTY: "Download it again",
    Unreadable.NOT_A_VIDEO: "Give an mp4, webm, mkv or mov file",
    Unreadable.NO_PICTURE: "It holds sound only; give a file with a video stream",
    Unreadable.NO_FRAME_RATE: "It holds a still picture or no timing; give a moving video",
    Unreadable.TOO_LARGE: "Give a version with fewer pixels",
    Unreadable.TOO_LONG: "Cut it to the goal",
    Unreadable.TOO_SLOW: "Give a shorter or smaller version",
    Unreadable.BROKEN: "Download it again; this copy is damaged",
}


class VideoUnreadable(FootyError):
    """A file is no video we can judge. Reading it again gives the same, so no retry."""

    exit_code = 6

    def __init__(self, path: Path, reason: Unreadable, detail: str) -> None:
        super().__init__(f"{path.name}: {detail}", WHAT_TO_DO[reason])
        self.path = path
        self.reason = reason


class FingerprintUnreadable(FootyError):
    """Stored bytes are no fingerprint, or one of another version."""

    default_fix = "Hash the clip again"
