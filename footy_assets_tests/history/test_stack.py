"""A season through the whole stack: typed once, sourced by the daemon, its goals asked for."""

import json
import os
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from footy_assets.clock import ManualClock
from footy_assets.sim import SimServer, make_world
from footy_assets_tests.runtime.stack import FOOTY, Stack

pytestmark = pytest.mark.slow

ONE = ("--league", "39", "--season", "2023")
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
        }


def footy(env: dict[str, str], *arguments: str) -> Any:
    command = [FOOTY, *arguments, "--json"]
    done = subprocess.run(
        command, env={**os.environ, **env}, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def ask(ui: str, query: str) -> Any:
    return httpx.post(f"{ui}/graphql", json={"query": query}, timeout=20).json()["data"]


def test_y11_the_daemon_sources_a_season_and_backfills_its_goals(env: dict[str, str]) -> None:
    stack = Stack(Path(env["FOOTY_HOME"]), "up", **env)
    try:
        ui = stack.ui()
        assert not footy(env, "history", "start", *ONE, "--detach")["complete"]
        stack.wait_until(lambda: footy(env, "history", "status", *ONE)["complete"], 120)
        stack.wait_until(
            lambda: bool(ask(ui, PROGRESS)["assetNodes"][0]["assetMaterializations"]), 60
        )
        (told,) = ask(ui, PROGRESS)["assetNodes"][0]["assetMaterializations"]
        figures = {one["label"]: one.get("intValue") for one in told["metadataEntries"]}
        assert figures["processed"] == figures["total"] > 40

        days = footy(env, "history", "backfill", *ONE, "--why", "a test")["matchdays"]
        assert len(days) == 114
        stack.wait_until(lambda: bool(backfills(ui)), 90)
        (backfill,) = backfills(ui)
        assert {one["path"][0] for one in backfill["assetSelection"]} == {"fixtures", "live_events"}
        assert {"key": "footy/season", "value": "39:2023"} in backfill["tags"]
        stack.wait_until(lambda: bool(footy(env, "events", "--date", days[0])), 180)
        assert len(backfills(ui)) == 1
    finally:
        stack.stop()


def backfills(ui: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = ask(ui, BACKFILLS)["partitionBackfillsOrError"]["results"]
    return found
