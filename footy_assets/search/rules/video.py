"""The states of a posted video between a search and a clip, and why it is in one of them."""

from enum import StrEnum

# A video that is not finished in this many tries is failed.
MAX_TRIES = 3


class VideoState(StrEnum):
    """As stored. A video is seen, chosen, maybe held, and then in one of the last states."""

    # Found by a search, but not chosen: a later attempt may choose it.
    SEEN = "seen"
    # Waits to be downloaded.
    CHOSEN = "chosen"
    # SE8: judged, and not published before its goal is stable.
    HELD = "held"
    # Its file is a stored clip.
    TAKEN = "taken"
    # Another copy of the same footage is stored.
    DUPLICATE = "duplicate"
    REFUSED = "refused"
    # Given up, though nothing is known against it.
    FAILED = "failed"
    # An operator removed its clip.
    REMOVED = "removed"


# A video in one of these has no outcome yet.
UNSETTLED = (VideoState.CHOSEN, VideoState.HELD)
# A video in one of these has no clip, and its reason says why.
WITHOUT_CLIP = (VideoState.REFUSED, VideoState.FAILED)


class VideoReason(StrEnum):
    """Why a video is in its state, as stored.

    A refused one may also carry a `DownloadCause` or a reason of the media engine. Where details
    follow the reason, its kind is stored as `reason_kind`.
    """

    STORED = "stored"
    GOAL_NOT_STABLE = "the goal is not stable yet"
    SAME_BYTES = "the same bytes are stored"
    COPY_STORED = "a copy no worse is stored"
    GOAL_REMOVED = "the goal was removed"
    CLIP_REMOVED_BEFORE = "removed before"
    OTHER_GOAL = "the footage of another goal"
    REMOVED_BY_OPERATOR = "removed by hand"
    TOO_MANY_TRIES = f"not finished in {MAX_TRIES} tries"
