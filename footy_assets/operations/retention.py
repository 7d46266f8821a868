"""Forgetting: matches that ended long ago, and what removed goals left behind (F9, E6)."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from footy_assets.clock import Clock
from footy_assets.store.retention import RetentionStore


class Objects(Protocol):
    """Where clips lie."""

    def delete_prefix(self, prefix: str) -> int: ...


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


def clear_removed(store: RetentionStore, objects: Objects, clock: Clock) -> int:
    """E6: what a removed goal had in S3 goes; its tombstone stays."""
    deleted = 0
    for goal in store.removed_with_objects():
        for event_id in (goal.event_id, *(former.event_id for former in goal.formerly)):
            # A number that is free again may be another goal's now: what lies there is its own.
            if not store.held_by_a_live_goal(event_id):
                deleted += objects.delete_prefix(f"{goal.fixture_id}/{event_id}/")
        store.objects_cleared(goal.key, clock.now())
    return deleted
