"""`footy up`: the whole stack, as an operator has it."""

import time
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import httpx
import psutil
import pytest
from dagster import DagsterInstance, DagsterRunStatus
from playwright.sync_api import Browser, expect

from footy_assets.clock import SystemClock
from footy_assets.runtime.niceness import RUN_WORKER_NICENESS
from footy_assets.sim import fixture_json, goal
from footy_assets.sim.check_goals import SETTLED_STATES
from footy_assets_tests.runtime.conftest import TOKEN, World
from footy_assets_tests.runtime.graphql import launch_backfill, query
from footy_assets_tests.runtime.stack import Stack

pytestmark = pytest.mark.slow

GOAL = "5000_40_234_Goal_1"
LAST_MATERIALIZATION = """{
  assetOrError(assetKey: {path: ["live_events"]}) {
    ... on Asset {
      assetMaterializations(limit: 1) {
        metadataEntries { label ... on UrlMetadataEntry { url } }
      }
    }
  }
}"""


def test_an_orphaned_run_of_a_crash_is_marked_failed(up: Stack, world: World) -> None:
    with DagsterInstance.from_config(str(world.home.dagster)) as instance:
        run = instance.get_run_by_id(world.orphaned_run)
    assert run is not None
    assert run.status == DagsterRunStatus.FAILURE
    assert "Marked 1 run(s) of an earlier crash as failed" in up.said


def test_metrics_count_the_runs_in_dagsters_storage(up: Stack) -> None:
    served = httpx.get(f"{up.gallery()}/metrics", timeout=20).text.splitlines()
    assert "footy_dagster_up 1.0" in served
    counts = dict(line.rsplit(" ", 1) for line in served if line.startswith("footy_runs{"))
    assert float(counts['footy_runs{state="failure"}']) >= 1, "the run of the crash"


def test_h8_a_start_sweeps_the_files_that_a_crash_left(up: Stack, world: World) -> None:
    assert not (world.home.path / "work" / "5000" / "a-run").exists()
    assert "Removed 1 work folder(s) of an earlier crash" in up.said


def test_the_asset_graph_shows_in_a_browser(up: Stack, browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto(f"{up.ui()}/assets/live_events?view=lineage")
    for name in ("fixtures", "live_events"):
        expect(page.get_by_text(name, exact=True).first).to_be_visible(timeout=60_000)
    page.close()


def test_the_live_loop_finds_the_goal_by_itself_and_an_operator_polls_beside_it(
    up: Stack, world: World
) -> None:
    # By hand, or by `ingest_due` a moment before: either way it is in.
    assert world.footy("ingest", "--ids", "5000")["kept"] == 1
    up.wait_until(lambda: bool(up.goals(fixture="5000")), 120)
    deadline = time.monotonic() + 120
    while (event := world.footy("events", "--fixture", "5000")[0])["state"] not in SETTLED_STATES:
        assert time.monotonic() < deadline, event
        world.footy("poll")
    assert event["event_id"] == GOAL
    assert len(event["seen_in_polls"]) >= 3
    answer = query(up.ui(), LAST_MATERIALIZATION)
    assert answer["assetOrError"]["assetMaterializations"]


def test_a_backfill_of_past_matchdays_from_the_ui(up: Stack, world: World) -> None:
    days = ["2025-05-01", "2025-05-02", "2025-05-03"]
    for number, day in enumerate(days):
        world.sim.put(
            fixture_json(
                6000 + number,
                status="FT",
                elapsed=90,
                kickoff=datetime.fromisoformat(f"{day}T14:00:00+00:00"),
                goals=[goal(30, team=40, player=234, name="M. Salah")],
                home_winner=True,
                away_winner=False,
            )
        )
    backfill = launch_backfill(up.ui(), ["fixtures", "live_events"], days)

    def states(number: int) -> list[str]:
        """Of our match: the provider has others on a day of a past season."""
        return [event["state"] for event in up.goals(fixture=str(6000 + number))]

    def all_settled() -> bool:
        found = [states(number) for number in range(len(days))]
        return all(len(one) == 1 and one[0] in SETTLED_STATES for one in found)

    up.wait_until(all_settled, 240)
    with DagsterInstance.from_config(str(world.home.dagster)) as instance:
        runs = [r for r in instance.get_runs() if r.tags.get("dagster/backfill") == backfill]
    assert len(runs) == 1, "seven days fit into one run"


def test_run_workers_yield_to_the_live_loop(up: Stack) -> None:
    """A run worker lives only while it works: an ingest of today is one."""
    (server,) = up.running("footy_assets.runtime.code_server")
    launch_backfill(up.ui(), ["fixtures"], [SystemClock().now().date().isoformat()])
    niceness: set[int] = set()

    def a_worker_was_seen() -> bool:
        for worker in server.children(recursive=True):
            # Beside them, and as nice, are the processes that decode and download for them.
            with suppress(psutil.Error):
                if "forkserver" in " ".join(worker.cmdline()):
                    niceness.add(worker.nice())
        return server.nice() + RUN_WORKER_NICENESS in niceness

    up.wait_until(a_worker_was_seen, 120)
    assert server.nice() == psutil.Process().nice()


def test_a_second_supervisor_is_refused_and_names_the_address_of_the_first(
    up: Stack, world: World
) -> None:
    second = Stack(world.home.path, "up", **world.env)
    assert second.process.wait(60) == 5
    assert up.ui() in second.said
    assert "Traceback" not in second.said


def test_a_port_in_use_is_reported_before_anything_starts(
    up: Stack, world: World, tmp_path: Path
) -> None:
    taken = up.ui().rpartition(":")[2]
    elsewhere = world.env | {"FOOTY_HOME": str(tmp_path / "home"), "FOOTY_DAGSTER_PORT": taken}
    other = Stack(tmp_path / "home", "up", **elsewhere)
    assert other.process.wait(60) == 2
    assert f"port {taken} is in use" in other.said


def test_the_gallery_shows_the_goal_and_leads_to_dagster_and_back(up: Stack) -> None:
    page = httpx.get(f"{up.gallery()}/")
    assert page.status_code == 200
    up.wait_until(lambda: "M. Salah" in httpx.get(f"{up.gallery()}/").text, 60)
    goal_page = httpx.get(f"{up.gallery()}/goals/{GOAL}").text
    assert f"{up.ui()}/assets/clips?" in goal_page
    assert f"{up.ui()}/runs?" in goal_page
    answer = query(up.ui(), LAST_MATERIALIZATION)
    (last,) = answer["assetOrError"]["assetMaterializations"]
    links = [entry["url"] for entry in last["metadataEntries"] if entry["label"] == "gallery"]
    assert httpx.get(links[0]).status_code == 200
    assert links[0].startswith(up.gallery())


def test_p5_what_the_api_requests_of_dagster_is_done_and_recorded(up: Stack) -> None:
    headers = {"Authorization": f"Bearer {TOKEN}", "X-Footy-Who": "ada"}
    path = f"{up.gallery()}/api/v1/events/{GOAL}/revalidate"
    requested = httpx.post(path, json={"why": "new rules"}, headers=headers, timeout=60)
    assert requested.status_code == 202, requested.text
    run_id = requested.json()["run_id"]

    def entries() -> list[dict[str, str]]:
        found = httpx.get(f"{up.gallery()}/api/v1/audit", headers=headers).json()["items"]
        return [entry for entry in reversed(found) if entry["operation"] == "revalidate"]

    up.wait_until(lambda: entries()[-1]["outcome"].startswith("0 validated"), 120)
    by_api, by_run = entries()[-2:]
    assert (by_api["who"], by_api["outcome"]) == ("ada (api)", f"requested as run {run_id}")
    assert (by_run["who"], by_run["why"]) == (f"ada (api) (run {run_id})", "new rules")
