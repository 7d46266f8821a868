"""Retention: deletes matches that ended long ago (F9)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from footy_assets.clock import Clock
from footy_assets.matchday.store.retention import RetentionStore

# Deletes what another room stores about a fixture; may be repeated.
FixtureDeletion = Callable[[int], None]


class Objects(Protocol):
    """The bucket of clips."""

    def delete_prefix(self, prefix: str) -> int: ...


@dataclass(frozen=True, slots=True)
class RetentionReport:
    fixtures: int = 0
    events: int = 0
    objects: int = 0


def delete_expired(
    store: RetentionStore,
    objects: Objects,
    clock: Clock,
    keep: timedelta,
    deletions: Sequence[FixtureDeletion],
) -> RetentionReport:
    """F9: mark fixtures first, then delete objects, then the documents of other rooms in the order
    of `deletions`, ours last; a marked fixture is always finished, also after a crash."""
    now = clock.now()
    store.mark_expired(now, keep)
    fixtures = events = deleted = 0
    for fixture_id in store.marked_fixture_ids(now, keep):
        for prefix in (f"{fixture_id}/", f"held/{fixture_id}/"):
            deleted += objects.delete_prefix(prefix)
        for delete_fixture in deletions:
            delete_fixture(fixture_id)
        events += store.delete_fixture(fixture_id)
        fixtures += 1
    store.delete_squads_before(now - keep)
    store.journal.delete_before(now - keep)
    return RetentionReport(fixtures, events, deleted)
