"""The values in which videos and attempts are stored: changing one orphans stored documents."""

from footy_assets.errors import DownloadCause
from footy_assets.search.rules.attempts import AttemptOutcome
from footy_assets.search.rules.video import VideoReason, VideoState
from footy_assets.store.collections import INDEXES, VIDEOS


def test_states_are_stored_under_these_names() -> None:
    assert list(VideoState) == [
        *("seen", "chosen", "held", "taken", "duplicate", "refused", "failed", "removed")
    ]


def test_reasons_are_stored_under_these_names() -> None:
    assert list(VideoReason) == [
        "stored",
        "the goal is not stable yet",
        "the same bytes are stored",
        "a copy no worse is stored",
        "the goal was removed",
        "removed before",
        "the footage of another goal",
        "removed by hand",
        "not finished in 3 tries",
    ]
    assert list(DownloadCause) == [
        *("geo_blocked", "removed", "private", "deleted", "suspended", "age_restricted"),
        *("forbidden_address", "no_video"),
        *("too_large", "timed_out", "disk_full", "unreadable", "unavailable"),
    ]


def test_outcomes_of_attempts_are_stored_under_these_names() -> None:
    assert list(AttemptOutcome) == [
        "found nothing",
        "videos settled",
        "the deadline passed",
        "the match was closed by hand",
        "failed",
    ]


def test_the_index_of_waiting_videos_covers_chosen_ones() -> None:
    filters = [index.document.get("partialFilterExpression") for index in INDEXES[VIDEOS]]
    assert {"state": VideoState.CHOSEN} in filters
