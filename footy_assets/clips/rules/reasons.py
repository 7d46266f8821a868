"""Every reason that a video without a clip may have, as metrics and figures count them."""

from typing import Any

from footy_assets.errors import DownloadCause
from footy_assets.media import RefusalReason, RejectionReason, UnreadableReason
from footy_assets.search.rules.attempts import AttemptOutcome
from footy_assets.search.rules.video import VideoReason

REASONS = frozenset(
    str(reason)
    for reasons in (
        VideoReason,
        AttemptOutcome,
        DownloadCause,
        UnreadableReason,
        RejectionReason,
        RefusalReason,
    )
    for reason in reasons
)


def reason_kind(outcome: dict[str, Any]) -> str:
    """The reason of a stored outcome without its details."""
    return str(outcome.get("reason_kind") or outcome["reason"])
