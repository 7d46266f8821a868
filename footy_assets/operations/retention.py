"""Forgetting: matches that ended long ago, and what removed goals left behind (F9, E6)."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from footy_assets.archive.keys import beside
from footy_assets.clock import Clock
from footy_assets.operations.clip_shelf import (
    UPLOAD_LEASE_SECONDS,
    WAIT_FOR_THE_LEASE,
    upload_lease,
)
from footy_assets.store.clips import ClipDocuments
from footy_assets.store.leases import Leases
from footy_assets.store.retention import RetentionStore


class Objects(Protocol):
    """Where clips lie."""

    def delete(self, key: str) -> None: ...
    def delete_prefix(self, prefix: str) -> int: ...
    def restamp(self, key: str, metadata: Mapping[str, str]) -> bool: ...


@dataclass(frozen=True, slots=True)
class RetentionReport:
    fixtures: int = 0
    events: int = 0
    objects: int = 0


def retire(
    store: RetentionStore, objects: Objects, clock: Clock, keep: timedelta
) -> RetentionReport:
    """F9: marks first, objects next, documents last; whatever was marked once is finished."""
    now = clock.now()
    store.mark_expired(now, keep)
    fixtures = events = deleted = 0
    for fixture_id in store.marked(now, keep):
        deleted += objects.delete_prefix(f"{fixture_id}/")
        events += store.forget(fixture_id)
        fixtures += 1
    store.journal.forget_before(now - keep)
    return RetentionReport(fixtures, events, deleted)


def clear_removed(
    store: RetentionStore,
    documents: ClipDocuments,
    leases: Leases,
    objects: Objects,
    clock: Clock,
) -> int:
    """E6: what a removed goal had goes, objects before documents; its tombstone stays."""
    deleted = 0
    for goal in store.removed_with_objects():
        with leases.hold(
            upload_lease(goal.key), seconds=UPLOAD_LEASE_SECONDS, wait=WAIT_FOR_THE_LEASE
        ):
            for clip in documents.documents_of([goal.key]):
                for key in (clip["key"], *beside(clip["key"]), *clip["leftovers"]):
                    objects.delete(key)
                    deleted += 1
            for event_id in (goal.event_id, *(former.event_id for former in goal.formerly)):
                # A number that is free again may be another goal's now: what lies there is its own.
                if not store.held_by_a_live_goal(event_id):
                    deleted += objects.delete_prefix(f"{goal.fixture_id}/{event_id}/")
            documents.forget_goal(goal.key)
            store.objects_cleared(goal.key, clock.now())
    return deleted


def restamp_renamed(documents: ClipDocuments, objects: Objects) -> int:
    """E5: clips of a renamed goal say its new name. Objects stay where they are, so that every
    address given out stays valid; nothing is fetched again."""
    stamped = 0
    for goal, clip in documents.under_a_former_name():
        if objects.restamp(clip["key"], {"event": goal.event_id, "player": goal.player.name or ""}):
            documents.restamped(clip["_id"], clip["event_id"], goal.event_id)
            stamped += 1
    return stamped
