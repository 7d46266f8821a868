"""Y7: which seasons have work due, at the cost of few documents read."""

import pytest

from footy_assets.history.due import is_due
from footy_assets.history.progress import require_season
from footy_assets.history.rules.documents import write_count
from footy_assets.history.start import start
from footy_assets.history.store.seasons import HistoryStore
from footy_assets_tests.history.conftest import KEY, Sourcing

pytestmark = pytest.mark.slow


def test_y7_writes_are_counted_by_the_database(
    sourcing: Sourcing, monkeypatch: pytest.MonkeyPatch
) -> None:
    start(sourcing.store, sourcing.clock, KEY, "a test")
    assert sourcing.store.write_count(KEY) == 0
    sourcing.source()
    record = sourcing.work.recompute_state(KEY)
    documents = sourcing.store.documents(KEY)
    assert sourcing.store.write_count(KEY) == write_count(documents) == record.counted_writes
    monkeypatch.setattr(HistoryStore, "documents", None)
    assert is_due(sourcing.store, record, sourcing.clock.now()), "its tables are not written"
    sourcing.store.mark_exported(record)
    record = require_season(sourcing.store, KEY)
    assert not is_due(sourcing.store, record, sourcing.clock.now())
