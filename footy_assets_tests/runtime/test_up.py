"""`footy up`: the whole stack, as an operator has it."""

import json
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
from dagster import DagsterInstance, DagsterRunStatus
from playwright.sync_api import Browser, expect

from footy_assets.clock import SystemClock
from footy_assets.runtime.code_server import RUN_WORKER_NICENESS
from footy_assets.runtime.home import Home
from footy_assets.sim import SimServer, World, fixture_json, goal
from footy_assets_tests.browsers import launched_browser
from footy_assets_tests.runs import stored_run
from footy_assets_tests.runtime.stack import FOOTY, Stack

pytestmark = [pytest.mark.slow, pytest.mark.stack]

TOKEN = "t0ken-f0r-tests"

MATERIALIZATIONS = """{
  assetOrError(assetKey: {path: ["live_events"]}) {
    ... on Asset { assetMaterializations(limit: 5) { partition } }
  }
}"""
LINKS = """{
  assetOrError(assetKey: {path: ["live_events"]}) {
    ... on Asset {
      assetMaterializations(limit: 1) {
        metadataEntries { label ... on UrlMetadataEntry { url } }
      }
    }
  }
}"""
BACKFILL = """mutation($backfillParams: LaunchBackfillParams!) {
  launchPartitionBackfill(backfillParams: $backfillParams) {
    __typename
    ... on LaunchBackfillSuccess { backfillId }
    ... on PythonError { message }
  }
}"""


@pytest.fixture(scope="module")
def sim() -> Iterator[SimServer]:
    clock = SystemClock()
    with SimServer(World.from_scripts([], day=clock.now().date()), clock, key="up") as sim:
        sim.put(
            fixture_json(
                5000,
                status="1H",
                elapsed=31,
                kickoff=clock.now().replace(microsecond=0),
                goals=[goal(30, team=40, player=234, name="M. Salah")],
            )
        )
        yield sim


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("up") / "home"


@pytest.fixture(scope="module")
def orphan(home: Path) -> str:
    """A run that a crash left in the state STARTED."""
    home.mkdir(parents=True, exist_ok=True)
    Home(home).prepare()
    left = home / "work" / "5000" / "a-run"
    left.mkdir(parents=True)
    (left / "video-0.mp4").write_bytes(b"half a film")
    with DagsterInstance.from_config(str(Home(home).dagster)) as instance:
        return stored_run(instance, status=DagsterRunStatus.STARTED).run_id


@pytest.fixture(scope="module")
def up(home: Path, sim: SimServer, orphan: str) -> Iterator[Stack]:
    stack = Stack(home, "up", **provider(sim))
    try:
        stack.ui()
        yield stack
        assert stack.stop() == 0
    finally:
        stack.kill_everything()


def provider(sim: SimServer) -> dict[str, str]:
    return {
        "FOOTY_API_FOOTBALL_URL": sim.url,
        "FOOTY_WIKIDATA_URL": sim.wikidata_url,
        "FOOTY_API_FOOTBALL_KEY": "up",
        "FOOTY_TRACKED_TEAMS": "*",
        "FOOTY_SOURCES": "none",
        "FOOTY_API_TOKEN": TOKEN,
    }


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched_browser() as launched:
        yield launched


def test_an_orphaned_run_of_a_crash_is_marked_failed(up: Stack, home: Path, orphan: str) -> None:
    with DagsterInstance.from_config(str(Home(home).dagster)) as instance:
        run = instance.get_run_by_id(orphan)
    assert run is not None
    assert run.status == DagsterRunStatus.FAILURE
    assert "Marked 1 run(s) of an earlier crash as failed" in up.said


def test_h8_a_start_sweeps_the_files_that_a_crash_left(up: Stack, home: Path) -> None:
    assert not (home / "work" / "5000").exists()
    assert "Removed 1 work folder(s) of an earlier crash" in up.said


def test_the_asset_graph_shows_in_a_browser(up: Stack, browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto(f"{up.ui()}/assets/live_events?view=lineage")
    for name in ("fixtures", "live_events"):
        expect(page.get_by_text(name, exact=True).first).to_be_visible(timeout=30_000)
    page.close()


def test_the_live_loop_finds_the_goal_by_itself_and_an_operator_polls_beside_it(
    up: Stack, home: Path, sim: SimServer
) -> None:
    # By hand, or by `ingest_due` a moment before: either way it is in.
    assert footy(home, sim, "ingest", "--ids", "5000")["kept"] == 1
    up.wait_until(lambda: bool(up.goals()), 60)
    deadline = time.monotonic() + 60
    while (event := footy(home, sim, "events")[0])["state"] != "stable":
        assert time.monotonic() < deadline, event
        footy(home, sim, "poll")
    assert event["event_id"] == "5000_40_234_Goal_1"
    assert len(event["seen_in_polls"]) == 3
    answer = httpx.post(f"{up.ui()}/graphql", json={"query": MATERIALIZATIONS}).json()
    assert answer["data"]["assetOrError"]["assetMaterializations"]


def test_a_backfill_of_past_matchdays_from_the_ui(up: Stack, home: Path, sim: SimServer) -> None:
    days = ["2025-05-01", "2025-05-02", "2025-05-03"]
    for number, day in enumerate(days):
        sim.put(
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
    wanted = {"assetSelection": [{"path": ["fixtures"]}, {"path": ["live_events"]}]}
    variables = {"backfillParams": {**wanted, "partitionNames": days}}
    launched = httpx.post(
        f"{up.ui()}/graphql", json={"query": BACKFILL, "variables": variables}
    ).json()
    assert "backfillId" in launched["data"]["launchPartitionBackfill"], launched

    def state(number: int) -> list[str]:
        """Of our match: the provider has others on a day of a past season."""
        return [event["state"] for event in up.goals(fixture=str(6000 + number))]

    up.wait_until(lambda: all(state(number) == ["stable"] for number in range(len(days))), 240)
    with DagsterInstance.from_config(str(Home(home).dagster)) as instance:
        runs = [r for r in instance.get_runs() if "dagster/backfill" in r.tags]
    assert len(runs) == 1, "seven days fit into one run"


def test_run_workers_yield_to_the_live_loop(up: Stack, home: Path, sim: SimServer) -> None:
    """What a run worker is must be caught while it works: an ingest of today is one."""
    (server,) = up.running("footy_assets.runtime.code_server")
    today = SystemClock().now().date().isoformat()
    wanted = {"assetSelection": [{"path": ["fixtures"]}], "partitionNames": [today]}
    variables = {"backfillParams": wanted}
    httpx.post(f"{up.ui()}/graphql", json={"query": BACKFILL, "variables": variables})
    niceness: set[int] = set()

    def a_worker_was_seen() -> bool:
        for worker in server.children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                niceness.add(worker.nice())
        return server.nice() + RUN_WORKER_NICENESS in niceness

    up.wait_until(a_worker_was_seen, 60)
    assert server.nice() == psutil.Process().nice()


def test_a_second_supervisor_is_refused_and_told_where_the_first_is(
    up: Stack, home: Path, sim: SimServer
) -> None:
    second = Stack(home, "up", **provider(sim))
    assert second.process.wait(60) == 5
    assert up.ui() in second.said
    assert "Traceback" not in second.said


def test_a_port_that_is_taken_is_told_before_anything_starts(
    up: Stack, tmp_path: Path, sim: SimServer
) -> None:
    taken = up.ui().rpartition(":")[2]
    other = Stack(tmp_path / "home", "up", **provider(sim), FOOTY_DAGSTER_PORT=taken)
    assert other.process.wait(60) == 2
    assert f"port {taken} is in use" in other.said


def test_a_killed_database_comes_back_with_its_data(up: Stack, home: Path, sim: SimServer) -> None:
    (mongod,) = [p for p in up.family() if p.name() == "mongod"]
    mongod.kill()
    mongod.wait()

    def another() -> bool:
        return any(p.name() == "mongod" and p.pid != mongod.pid for p in up.family())

    up.wait_until(another, 30)
    assert footy(home, sim, "fixtures")


def test_a_killed_code_server_comes_back(up: Stack) -> None:
    (server,) = up.running("footy_assets.runtime.code_server")
    server.kill()
    module = "footy_assets.runtime.code_server"
    up.wait_until(lambda: {p.pid for p in up.running(module)} - {server.pid} != set(), 30)


def test_the_gallery_shows_the_goal_and_leads_to_dagster_and_back(up: Stack) -> None:
    page = httpx.get(f"{up.gallery()}/")
    assert page.status_code == 200
    up.wait_until(lambda: "M. Salah" in httpx.get(f"{up.gallery()}/").text, 60)
    goal = httpx.get(f"{up.gallery()}/goals/5000_40_234_Goal_1").text
    assert f"{up.ui()}/assets/clips?" in goal
    assert f"{up.ui()}/runs?" in goal
    answer = httpx.post(f"{up.ui()}/graphql", json={"query": LINKS}).json()
    (last,) = answer["data"]["assetOrError"]["assetMaterializations"]
    links = [entry["url"] for entry in last["metadataEntries"] if entry["label"] == "gallery"]
    assert httpx.get(links[0]).status_code == 200
    assert links[0].startswith(up.gallery())


def test_p5_what_the_api_requests_of_dagster_is_done_and_recorded(
    up: Stack, home: Path, sim: SimServer
) -> None:
    event = "5000_40_234_Goal_1"
    headers = {"Authorization": f"Bearer {TOKEN}", "X-Footy-Who": "ada"}
    path = f"{up.gallery()}/api/v1/events/{event}/revalidate"
    answers: list[httpx.Response] = []

    def taken() -> bool:
        """The code server was killed a moment ago, and Dagster may still be waiting for it."""
        answers.append(httpx.post(path, json={"why": "new rules"}, headers=headers, timeout=30))
        assert answers[-1].status_code in (202, 503), answers[-1].text
        return answers[-1].status_code == 202

    up.wait_until(taken, 120)
    run_id = answers[-1].json()["run_id"]

    def entries() -> list[dict[str, str]]:
        found = httpx.get(f"{up.gallery()}/api/v1/audit", headers=headers).json()["items"]
        return [entry for entry in reversed(found) if entry["operation"] == "revalidate"]

    up.wait_until(lambda: entries()[-1]["outcome"].startswith("0 validated"), 90)
    by_api, by_run = entries()[-2:]
    assert (by_api["who"], by_api["outcome"]) == ("ada (api)", f"requested as run {run_id}")
    assert (by_run["who"], by_run["why"]) == (f"ada (api) (run {run_id})", "new rules")


def test_a_killed_web_app_comes_back_at_its_address(up: Stack) -> None:
    (web,) = up.running("footy_assets.gallery")
    web.kill()

    def answers() -> bool:
        with suppress(httpx.TransportError):
            return bool(httpx.get(f"{up.gallery()}/status").json()["state"] == "ok")
        return False

    web.wait()
    up.wait_until(answers, 40)


def test_with_one_provider_no_process_runs_for_others(up: Stack) -> None:
    assert up.running("watch") == []
    told = httpx.get(f"{up.gallery()}/status").json()["sources"]
    assert list(told["sources"]) == ["api_football"]
    assert told["last_success"] is not None


def test_a_killed_daemon_comes_back(up: Stack) -> None:
    (daemon,) = up.running("dagster._daemon")
    daemon.kill()
    up.wait_until(
        lambda: {p.pid for p in up.running("dagster._daemon")} - {daemon.pid} != set(), 30
    )


def footy(home: Path, sim: SimServer, *arguments: str) -> Any:
    env = {**os.environ, "FOOTY_HOME": str(home), **provider(sim)}
    done = subprocess.run(
        [FOOTY, *arguments, "--json"], env=env, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)
