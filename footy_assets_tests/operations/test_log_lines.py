"""P2: every line of the pipeline's steps names its stage and ids."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.errors import DownloadUnavailable, LoginLost
from footy_assets.logs import Stage, StageLog, configure_structured_logs
from footy_assets.matchday.sighting import Side
from footy_assets.operations.aliases import TeamAliases
from footy_assets.operations.search_sources import Sweep
from footy_assets.operations.searching import Searcher, SearchRules
from footy_assets.sim import SimServer, goal
from footy_assets.store.collections import Document
from footy_assets.store.searches import SearchStore
from footy_assets.store.source_health import SourceHealth
from footy_assets.store.team_aliases import TeamAliasStore
from footy_assets_tests.operations.bench import Bench
from footy_assets_tests.operations.clip_bench import ClipBench
from footy_assets_tests.operations.test_searching import Board, aliases, post
from footy_assets_tests.store.goals import GOAL, STABLE, put_goal
from resources.api_football.client import ApiFootball
from resources.clip_store import ClipStore
from resources.wikidata.client import Wikidata

Line = dict[str, Any]


@pytest.fixture
def logged(capfd: pytest.CaptureFixture[str]) -> Iterator[Any]:
    configure_structured_logs("info")

    def lines() -> list[Line]:
        return [json.loads(line) for line in capfd.readouterr().err.splitlines() if line[:1] == "{"]

    yield lines
    structlog.reset_defaults()


def test_p2_lines_are_json_on_stderr_with_stage_and_ids(
    logged: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    told: list[str] = []
    log = StageLog(Stage.UPLOAD, told.append, {"fixture_id": 5000}).of(video_id="x:1")
    log.info("stored", key="a.mp4")
    (line,) = logged()
    assert line.pop("timestamp").startswith("20")
    assert line == {
        "event": "stored",
        "level": "info",
        "stage": "UPLOAD",
        "fixture_id": 5000,
        "video_id": "x:1",
        "key": "a.mp4",
    }
    assert told == ["UPLOAD stored: fixture_id=5000 video_id=x:1 key=a.mp4"]
    assert capfd.readouterr().out == ""


def test_p2_whoever_logs_inside_a_stage_names_it_too(logged: Any) -> None:
    with StageLog(Stage.SEARCH, ids={"event_id": GOAL.event_id, "attempt": 3}).bound():
        structlog.get_logger().info("x_searched", posts=2)
    (line,) = logged()
    assert (line["stage"], line["event_id"], line["attempt"]) == ("SEARCH", GOAL.event_id, 3)


def test_p2_every_line_of_a_batch_has_its_stage_and_ids(
    logged: Any, database: Database[Document], clip_store: ClipStore, tmp_path: Path
) -> None:
    put_goal(database)
    bench = ClipBench(database, clip_store, tmp_path)
    assert logged() == []
    bench.choose(good=5, small=2, short=1, other=1)
    bench.host.failing["other"] = DownloadUnavailable("HTTP Error 503", "unavailable")
    bench.run()
    bench.choose(large=2, cropped=1)
    bench.run()
    lines = logged()
    assert {line["stage"] for line in lines} == {
        *("DOWNLOAD", "VALIDATE", "HASH", "DEDUP", "UPLOAD")
    }
    for line in lines:
        assert (line["fixture_id"], line["event_id"]) == (5000, GOAL.event_id), line
        if line["event"] != "grouped":
            assert (line["video_id"][:2], line["attempt"]) == ("x:", 1), line
    told = {(line["stage"], line["event"]) for line in lines}
    assert {
        ("DOWNLOAD", "not_fetched"),
        ("VALIDATE", "refused"),
        ("UPLOAD", "stored"),
        ("UPLOAD", "replaced"),
    } <= told


def test_p2_every_line_of_a_search_has_its_stage_and_ids(
    logged: Any, database: Database[Document]
) -> None:
    put_goal(database)
    clock = ManualClock(STABLE)
    board = Board(clock, [post(1)], failure=LoginLost("the login has ended"))
    searches = SearchStore(database)
    searches.open_searches()
    searcher = Searcher(
        searches, Sweep([board], clock.sleep), aliases, clock, SearchRules(), SourceHealth(database)
    )
    searcher.attempt(GOAL.key, lambda _: None)
    lines = logged()
    assert [line["event"] for line in lines] == ["progress", "source_failed", "a_person_is_needed"]
    assert {
        (line["stage"], line["fixture_id"], line["event_id"], line["attempt"]) for line in lines
    } == {("SEARCH", 5000, GOAL.event_id, 1)}
    assert lines[2]["level"] == "error"


def test_p2_the_monitor_tells_of_each_change_of_a_goal(logged: Any, bench: Bench) -> None:
    bench.put(status="NS")
    bench.follow()
    logged()
    scored = goal(10, team=40, player=306, name="M. Salah")
    bench.watch({"status": "1H", "elapsed": 11, "goals": [scored]}, polls=3)
    lines = logged()
    assert {(line["stage"], line["fixture_id"]) for line in lines} == {("MONITOR", 5000)}
    told = [(line["event"], line["event_id"]) for line in lines if "event_id" in line]
    assert told[0] == ("goal_new", "5000_40_306_Goal_1")
    assert told[-1] == ("goal_stable", "5000_40_306_Goal_1")
    assert all(line["poll_id"] for line in lines)


def test_p2_the_aliases_tell_of_each_team_that_was_found_out(
    logged: Any,
    database: Database[Document],
    feed: ApiFootball,
    sim: SimServer,
    clock: ManualClock,
) -> None:
    wikidata = Wikidata(sim.wikidata_url, sleep=lambda _: None)
    found = TeamAliases(TeamAliasStore(database), feed, wikidata, clock)
    found.aliases_for(Side(40, "Liverpool"))
    found.aliases_for(Side(40, "Liverpool"))
    (line,) = logged()
    assert (line["stage"], line["team_id"], line["event"]) == ("ALIASES", 40, "found_out")
    assert "LFC" in line["words"]
