"""A season through the whole stack: loaded by the daemon, its goals backfilled."""

from typing import Any

import httpx
import pytest

from footy_assets_tests.runtime.conftest import TOKEN
from footy_assets_tests.runtime.graphql import query
from footy_assets_tests.runtime.stack import Stack

pytestmark = pytest.mark.slow

SEASONS = "/api/sourcing/historical/seasons"
BACKFILLS = """{ partitionBackfillsOrError(limit: 5) { ... on PartitionBackfills { results {
  id status numPartitions assetSelection { path } tags { key value }
} } } }"""
PROGRESS = """{ assetNodes(assetKeys: [{path: ["player_seasons"]}]) {
  assetMaterializations(partitions: ["39:2023"], limit: 1) {
    metadataEntries { label ... on IntMetadataEntry { intValue } }
  }
} }"""


def test_y11_the_daemon_loads_a_season_and_backfills_its_goals(up: Stack) -> None:
    ui, bearer = up.ui(), {"Authorization": f"Bearer {TOKEN}"}
    with httpx.Client(base_url=up.gallery(), headers=bearer, timeout=60) as api:
        begun = api.post(SEASONS, json={"league": 39, "season": 2023})
        assert begun.status_code == 202, begun.text
        up.wait_until(lambda: api.get(f"{SEASONS}/39:2023").json()["complete"], 240)
        up.wait_until(lambda: bool(materializations(ui)), 120)
        figures = {
            one["label"]: one.get("intValue") for one in materializations(ui)[0]["metadataEntries"]
        }
        assert figures["processed"] == figures["total"] > 40

        response = api.post(f"{SEASONS}/39:2023/backfill", json={"why": "a test"})
        days = response.json()["matchdays"]
        assert len(days) == 114
        up.wait_until(lambda: bool(backfills(ui)), 120)
        (backfill,) = backfills(ui)
        assets = {one["path"][0] for one in backfill["assetSelection"]}
        assert assets == {"fixtures", "live_events"}
        # The first run has the first seven days.
        goals = [f"/api/v1/events?date={day}" for day in days[:7]]
        up.wait_until(lambda: any(api.get(path).json()["items"] for path in goals), 240)
    assert len(backfills(ui)) == 1


def materializations(ui: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = query(ui, PROGRESS)["assetNodes"][0]["assetMaterializations"]
    return found


def backfills(ui: str) -> list[dict[str, Any]]:
    """Those of the season, among others that were launched by hand."""
    found = query(ui, BACKFILLS)["partitionBackfillsOrError"]["results"]
    season = {"key": "footy/season", "value": "39:2023"}
    return [one for one in found if season in one["tags"]]
