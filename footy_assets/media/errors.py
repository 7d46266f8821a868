"""Errors of the media engine, and the reasons why a video cannot be read."""

from enum import StrEnum
from pathlib import Path

from footy_assets.errors import FootyError, Unavailable


class UnreadableReason(StrEnum):
    """Why a file cannot be read, as stored with a rejected clip."""

    EMPTY = "empty"
    NOT_A_VIDEO = "not_a_video"
    NO_PICTURE = "no_picture"
    NO_FRAME_RATE = "no_frame_rate"
    CODEC = "codec"
    TOO_LARGE = "too_large"
    TOO_LONG = "too_long"
    TOO_SLOW = "too_slow"
    BROKEN = "broken"
    DECODER_CRASHED = "decoder_crashed"
    # Not the decoder's, but what else went wrong while this file was examined.
    FAILED = "examination_failed"


WHAT_TO_DO: dict[UnreadableReason, str] = {
    UnreadableReason.EMPTY: "Download it again",
    UnreadableReason.NOT_A_VIDEO: "Give an mp4, webm, mkv or mov file",
    UnreadableReason.NO_PICTURE: "It holds sound only; give a file with a video stream",
    UnreadableReason.NO_FRAME_RATE: "It holds a still picture or no timing; give a moving video",
    UnreadableReason.CODEC: "Give a file with H.264, HEVC, VP9 or AV1 video",
    UnreadableReason.TOO_LARGE: "Give a version with fewer pixels",
    UnreadableReason.TOO_LONG: "Cut it to the goal",
    UnreadableReason.TOO_SLOW: "Give a shorter or smaller version",
    UnreadableReason.BROKEN: "Download it again; this copy is damaged",
    UnreadableReason.DECODER_CRASHED: "Give another copy; this one breaks the decoder",
    UnreadableReason.FAILED: "Report the error with this file",
}


class VideoUnreadable(FootyError):
    """A file is not a readable video. Reading it again gives the same result, so no retry."""

    exit_code = 6

    def __init__(self, path: Path, reason: UnreadableReason, detail: str) -> None:
        super().__init__(f"{path.name}: {detail}", WHAT_TO_DO[reason])
        self.path = path
        self.reason = reason
        self.detail = detail


class CellUnavailable(Unavailable):
    """The process that decodes could not be started, so nothing is known about any file."""

    default_fix = "Check the machine's memory and its limit of processes; `footy doctor` tries it"


class OutputUnwritable(Unavailable):
    """What was made of a file could not be written, so nothing is known against the file."""

    default_fix = "Free space on the disk of FOOTY_HOME; the file is read again"


class FingerprintUnreadable(FootyError):
    """Stored bytes are not a fingerprint, or one of another version."""

    default_fix = "Hash the clip again"
