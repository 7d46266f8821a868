"""Faults of servers, browsers, downloads and models, and the outcome for a goal's clips.

| fault                       | meanwhile                                | once healed            |
|-----------------------------|------------------------------------------|------------------------|
| S3 down                     | videos stay due, no try is spent         | stored                 |
| S3 dies during the uploads  | the same                                 | stored                 |
| S3 down for good            | the deadline fails the videos            | stored, on request     |
| MongoDB restarts            | no effect (three tries)                  |                        |
| MongoDB down                | the batch or sweep fails, no file stays  | the same attempt again |
| browser killed in a search  | another one; killed again: failed        | the next attempt       |
| login lost                  | one alert, counted with its reason       | the next attempt       |
| disk full                   | videos stay due, no try is spent         | stored                 |
| video cut off               | tried again, then failed with the reason | stored                 |
| video truncated             | refused                                  |                        |
| yt-dlp error that can heal  | tried again, then failed with the reason | stored                 |
| yt-dlp error that cannot    | refused with its class                   |                        |
| invalid vision reply        | refused, never accepted                  | the next video         |
| one goal's search fails     | counted with its reason                  | others are not delayed |
| a step hangs                | ended, tried again, then failed          | stored                 |
"""

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event, Timer
from typing import Any

import pytest
from pydantic import SecretStr
from pymongo import MongoClient
from pymongo.database import Database
from pymongo.errors import PyMongoError

from footy_assets.clips.work import ClipWork
from footy_assets.clock import ManualClock
from footy_assets.errors import DownloadUnavailable, S3Unavailable
from footy_assets.logs import no_log
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.rules.sighting import Side
from footy_assets.matchday.store.documents import goal_from
from footy_assets.media.examine import Examination, FileExaminer
from footy_assets.media.validation import RefusalReason, make_validator
from footy_assets.progress import Watchdog
from footy_assets.search.rules.attempts import AttemptOutcome
from footy_assets.search.rules.posts import Window
from footy_assets.search.rules.query import GoalQuery
from footy_assets.search.rules.site import Progress, SiteResult, VideoSite
from footy_assets.search.rules.video import VideoState
from footy_assets.search.searcher import AttemptResult, Searcher, SearchRules
from footy_assets.search.site_health import site_works
from footy_assets.search.store.searches import SearchStore
from footy_assets.search.store.site_health import SiteHealth
from footy_assets.search.sweep import Sweep
from footy_assets.sim.loopback import Loopback
from footy_assets.store.collections import ATTEMPTS, EVENTS, VIDEOS, Document
from footy_assets.store.leases import Leases
from footy_assets.store.spending import Cap, Spending
from footy_assets_tests.clips.clip_harness import LENIENT, ClipHarness
from footy_assets_tests.clips.video_host import VideoHost
from footy_assets_tests.matchday.goals import GOAL, STABLE, put_goal
from footy_assets_tests.resources.fans import post as fan_post
from footy_assets_tests.resources.fans import show
from footy_assets_tests.resources.fans import site as make_site
from footy_assets_tests.resources.local_rate_limit import LocalRateLimit
from footy_assets_tests.resources.vision_server import VisionServer
from footy_assets_tests.search.test_searcher import FakeSite, post
from resources.browser.launch import BrowserOptions
from resources.browser.processes import kill_using
from resources.browser.session import BrowserSession
from resources.downloads.client import Downloader
from resources.embedded.mongod import embedded_mongo
from resources.embedded.shared import ServerRecord, SharedServer
from resources.embedded.weed import S3Server, embedded_s3
from resources.language_model.vision import LEASE, VisionClient
from resources.s3.client import S3Address, connect
from resources.s3.clip_store import ClipStore
from resources.sites.rate_limit import RateLimiter
from resources.x.client import XSite
from resources.x.search_page import PageWaits

pytestmark = pytest.mark.slow

LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


def no_sleep(seconds: float) -> None: ...


# -- servers that go down and come back ------------------------------------------------------


class ServerSwitch:
    """Kills and revives a server that belongs to this module."""

    def __init__(self, server: SharedServer[Any], record: Path) -> None:
        self._server, self._record = server, record

    def kill(self) -> None:
        record = ServerRecord.read(self._record)
        assert record is not None
        record.process.end(grace_seconds=0)

    def revive(self) -> None:
        self._server.revive()


@pytest.fixture(scope="module")
def module_s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[S3Server, ServerSwitch]]:
    home = tmp_path_factory.mktemp("module-s3")
    shared = embedded_s3(home, die_with_parent=True)
    with shared as server:
        yield server, ServerSwitch(shared, home / "s3" / "server.json")


@pytest.fixture
def switchable_s3(
    module_s3: tuple[S3Server, ServerSwitch],
) -> Iterator[tuple[ClipStore, ServerSwitch]]:
    server, switch = module_s3
    switch.revive()
    keys = SecretStr(server.access_key_id), SecretStr(server.secret_access_key)
    client = connect(S3Address(server.endpoint_url, "us-east-1", *keys))
    store = ClipStore(client, "faults")
    for key in store.list_keys():
        store.delete(key)
    yield store, switch
    client.close()


@pytest.fixture(scope="module")
def module_mongo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, ServerSwitch]]:
    home = tmp_path_factory.mktemp("module-mongo")
    shared = embedded_mongo(home, die_with_parent=True)
    with shared as server:
        yield server.uri, ServerSwitch(shared, home / "mongo" / "server.json")


@pytest.fixture
def switchable_mongo(
    module_mongo: tuple[str, ServerSwitch],
) -> Iterator[tuple[Database[Document], ServerSwitch]]:
    uri, switch = module_mongo
    switch.revive()
    with MongoClient[Document](uri, tz_aware=True, serverSelectionTimeoutMS=2_000) as client:
        client.drop_database("faults")
        yield client["faults"], switch
        switch.revive()


@pytest.fixture
def harness(database: Database[Document], clip_store: ClipStore, tmp_path: Path) -> ClipHarness:
    put_goal(database)
    return ClipHarness(database, clip_store, tmp_path / "work")


@pytest.fixture
def site() -> Iterator[tuple[VideoHost, str]]:
    video_host = VideoHost()
    running = Loopback(video_host.app(), ("127.0.0.1", 0))
    host, port = running.address
    yield video_host, f"http://{host}:{port}"
    running.stop()


def with_s3(harness: ClipHarness, store: ClipStore) -> ClipHarness:
    """The same harness on another S3 server."""
    return replace(harness, objects=store)


def choose(harness: ClipHarness, base_url: str, *films: str) -> ClipWork:
    """Stores films of a site as chosen videos; returns work with the real downloader."""
    for name in films:
        harness.choose_video(f"x:{name}", name)
        harness.database[VIDEOS].update_one(
            {"video_id": f"x:{name}"}, {"$set": {"video_url": f"{base_url}/{name}.mp4"}}
        )
    return replace(harness.work(), downloader=Downloader(sleep=no_sleep))


def video(harness: ClipHarness, video_id: str = "x:good") -> Document:
    return harness.database[VIDEOS].find_one({"video_id": video_id}) or {}


def run_with_an_outage(work: ClipWork, goal: GoalEvent, switch: ServerSwitch) -> None:
    """Runs a batch and kills the server right before anything is published."""
    with work.batch(goal, "run-1") as batch:
        work.load_videos(batch)
        work.download(batch, no_log)
        work.examine(batch, no_log)
        work.dedup(batch, no_log)
        switch.kill()
        work.publish(batch, no_log)


def no_file_is_left(harness: ClipHarness) -> bool:
    return not [path for path in harness.folder.rglob("*") if path.is_file()]


# -- S3 --------------------------------------------------------------------------------------


def test_s3_down_spends_no_try_and_the_clip_is_stored_once_it_is_up(
    harness: ClipHarness, switchable_s3: tuple[ClipStore, ServerSwitch]
) -> None:
    store, switch = switchable_s3
    harness = with_s3(harness, store)
    harness.choose(good=5)
    switch.kill()
    for _ in range(4):
        with pytest.raises(S3Unavailable):
            harness.run()
    assert (video(harness)["state"], video(harness)["tries"]) == ("chosen", 0)
    assert "does not answer" in video(harness)["last_error"]
    assert harness.work().videos.goals_with_waiting() == [], "no run is requested meanwhile"
    assert no_file_is_left(harness)
    switch.revive()
    harness.run()
    assert harness.videos() == {"x:good": "taken"}
    assert harness.work().videos.goals_with_waiting() == []


def test_s3_killed_during_the_uploads_spends_no_try(
    harness: ClipHarness, switchable_s3: tuple[ClipStore, ServerSwitch]
) -> None:
    store, switch = switchable_s3
    harness = with_s3(harness, store)
    harness.choose(good=5, angle=2)
    slept: list[float] = []
    work = replace(harness.work(), sleep=slept.append)
    goal = work.documents.goals.get(GOAL.key)
    assert goal is not None
    with pytest.raises(S3Unavailable):
        run_with_an_outage(work, goal, switch)
    assert slept == [2.0, 3.0], "P4: three tries from 2 s, ×1.5"
    assert {d["tries"] for d in harness.database[VIDEOS].find()} == {0}
    assert not harness.clips(), "H4: no document without its object"
    assert no_file_is_left(harness)
    switch.revive()
    harness.run()
    assert harness.videos() == {"x:angle": "taken", "x:good": "taken"}


def test_se2_the_deadline_fails_videos_during_an_outage_and_an_operator_can_retry(
    harness: ClipHarness, switchable_s3: tuple[ClipStore, ServerSwitch]
) -> None:
    store, switch = switchable_s3
    harness = with_s3(harness, store)
    searches = SearchStore(harness.database)
    searches.open_searches()
    harness.choose(good=5)
    switch.kill()
    with pytest.raises(S3Unavailable):
        harness.run()
    late = STABLE + timedelta(minutes=31)
    assert searches.close_overdue(late, timedelta(minutes=30)) == [GOAL.key]
    assert str(goal_from(harness.database[EVENTS].find_one({}) or {}).state) == "complete"
    assert (video(harness)["state"], video(harness)["reason"]) == (
        VideoState.FAILED,
        AttemptOutcome.DEADLINE_PASSED,
    )
    assert "does not answer" in video(harness)["detail"]
    switch.revive()
    assert searches.make_due(GOAL.key, late)
    harness.run()
    assert harness.videos() == {"x:good": "taken"}


# -- MongoDB ---------------------------------------------------------------------------------


def test_p4_a_mongodb_that_restarts_costs_nothing(
    switchable_mongo: tuple[Database[Document], ServerSwitch],
    clip_store: ClipStore,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    database, switch = switchable_mongo
    put_goal(database)
    harness = ClipHarness(database, clip_store, tmp_path)
    harness.choose(good=5)
    waits: list[float] = []

    def revive_on_the_second_wait(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 2:
            switch.revive()

    monkeypatch.setattr("footy_assets.store.retrying.sleep", revive_on_the_second_wait)
    work = harness.work()
    goal = work.documents.goals.get(GOAL.key)
    assert goal is not None
    switch.kill()
    with work.batch(goal, "run-1") as batch:
        work.load_videos(batch)
    assert [video["video_id"] for video in batch.videos] == ["x:good"]
    assert waits == [1.0, 2.0], "P4: from 1 s, ×2"


def test_mongodb_down_during_a_batch_leaves_the_batch_due(
    switchable_mongo: tuple[Database[Document], ServerSwitch],
    clip_store: ClipStore,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("footy_assets.store.retrying.sleep", no_sleep)
    database, switch = switchable_mongo
    put_goal(database)
    harness = ClipHarness(database, clip_store, tmp_path)
    harness.choose(good=5)
    work = harness.work()
    goal = work.documents.goals.get(GOAL.key)
    assert goal is not None
    with pytest.raises(PyMongoError):
        run_with_an_outage(work, goal, switch)
    assert no_file_is_left(harness)
    assert not clip_store.list_keys()
    switch.revive()
    assert video(harness)["state"] == "chosen"
    harness.run()
    assert harness.videos() == {"x:good": "taken"}


def test_mongodb_down_during_a_search_repeats_the_attempt_under_its_number(
    switchable_mongo: tuple[Database[Document], ServerSwitch], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("footy_assets.store.retrying.sleep", no_sleep)
    database, switch = switchable_mongo
    put_goal(database)
    clock = ManualClock(STABLE)
    fake_site = FakeSite(clock, [post(1)])
    searcher = make_searcher(database, clock, fake_site)
    fake_site.meanwhile = switch.kill
    with pytest.raises(PyMongoError):
        list(searcher.sweep(no_log))
    switch.revive()
    fake_site.meanwhile = None
    database[EVENTS].update_one({}, {"$set": {"search.held_until": LONG_AGO}})
    first = next(iter(searcher.sweep(no_log)))
    assert (first.attempt.number, len(first.chosen)) == (1, 1)


# -- searches --------------------------------------------------------------------------------


def aliases(side: Side) -> tuple[str, ...]:
    return ("Liverpool", "LFC")


def make_searcher(
    database: Database[Document],
    clock: ManualClock,
    client: VideoSite,
    aliases_of: Callable[[Side], tuple[str, ...]] = aliases,
) -> Searcher:
    rules = SearchRules(wait_for_next=timedelta(0))
    sweep, health = Sweep([client], no_sleep), SiteHealth(database)
    return Searcher(SearchStore(database), sweep, aliases_of, clock, rules, health)


def run_attempt(searcher: Searcher) -> AttemptResult:
    found = searcher.attempt(GOAL.key, no_log)
    assert found is not None
    return found


def outcome(database: Database[Document], number: int) -> str:
    return str((database[ATTEMPTS].find_one({"number": number}) or {})["outcome"])


@contextmanager
def x_in_a_browser(clock: ManualClock) -> Iterator[tuple[Any, BrowserSession, XSite, Any]]:
    with make_site() as site:
        site.clock = clock
        session = {"token": site.new_session()}

        def cookies() -> list[dict[str, str]]:
            return [{"name": "auth_token", "value": session["token"], "url": site.url}]

        with BrowserSession(BrowserOptions(cookies=cookies)) as browser:  # type: ignore[arg-type]
            limits = PageWaits(appears=6.0, more=2.0)
            limiter = RateLimiter("X", 1_000, clock, LocalRateLimit())
            client = XSite(browser, site.url, clock=clock, limiter=limiter, limits=limits)
            yield site, browser, client, session


def kill_browser(browser: BrowserSession) -> None:
    if browser.profile is not None:
        kill_using(browser.profile)


@dataclass
class BrowserKillingSite:
    """X in a browser that is killed at every page load."""

    client: XSite
    browser: BrowserSession
    name: str = "x"

    def search(self, query: GoalQuery, window: Window, on_progress: Progress) -> SiteResult:
        def kill(message: str) -> None:
            if message.startswith("opening X"):
                kill_browser(self.browser)

        return self.client.search(query, window, kill)


def test_a_browser_killed_during_a_search_is_replaced_or_the_attempt_fails(
    database: Database[Document],
) -> None:
    put_goal(database)
    clock = ManualClock(STABLE)
    SearchStore(database).open_searches()
    with x_in_a_browser(clock) as (site, browser, client, _):
        show(site, [fan_post(n, posted_at=STABLE) for n in range(3)])
        site.faults.slow = 0.4
        searcher = make_searcher(database, clock, client)
        Timer(0.9, kill_browser, [browser]).start()
        assert len(run_attempt(searcher).chosen) == 3, "another browser finished the search"

        clock.advance(60)
        failed_attempt = run_attempt(
            make_searcher(database, clock, BrowserKillingSite(client, browser))
        )
        assert failed_attempt.outcome.failed
        clock.advance(60)
        assert not run_attempt(searcher).outcome.failed
    assert outcome(database, 2).startswith("x: the browser ended twice in one search")
    assert outcome(database, 3) == AttemptOutcome.FOUND_NOTHING


def test_se7_a_lost_login_raises_one_alert_in_an_outage_and_fails_the_check(
    database: Database[Document],
) -> None:
    put_goal(database)
    clock = ManualClock(STABLE)
    SearchStore(database).open_searches()
    health = SiteHealth(database)
    with x_in_a_browser(clock) as (site, browser, client, session):

        def one_sweep() -> AttemptResult:
            """One attempt in its own sweep: an alert is raised once across sweeps."""
            found = run_attempt(make_searcher(database, clock, client))
            clock.advance(60)
            return found

        def log_in() -> None:
            session["token"] = site.new_session()
            browser.close()

        assert one_sweep().outcome.alerts == ()
        assert site_works(health, "x").passed
        site.end_sessions()
        lost = [one_sweep() for _ in range(3)]
        assert [len(found.outcome.alerts) for found in lost] == [1, 0, 0]
        assert "footy login x" in lost[0].outcome.alerts[0]
        assert all(found.outcome.failed for found in lost), "SE7: no empty results"
        finding = site_works(health, "x")
        assert not finding.passed
        assert finding.details["needs_person"]
        assert "3 searches failed" in finding.summary
        log_in()
        show(site, [fan_post(1, posted_at=clock.now())])
        assert len(one_sweep().chosen) == 1
        assert site_works(health, "x").passed
        site.end_sessions()
        assert len(one_sweep().outcome.alerts) == 1, "another outage raises an alert again"
    assert outcome(database, 2).startswith("x: X ")
    assert goal_from(database[EVENTS].find_one({}) or {}).attempts_counted == 5


def test_se2_one_goals_failed_search_counts_and_stops_no_other(
    database: Database[Document],
) -> None:
    put_goal(database)
    put_goal(database, replace(GOAL, key="goal-b", event_id="5000_33_9_Goal_1", team_id=33))

    def broken_for_liverpool(side: Side) -> tuple[str, ...]:
        if side.id == 40:
            raise KeyError("words")
        return aliases(side)

    clock = ManualClock(STABLE)
    searcher = make_searcher(database, clock, FakeSite(clock), broken_for_liverpool)
    done = list(searcher.sweep(no_log))
    assert {one.attempt.goal.key for one in done} == {"goal-a", "goal-b"}
    rows = {d["goal_key"]: d["outcome"] for d in database[ATTEMPTS].find({"number": 1})}
    assert rows == {"goal-a": "KeyError: 'words'", "goal-b": AttemptOutcome.FOUND_NOTHING}


# -- downloads -------------------------------------------------------------------------------


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 100 KB: a film does not fit."""
    place = tmp_path / "small"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=100k", "tmpfs", place], capture_output=True
    )
    if mounted.returncode:
        pytest.skip("only root may mount a small disk")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


def test_a_full_disk_spends_no_try(
    harness: ClipHarness, site: tuple[VideoHost, str], small_disk: Path
) -> None:
    _, url = site
    work = choose(harness, url, "large")
    for _ in range(4):
        with pytest.raises(DownloadUnavailable, match="no space left"):
            harness.run(replace(work, folder=small_disk))
    full = video(harness, "x:large")
    assert (full["state"], full["tries"]) == ("chosen", 0)
    assert full["last_error"] == "no space left for downloads"
    assert not [path for path in small_disk.rglob("*") if path.is_file()]
    harness.run(work)
    assert harness.videos() == {"x:large": "taken"}


@pytest.mark.parametrize("fault", [503, "cut off"])
def test_d1_a_failing_download_is_retried_and_then_failed_with_its_reason(
    harness: ClipHarness, site: tuple[VideoHost, str], fault: Any
) -> None:
    video_host, url = site
    work = choose(harness, url, "good", "angle")
    video_host.faults = {"good": fault, "angle": fault}
    harness.run(work)
    assert harness.videos() == {"x:angle": "chosen", "x:good": "chosen"}
    assert video(harness)["last_error"]
    video_host.faults = {"angle": fault}
    for _ in range(3):
        harness.run(work)
    assert harness.videos() == {"x:angle": "failed", "x:good": "taken"}
    gone = video(harness, "x:angle")
    assert gone["reason"] == "not finished in 3 tries"
    assert gone["detail"] == gone["last_error"]


def test_v1_a_truncated_video_is_refused(harness: ClipHarness, site: tuple[VideoHost, str]) -> None:
    video_host, url = site
    work = choose(harness, url, "good", "angle")
    video_host.faults = {"good": "half"}
    harness.run(work)
    assert harness.videos() == {"x:angle": "taken", "x:good": "refused"}
    assert video(harness)["reason"]


@pytest.mark.parametrize(("status", "cause"), [(404, "removed"), (451, "geo_blocked")])
def test_d1_permanent_errors_of_yt_dlp_are_refused(
    harness: ClipHarness, site: tuple[VideoHost, str], status: int, cause: str
) -> None:
    video_host, url = site
    work = choose(harness, url, "good")
    video_host.faults = {"good": status}
    harness.run(work)
    assert (video(harness)["state"], video(harness)["reason"]) == ("refused", cause)


# -- validation ------------------------------------------------------------------------------


def test_v1_an_invalid_reply_of_the_vision_model_accepts_nothing(
    harness: ClipHarness, database: Database[Document]
) -> None:
    with (
        VisionServer() as server,
        VisionClient(
            server.url,
            "eyes",
            clock=harness.clock,
            leases=Leases(database),
            spending=Spending(database, LEASE),
            cap=Cap(1_000, 0),
            sleep=no_sleep,
        ) as vision,
    ):
        examiner = FileExaminer(make_validator(vision, vision_only=True), LENIENT)
        work = replace(harness.work(), examiner=examiner)
        harness.choose(good=1)
        server.corrupt_next("prose", "html", "wrong_type", "cut_off")
        harness.run(work)
        assert video(harness)["state"] == "refused"
        assert video(harness)["reason"].startswith(RefusalReason.NOT_JUDGED)
        assert video(harness)["reason_kind"] == RefusalReason.NOT_JUDGED
        assert len(server.requests) == 4, "P4: four tries"
        assert not harness.clips()
        harness.choose(angle=1)
        harness.run(work)
    assert harness.videos() == {"x:angle": "taken", "x:good": "refused"}


def test_p3_a_step_that_hangs_is_stopped_and_its_video_retried(harness: ClipHarness) -> None:
    harness.choose(good=1)
    released = Event()

    class HangingExaminer:
        def examine(self, path: Path, elapsed: int, extra: int | None) -> Examination:
            released.wait(30)
            raise AssertionError("the watchdog has given up on this step")

    ticks = iter(range(0, 100_000, 50))

    def fast_watchdog() -> Watchdog:
        return Watchdog(monotonic=lambda: float(next(ticks)))

    work = replace(harness.work(), examiner=HangingExaminer(), new_watchdog=fast_watchdog)
    for _ in range(3):
        harness.run(work)
    released.set()
    stuck = video(harness)
    assert (stuck["state"], stuck["tries"]) == ("chosen", 3)
    assert stuck["last_error"] == "validation: no progress within 100 s"
    harness.run()
    assert video(harness)["state"] == "failed"
    assert video(harness)["detail"] == "validation: no progress within 100 s"
    assert SearchStore(harness.database).open_searches() == 1
    assert SearchStore(harness.database).make_due(GOAL.key, STABLE)
    harness.run()
    assert harness.videos() == {"x:good": "taken"}, "an operator's retry succeeds after the repair"
