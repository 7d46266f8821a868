"""P2: every line of the pipeline's steps names its stage and ids."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.errors import DownloadCause, DownloadUnavailable, LoginLost
from footy_assets.logs import Stage, StageLog, configure_structured_logs
from footy_assets.matchday.rules.sighting import Side
from footy_assets.search.aliases import TeamAliases
from footy_assets.search.searcher import Searcher, SearchRules
from footy_assets.search.store.searches import SearchStore
from footy_assets.search.store.site_health import SiteHealth
from footy_assets.search.store.team_aliases import TeamAliasStore
from footy_assets.search.sweep import Sweep
from footy_assets.sim import SimServer, goal
from footy_assets.store.collections import Document
from footy_assets_tests.clips.clip_harness import ClipHarness
from footy_assets_tests.matchday.goals import GOAL, STABLE, put_goal
from footy_assets_tests.matchday.harness import MatchdayHarness
from footy_assets_tests.search.test_searcher import FakeSite, aliases, post
from resources.api_football.client import ApiFootball
from resources.s3.clip_store import ClipStore
from resources.wikidata.client import Wikidata

Line = dict[str, Any]


@pytest.fixture
def log_lines(capfd: pytest.CaptureFixture[str]) -> Iterator[Any]:
    configure_structured_logs("info")

    def lines() -> list[Line]:
        return [json.loads(line) for line in capfd.readouterr().err.splitlines() if line[:1] == "{"]

    yield lines
    structlog.reset_defaults()


def test_p2_lines_are_json_on_stderr_with_stage_and_ids(
    log_lines: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    received: list[str] = []
    log = StageLog(Stage.UPLOAD, received.append, {"fixture_id": 5000}).bind(video_id="x:1")
    log.info("stored", key="a.mp4")
    (line,) = log_lines()
    assert line.pop("timestamp").startswith("20")
    assert line == {
        "event": "stored",
        "level": "info",
        "stage": "UPLOAD",
        "fixture_id": 5000,
        "video_id": "x:1",
        "key": "a.mp4",
    }
    assert received == ["UPLOAD stored: fixture_id=5000 video_id=x:1 key=a.mp4"]
    assert capfd.readouterr().out == ""


def test_p2_other_loggers_inside_a_stage_name_it_too(log_lines: Any) -> None:
    with StageLog(Stage.SEARCH, ids={"event_id": GOAL.event_id, "attempt": 3}).bound_to_context():
        structlog.get_logger().info("x_searched", posts=2)
    (line,) = log_lines()
    assert (line["stage"], line["event_id"], line["attempt"]) == ("SEARCH", GOAL.event_id, 3)


def test_p2_every_line_of_a_batch_has_its_stage_and_ids(
    log_lines: Any, database: Database[Document], clip_store: ClipStore, tmp_path: Path
) -> None:
    put_goal(database)
    harness = ClipHarness(database, clip_store, tmp_path)
    assert log_lines() == []
    harness.choose(good=5, small=2, short=1, other=1)
    harness.host.failing["other"] = DownloadUnavailable("HTTP Error 503", DownloadCause.UNAVAILABLE)
    harness.run()
    harness.choose(large=2, cropped=1)
    harness.run()
    lines = log_lines()
    assert {line["stage"] for line in lines} == {
        *("DOWNLOAD", "VALIDATE", "HASH", "DEDUP", "UPLOAD")
    }
    for line in lines:
        assert (line["fixture_id"], line["event_id"]) == (5000, GOAL.event_id), line
        assert (line["video_id"][:2], line["attempt"]) == ("x:", 1), line
    events = {(line["stage"], line["event"]) for line in lines}
    assert {
        ("DOWNLOAD", "not_downloaded"),
        ("VALIDATE", "refused"),
        ("DEDUP", "compared"),
        ("UPLOAD", "stored"),
        ("UPLOAD", "replaced"),
    } <= events


def test_p2_every_line_of_a_search_has_its_stage_and_ids(
    log_lines: Any, database: Database[Document]
) -> None:
    put_goal(database)
    clock = ManualClock(STABLE)
    fake_site = FakeSite(clock, [post(1)], failure=LoginLost("the login has ended"))
    searches = SearchStore(database)
    searches.open_searches()
    searcher = Searcher(
        searches,
        Sweep([fake_site], clock.sleep),
        aliases,
        clock,
        SearchRules(),
        SiteHealth(database),
    )
    searcher.attempt(GOAL.key, lambda _: None)
    lines = log_lines()
    assert [line["event"] for line in lines] == ["progress", "site_failed", "operator_needed"]
    assert {
        (line["stage"], line["fixture_id"], line["event_id"], line["attempt"]) for line in lines
    } == {("SEARCH", 5000, GOAL.event_id, 1)}
    assert lines[2]["level"] == "error"


def test_p2_the_monitor_logs_each_change_of_a_goal(
    log_lines: Any, harness: MatchdayHarness
) -> None:
    harness.put(status="NS")
    harness.track()
    log_lines()
    scored = goal(10, team=40, player=306, name="M. Salah")
    harness.put_and_poll({"status": "1H", "elapsed": 11, "goals": [scored]}, polls=3)
    lines = log_lines()
    assert {(line["stage"], line["fixture_id"]) for line in lines} == {("MONITOR", 5000)}
    events = [(line["event"], line["event_id"]) for line in lines if "event_id" in line]
    assert events[0] == ("goal_new", "5000_40_306_Goal_1")
    assert events[-1] == ("goal_stable", "5000_40_306_Goal_1")
    assert all(line["poll_id"] for line in lines)


def test_p2_each_resolved_team_is_logged(
    log_lines: Any,
    database: Database[Document],
    feed: ApiFootball,
    sim: SimServer,
    clock: ManualClock,
) -> None:
    wikidata = Wikidata(sim.wikidata_url, sleep=lambda _: None)
    found = TeamAliases(TeamAliasStore(database), feed, wikidata, clock)
    found.aliases_for(Side(40, "Liverpool"))
    found.aliases_for(Side(40, "Liverpool"))
    (line,) = log_lines()
    assert (line["stage"], line["team_id"], line["event"]) == ("ALIASES", 40, "aliases_resolved")
    assert "LFC" in line["words"]


def test_p2_a_line_that_the_log_of_a_run_cannot_take_ends_no_work(log_lines: Any) -> None:
    """Dagster raises what its database raises, for example on a full disk."""

    def full(line: str) -> None:
        raise OSError("No space left on device")

    StageLog(Stage.SEARCH, full, {"attempt": 1}).info("progress")
    assert [line["event"] for line in log_lines()] == ["progress", "not_in_the_log_of_the_run"]
