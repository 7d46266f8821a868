"""Is what we hold of a goal's clips whole and consistent? The questions behind the asset checks."""

from collections.abc import Callable
from itertools import combinations
from typing import Protocol

from footy_assets.archive.keys import VIDEO, beside
from footy_assets.matchday.goal import GoalEvent
from footy_assets.media import compare
from footy_assets.operations.audit import Finding
from footy_assets.store.clips import ClipDocuments


class Listed(Protocol):
    def list_keys(self, prefix: str = "") -> list[str]: ...
    def exists(self, key: str) -> bool: ...


Question = Callable[[ClipDocuments, Listed, GoalEvent], Finding]


def documents_and_objects_agree(
    documents: ClipDocuments, objects: Listed, goal: GoalEvent
) -> Finding:
    """Every clip document has its object, poster and thumbnail, and every object its document."""
    keys = [clip.key for clip in documents.clips_of(goal.key)]
    missing = [
        wanted for key in keys for wanted in (key, *beside(key)) if not objects.exists(wanted)
    ]
    known = documents.keys_of_fixture(goal.fixture_id)
    there = objects.list_keys(f"{goal.fixture_id}/{goal.event_id}/")
    orphans = [key for key in there if key.endswith(VIDEO) and key not in known]
    return Finding(
        not missing and not orphans,
        f"{len(keys)} clips, {len(missing)} objects missing, {len(orphans)} without a document",
        {"missing": missing, "orphans": orphans},
    )


def ranks_are_a_permutation(documents: ClipDocuments, objects: Listed, goal: GoalEvent) -> Finding:
    """The clips of a goal are ranked 1, 2, 3 … with no gap and no tie."""
    ranks = sorted(clip.rank or 0 for clip in documents.clips_of(goal.key))
    return Finding(
        ranks == list(range(1, len(ranks) + 1)), f"ranks {ranks or 'of no clip'}", {"ranks": ranks}
    )


def no_two_clips_match(documents: ClipDocuments, objects: Listed, goal: GoalEvent) -> Finding:
    """No two clips of a goal show the same footage."""
    pairs = [
        [a.key, b.key]
        for a, b in combinations(documents.clips_of(goal.key), 2)
        if compare(a.fingerprint, b.fingerprint).match
    ]
    return Finding(not pairs, f"{len(pairs)} pairs show the same footage", {"pairs": pairs})


def verified_share(documents: ClipDocuments, objects: Listed, goal: GoalEvent) -> Finding:
    """How many clips show the right minute on their clock. A warning where none does."""
    clips = documents.clips_of(goal.key)
    verified = sum(clip.verified for clip in clips)
    share = verified / len(clips) if clips else 1.0
    return Finding(
        verified > 0 or not clips, f"{verified} of {len(clips)} verified", {"share": share}
    )


QUESTIONS: tuple[Question, ...] = (
    documents_and_objects_agree,
    ranks_are_a_permutation,
    no_two_clips_match,
    verified_share,
)
# What is worth knowing but no fault of ours.
ONLY_WARN = frozenset({verified_share})
