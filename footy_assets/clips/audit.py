"""Evaluates the asset checks of `clips`: whether a goal's clips are complete and consistent."""

from collections.abc import Callable
from itertools import combinations
from typing import Protocol

from footy_assets.clips.rules.keys import VIDEO
from footy_assets.clips.store.clips import ClipDocuments
from footy_assets.findings import Finding
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.media import compare


class ObjectListing(Protocol):
    def list_keys(self, prefix: str = "") -> list[str]: ...
    def exists(self, key: str) -> bool: ...


Check = Callable[[ClipDocuments, ObjectListing, GoalEvent], Finding]


def documents_and_objects_agree(
    documents: ClipDocuments, objects: ObjectListing, goal: GoalEvent
) -> Finding:
    """Every clip document has its object, images and renditions, and every video its document."""
    clips = documents.clips_of(goal.key)
    missing = [key for clip in clips for key in clip.object_keys if not objects.exists(key)]
    known = documents.object_keys_of_fixture(goal.fixture_id)
    listed = objects.list_keys(f"{goal.fixture_id}/{goal.event_id}/")
    orphans = [key for key in listed if key.endswith(VIDEO) and key not in known]
    return Finding(
        not missing and not orphans,
        f"{len(clips)} clips, {len(missing)} objects missing, {len(orphans)} without a document",
        {"missing": missing, "orphans": orphans},
    )


def ranks_are_a_permutation(
    documents: ClipDocuments, objects: ObjectListing, goal: GoalEvent
) -> Finding:
    """The clips of a goal are ranked 1, 2, 3 … with no gap and no tie."""
    ranks = sorted(clip.rank or 0 for clip in documents.clips_of(goal.key))
    return Finding(
        ranks == list(range(1, len(ranks) + 1)), f"ranks {ranks or 'of no clip'}", {"ranks": ranks}
    )


def no_two_clips_match(
    documents: ClipDocuments, objects: ObjectListing, goal: GoalEvent
) -> Finding:
    """No two clips of a goal show the same footage."""
    pairs = [
        [a.key, b.key]
        for a, b in combinations(documents.clips_of(goal.key), 2)
        if compare(a.fingerprint, b.fingerprint).match
    ]
    return Finding(not pairs, f"{len(pairs)} pairs show the same footage", {"pairs": pairs})


def footage_is_of_one_goal(
    documents: ClipDocuments, objects: ObjectListing, goal: GoalEvent
) -> Finding:
    """No clip shows the same footage as a clip of another goal of the match."""
    others = documents.clips_of_other_goals(goal)
    pairs = [
        [clip.key, other.key]
        for clip in documents.clips_of(goal.key)
        for other in others
        if compare(clip.fingerprint, other.fingerprint).match
    ]
    return Finding(
        not pairs, f"{len(pairs)} pairs with clips of other goals of the match", {"pairs": pairs}
    )


def verified_share(documents: ClipDocuments, objects: ObjectListing, goal: GoalEvent) -> Finding:
    """At least one clip shows the right minute on its clock."""
    clips = documents.clips_of(goal.key)
    verified = sum(clip.verified for clip in clips)
    share = verified / len(clips) if clips else 1.0
    return Finding(
        verified > 0 or not clips, f"{verified} of {len(clips)} verified", {"share": share}
    )


CHECKS: tuple[Check, ...] = (
    documents_and_objects_agree,
    ranks_are_a_permutation,
    no_two_clips_match,
    footage_is_of_one_goal,
    verified_share,
)
# Worth knowing, but no error of the pipeline.
WARN_ONLY = frozenset({footage_is_of_one_goal, verified_share})
