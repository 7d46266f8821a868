"""A season through the whole stack: loaded by the daemon, its goals backfilled."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from footy_assets.clock import ManualClock
from footy_assets.sim import SimServer, make_world
from footy_assets_tests.runtime.stack import Stack

pytestmark = [pytest.mark.slow, pytest.mark.stack]

TOKEN = "t0ken-of-a-test"
SEASONS = "/api/sourcing/historical/seasons"
BACKFILLS = """{ partitionBackfillsOrError(limit: 5) { ... on PartitionBackfills { results {
  id status numPartitions assetSelection { path } tags { key value }
} } } }"""
PROGRESS = """{ assetNodes(assetKeys: [{path: ["player_seasons"]}]) {
  assetMaterializations(partitions: ["39:2023"], limit: 1) {
    metadataEntries { label ... on IntMetadataEntry { intValue } }
  }
} }"""


@pytest.fixture
def env(tmp_path: Path) -> Iterator[dict[str, str]]:
    clock = ManualClock(datetime(2025, 6, 1, tzinfo=UTC))
    (tmp_path / "home").mkdir()
    with SimServer(make_world(), clock, key="past") as sim:
        yield {
            "FOOTY_HOME": str(tmp_path / "home"),
            "FOOTY_API_FOOTBALL_URL": sim.url,
            "FOOTY_API_FOOTBALL_KEY": "past",
            "FOOTY_WIKIDATA_URL": sim.wikidata_url,
            "FOOTY_TRACKED_TEAMS": "*",
            "FOOTY_SOURCES": "none",
            "FOOTY_API_TOKEN": TOKEN,
        }


def ask(ui: str, query: str) -> Any:
    return httpx.post(f"{ui}/graphql", json={"query": query}, timeout=20).json()["data"]


def test_y11_the_daemon_loads_a_season_and_backfills_its_goals(env: dict[str, str]) -> None:
    stack = Stack(Path(env["FOOTY_HOME"]), "up", **env)
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    try:
        ui = stack.ui()
        with httpx.Client(base_url=stack.gallery(), headers=bearer, timeout=20) as api:
            begun = api.post(SEASONS, json={"league": 39, "season": 2023})
            assert begun.status_code == 202, begun.text
            stack.wait_until(lambda: api.get(f"{SEASONS}/39:2023").json()["complete"], 120)
            stack.wait_until(lambda: bool(materializations(ui)), 60)
            figures = {
                one["label"]: one.get("intValue")
                for one in materializations(ui)[0]["metadataEntries"]
            }
            assert figures["processed"] == figures["total"] > 40

            response = api.post(f"{SEASONS}/39:2023/backfill", json={"why": "a test"})
            days = response.json()["matchdays"]
            assert len(days) == 114
            stack.wait_until(lambda: bool(backfills(ui)), 90)
            (backfill,) = backfills(ui)
            assets = {one["path"][0] for one in backfill["assetSelection"]}
            assert assets == {"fixtures", "live_events"}
            assert {"key": "footy/season", "value": "39:2023"} in backfill["tags"]
            goals = f"/api/v1/events?date={days[0]}"
            stack.wait_until(lambda: bool(api.get(goals).json()["items"]), 180)
        assert len(backfills(ui)) == 1
    finally:
        stack.stop()


def materializations(ui: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = ask(ui, PROGRESS)["assetNodes"][0]["assetMaterializations"]
    return found


def backfills(ui: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = ask(ui, BACKFILLS)["partitionBackfillsOrError"]["results"]
    return found
