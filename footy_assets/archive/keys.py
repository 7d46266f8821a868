"""H7: where a clip lies, and what its object says about itself."""

from collections.abc import Mapping

from footy_assets.archive.clip import Candidate
from footy_assets.matchday.goal import GoalEvent
from footy_assets.media.fingerprint import VERSION

HASH_PREFIX = 16
VIDEO, POSTER, THUMBNAIL = ".mp4", ".jpg", ".thumb.jpg"


def object_key(goal: GoalEvent, md5: str) -> str:
    """H7: `{fixture}/{event}/{content-hash-prefix}.mp4`."""
    return f"{goal.fixture_id}/{goal.event_id}/{md5[:HASH_PREFIX]}{VIDEO}"


def beside(key: str) -> tuple[str, str]:
    """The poster and the thumbnail of a clip."""
    stem = key.removesuffix(VIDEO)
    return stem + POSTER, stem + THUMBNAIL


def public_path(bucket: str, public_key: str) -> str:
    """H7: the address that stays with a clip when a better copy takes its place."""
    return f"/video/{bucket}/{public_key}"


def object_metadata(goal: GoalEvent, candidate: Candidate, source_url: str) -> Mapping[str, str]:
    """A copy of what MongoDB says, for whoever finds the object alone."""
    return {
        "event": goal.event_id,
        "fixture": str(goal.fixture_id),
        "player": goal.player.name or "",
        "team": str(goal.team_id),
        "minute": str(goal.minute).rstrip("'"),
        "source-url": source_url,
        "duration": f"{candidate.quality.duration:g}",
        "size": str(candidate.quality.size),
        "hash-version": str(VERSION),
    }
