"""A season killed (SIGKILL) ten times: the tables end the same, byte for byte."""

from collections import Counter
from pathlib import Path
from uuid import uuid4

import pytest
from pymongo.database import Database

from footy_assets.history.export import export
from footy_assets.history.rules.tiers import WAITING
from footy_assets.history.store.seasons import HistoryStore
from footy_assets.sim import Quota, SimServer
from footy_assets.store.collections import Document
from footy_assets_tests.history.kills import (
    AFTER_CALLS,
    AFTER_DOCUMENTS,
    ANSWER_SECONDS,
    ANY_TIME,
    FIRST_TIER_SECONDS,
    KILLS,
    kills,
)
from footy_assets_tests.history.worker_process import AT_ONCE, KEY, source

pytestmark = pytest.mark.slow


def tables(database: Database[Document], folder: Path) -> dict[str, bytes]:
    written = export(HistoryStore(database), KEY, folder)
    return {name: path.read_bytes() for name, path in written.items()}


def test_y7_a_season_killed_ten_times_ends_with_the_same_tables_byte_for_byte(
    database: Database[Document], mongo_uri: str, sim: SimServer, tmp_path: Path
) -> None:
    sim.quota = Quota(per_day=10**6, per_minute=10**6)
    reference_database = database.client[f"{database.name}_{uuid4().hex[:8]}"]
    try:
        source(mongo_uri, reference_database.name, sim.url)
        expected = tables(reference_database, tmp_path / "undisturbed")
        calls = len(sim.requests)

        sim.requests.clear()
        sim.faults.slow(ANSWER_SECONDS, times=None)
        sim.faults.slow(FIRST_TIER_SECONDS, times=None, path="/leagues")
        sim.faults.fail(500, times=2, path="/players", query={"team": "3904", "page": "2"})
        kills_made = list(kills(mongo_uri, database, sim.url, sim.requests.__len__, seed=7))

        assert len(kills_made) == KILLS
        assert {kill.state for kill in kills_made} == set(WAITING.values()), kills_made
        moments = Counter(kill.moment for kill in kills_made)
        assert min(moments[one] for one in (ANY_TIME, AFTER_DOCUMENTS, AFTER_CALLS)) >= 3
        progress = [kill.processed for kill in kills_made]
        assert progress == sorted(progress)
        assert progress[-1] < calls
        source(mongo_uri, database.name, sim.url)
        assert tables(database, tmp_path / "killed") == expected
        # Only requests in flight at a kill, and two failures, are repeated.
        assert len(sim.requests) <= calls + 2 + KILLS * AT_ONCE
    finally:
        sim.quota = Quota()
        database.client.drop_database(reference_database)
