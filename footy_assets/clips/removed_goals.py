"""The clips of goals that were removed or renamed (E5, E6)."""

from collections.abc import Mapping
from typing import Protocol

from footy_assets.clips.publish import lock_clips
from footy_assets.clips.rules.held import held_prefix
from footy_assets.clips.store.clips import ClipDocuments, stored_object_keys
from footy_assets.clock import Clock
from footy_assets.matchday.store.retention import RetentionStore
from footy_assets.store.leases import Leases


class DeletableObjects(Protocol):
    """The S3 bucket of clips, as far as this module needs it."""

    def delete(self, key: str) -> None: ...
    def delete_prefix(self, prefix: str) -> int: ...
    def update_metadata(self, key: str, metadata: Mapping[str, str]) -> bool: ...


def delete_clips_of_removed_goals(
    store: RetentionStore,
    documents: ClipDocuments,
    leases: Leases,
    objects: DeletableObjects,
    clock: Clock,
) -> int:
    """E6: delete the objects, then the documents of removed goals; their tombstones stay."""
    deleted = 0
    for goal in store.removed_goals_with_objects():
        with lock_clips(leases, goal.key):
            for clip in documents.documents_of([goal.key]):
                for key in (*stored_object_keys(clip), *clip["leftovers"]):
                    objects.delete(key)
                    deleted += 1
            for event_id in (goal.event_id, *(former.event_id for former in goal.formerly)):
                # An event id that is free again may be another goal's now, with its own objects.
                if not store.is_held_by_live_goal(event_id):
                    deleted += objects.delete_prefix(f"{goal.fixture_id}/{event_id}/")
            deleted += objects.delete_prefix(held_prefix(goal))
            documents.forget_goal(goal.key)
            store.mark_objects_deleted(goal.key, clock.now())
    return deleted


def relabel_clips_of_renamed_goals(documents: ClipDocuments, objects: DeletableObjects) -> int:
    """E5: write a renamed goal's event id to its clips. Objects keep their keys, so that every
    published address stays valid; nothing is downloaded again."""
    relabelled = 0
    for goal, clip in documents.clips_of_renamed_goals():
        metadata = {"event": goal.event_id, "player": goal.player.name or ""}
        for rendition in clip["renditions"]:
            objects.update_metadata(rendition["key"], metadata)
        if objects.update_metadata(clip["key"], metadata):
            documents.record_rename(clip["_id"], clip["event_id"], goal.event_id)
            relabelled += 1
    return relabelled
