"""Which seasons have work due (Y7)."""

from datetime import datetime

from footy_assets.history.rules.tiers import started
from footy_assets.history.start import lease_name
from footy_assets.history.store.documents import SeasonRecord
from footy_assets.history.store.seasons import HistoryStore
from footy_assets.store.leases import Leases


def seasons_due(store: HistoryStore, leases: Leases, now: datetime) -> list[SeasonRecord]:
    """The seasons with work due that no process works on."""
    return [
        one
        for one in store.unsettled()
        if is_due(store, one, now) and not leases.held(lease_name(one.key))
    ]


def is_due(store: HistoryStore, record: SeasonRecord, now: datetime) -> bool:
    """Y7: documents are due, or the record or the tables are out of date."""
    if record.resume_at is not None and record.resume_at > now:
        return False
    if any(tier not in record.tallies for tier in started(record.saga.state)):
        # A tier started and is not planned yet.
        return True
    next_due = store.next_due(record.key)
    if next_due is not None and next_due <= now:
        return True
    # Killed after the last document, before the state was recomputed or the tables written.
    writes = store.write_count(record.key)
    return record.counted_writes != writes or record.exported_writes != writes
