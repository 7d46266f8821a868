"""H7: the S3 keys of a clip, its images and renditions, and the metadata of its objects."""

from collections.abc import Iterable, Mapping, Sequence

from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.media import Quality
from footy_assets.media.fingerprint import VERSION

HASH_PREFIX = 16
VIDEO, POSTER, THUMBNAIL, SCOREBUG = ".mp4", ".jpg", ".thumb.jpg", ".bug.jpg"


def goal_prefix(goal: GoalEvent) -> str:
    return f"{goal.fixture_id}/{goal.event_id}/"


def object_key(goal: GoalEvent, md5: str) -> str:
    """H7: `{fixture}/{event}/{content-hash-prefix}.mp4`."""
    return f"{goal_prefix(goal)}{md5[:HASH_PREFIX]}{VIDEO}"


def poster_and_thumbnail_keys(key: str) -> tuple[str, str]:
    stem = key.removesuffix(VIDEO)
    return stem + POSTER, stem + THUMBNAIL


def scorebug_key(key: str) -> str:
    """V5: of the part of the picture that verified the clip."""
    return key.removesuffix(VIDEO) + SCOREBUG


def rendition_key(goal: GoalEvent, md5: str, codec: str) -> str:
    """D6: `{fixture}/{event}/{content-hash-prefix}.{codec}.mp4`, by the hash of its own content."""
    return f"{goal_prefix(goal)}{md5[:HASH_PREFIX]}.{codec}{VIDEO}"


def object_keys(
    key: str, renditions: Iterable[str] = (), *, has_scorebug: bool = False
) -> tuple[str, ...]:
    """The keys of all objects of a clip: the video first, images, renditions."""
    scorebug = (scorebug_key(key),) if has_scorebug else ()
    return key, *poster_and_thumbnail_keys(key), *scorebug, *renditions


def public_path(bucket: str, public_key: str) -> str:
    """H7: a clip's address, which stays when a better copy replaces its file."""
    return f"/video/{bucket}/{public_key}"


def watch_path(public_key: str) -> str:
    """The path of a clip's page in the gallery."""
    return f"/watch/{public_key.removesuffix(VIDEO)}"


def replaced_keys(old: Sequence[str], new: Sequence[str]) -> list[str]:
    """The keys of a clip's objects that it does not have once these are the `new` ones."""
    return [key for key in old if key not in new]


def object_metadata(goal: GoalEvent, quality: Quality, source_url: str) -> Mapping[str, str]:
    """A copy of what MongoDB holds, so that an object explains itself."""
    return {
        "event": goal.event_id,
        "fixture": str(goal.fixture_id),
        "player": goal.player.name or "",
        "team": str(goal.team_id),
        "minute": str(goal.minute).rstrip("'"),
        "source-url": source_url,
        "duration": f"{quality.duration:g}",
        "size": str(quality.size),
        "hash-version": str(VERSION),
    }
