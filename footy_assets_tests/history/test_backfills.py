"""Y11: a requested backfill is launched once, and the season remembers it."""

from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.history.backfills import BackfillRequest, backfills_to_launch
from footy_assets.history.progress import require_season
from footy_assets.history.start import start
from footy_assets.history.store.seasons import HistoryStore
from footy_assets.store.collections import Document
from footy_assets_tests.history.conftest import KEY

DAYS = ["2024-05-11", "2024-05-19"]


def test_y11_a_request_waits_until_dagster_has_its_backfill(
    database: Database[Document], clock: ManualClock
) -> None:
    store = HistoryStore(database)
    start(store, clock, KEY, "a test")
    launched: dict[str, str] = {}
    assert backfills_to_launch(store, launched.get) == []
    store.request_backfill(KEY, {"id": "r1", "days": DAYS, "launched": None})
    wanted = [BackfillRequest(KEY, "r1", tuple(DAYS))]
    assert backfills_to_launch(store, launched.get) == wanted
    assert backfills_to_launch(store, launched.get) == wanted, "a launch that failed is repeated"
    launched["r1"] = "dagster-id"
    assert backfills_to_launch(store, launched.get) == []
    backfill = require_season(store, KEY).backfill
    assert backfill is not None
    assert backfill["launched"] == "dagster-id"


def test_y11_a_later_request_replaces_the_first(
    database: Database[Document], clock: ManualClock
) -> None:
    store = HistoryStore(database)
    start(store, clock, KEY, "a test")
    store.request_backfill(KEY, {"id": "r1", "days": DAYS, "launched": "dagster-id"})
    store.request_backfill(KEY, {"id": "r2", "days": DAYS[:1], "launched": None})
    found = backfills_to_launch(store, {"r1": "dagster-id"}.get)
    assert found == [BackfillRequest(KEY, "r2", ("2024-05-11",))]
