"""What fails around us, on real servers, and what becomes of a goal then.

| fault                       | meanwhile                                | once healed            |
|-----------------------------|------------------------------------------|------------------------|
| S3 down                     | videos stay due, no try is spent         | stored                 |
| S3 dies during the uploads  | the same                                 | stored                 |
| S3 down for good            | the deadline closes the goal, visibly    | stored, on request     |
| MongoDB restarts            | nobody notices (three tries)             |                        |
| MongoDB down                | the batch or sweep fails, no file stays  | the same attempt again |
| browser killed in a search  | another one; killed again: failed        | the next attempt       |
| login lost                  | one alert, counted with its reason       | the next attempt       |
| disk full                   | videos stay due, no try is spent         | stored                 |
| video cut off               | tried again, then failed with the reason | stored                 |
| video truncated             | refused                                  |                        |
| yt-dlp error that can heal  | tried again, then failed with the reason | stored                 |
| yt-dlp error that cannot    | refused with its class                   |                        |
| vision talks nonsense       | refused, never accepted                  | the next video         |
| one goal's search breaks    | counted with its reason                  | others are not held up |
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
from footy_assets_tests.clips.clip_bench import LENIENT, ClipBench
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
from resources.embedded.shared import Record, SharedServer
from resources.embedded.weed import S3Server, embedded_s3
from resources.language_model.vision import LEASE, VisionClient
from resources.s3.clip_store import ClipStore
from resources.s3.connection import S3Address, connect
from resources.sites.rate_limit import RateLimiter
from resources.x.client import XSite
from resources.x.search_page import Limits

pytestmark = pytest.mark.slow

HELD_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


def no_wait(seconds: float) -> None: ...


# -- servers that go down and come back ------------------------------------------------------


class Down:
    """A server of this module's own, with its switch."""

    def __init__(self, server: SharedServer[Any], record: Path) -> None:
        self._server, self._record = server, record

    def kill(self) -> None:
        record = Record.read(self._record)
        assert record is not None
        record.process.end(grace_seconds=0)

    def heal(self) -> None:
        self._server.revive()


@pytest.fixture(scope="module")
def own_s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[S3Server, Down]]:
    home = tmp_path_factory.mktemp("frail-s3")
    shared = embedded_s3(home, die_with_parent=True)
    with shared as server:
        yield server, Down(shared, home / "s3" / "server.json")


@pytest.fixture
def frail_s3(own_s3: tuple[S3Server, Down]) -> Iterator[tuple[ClipStore, Down]]:
    server, switch = own_s3
    switch.heal()
    keys = SecretStr(server.access_key_id), SecretStr(server.secret_access_key)
    client = connect(S3Address(server.endpoint_url, "us-east-1", *keys))
    store = ClipStore(client, "faults")
    for key in store.list_keys():
        store.delete(key)
    yield store, switch
    client.close()


@pytest.fixture(scope="module")
def own_mongo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Down]]:
    home = tmp_path_factory.mktemp("frail-mongo")
    shared = embedded_mongo(home, die_with_parent=True)
    with shared as server:
        yield server.uri, Down(shared, home / "mongo" / "server.json")


@pytest.fixture
def frail_mongo(own_mongo: tuple[str, Down]) -> Iterator[tuple[Database[Document], Down]]:
    uri, switch = own_mongo
    switch.heal()
    with MongoClient[Document](uri, tz_aware=True, serverSelectionTimeoutMS=2_000) as client:
        client.drop_database("faults")
        yield client["faults"], switch
        switch.heal()


@pytest.fixture
def bench(database: Database[Document], clip_store: ClipStore, tmp_path: Path) -> ClipBench:
    put_goal(database)
    return ClipBench(database, clip_store, tmp_path / "work")


@pytest.fixture
def site() -> Iterator[tuple[VideoHost, str]]:
    serving = VideoHost()
    running = Loopback(serving.app(), ("127.0.0.1", 0))
    host, port = running.address
    yield serving, f"http://{host}:{port}"
    running.stop()


def with_s3(bench: ClipBench, store: ClipStore) -> ClipBench:
    """The bench on another S3."""
    return replace(bench, objects=store)


def choose(bench: ClipBench, base_url: str, *films: str) -> ClipWork:
    """Films of a site wait to be fetched, by the real downloader."""
    for name in films:
        bench.choose_video(f"x:{name}", name)
        bench.database[VIDEOS].update_one(
            {"video_id": f"x:{name}"}, {"$set": {"video_url": f"{base_url}/{name}.mp4"}}
        )
    return replace(bench.work(), downloader=Downloader(sleep=no_wait))


def video(bench: ClipBench, video_id: str = "x:good") -> Document:
    return bench.database[VIDEOS].find_one({"video_id": video_id}) or {}


def run_with_an_outage(work: ClipWork, goal: GoalEvent, switch: Down) -> None:
    """A batch during which a server dies, right before anything is stored."""
    with work.batch(goal, "run-1") as batch:
        work.load_videos(batch)
        work.download(batch, no_log)
        work.examine(batch, no_log)
        work.dedup(batch, no_log)
        switch.kill()
        work.publish(batch, no_log)


def no_file_is_left(bench: ClipBench) -> bool:
    return not [path for path in bench.folder.rglob("*") if path.is_file()]


# -- S3 --------------------------------------------------------------------------------------


def test_s3_down_spends_no_try_and_the_clip_comes_once_it_is_up(
    bench: ClipBench, frail_s3: tuple[ClipStore, Down]
) -> None:
    store, switch = frail_s3
    bench = with_s3(bench, store)
    bench.choose(good=5)
    switch.kill()
    for _ in range(4):
        with pytest.raises(S3Unavailable):
            bench.run()
    assert (video(bench)["state"], video(bench)["tries"]) == ("chosen", 0)
    assert "does not answer" in video(bench)["last_error"]
    assert bench.work().videos.goals_with_waiting() == [], "no run is requested meanwhile"
    assert no_file_is_left(bench)
    switch.heal()
    bench.run()
    assert bench.videos() == {"x:good": "taken"}
    assert bench.work().videos.goals_with_waiting() == []


def test_s3_dying_during_the_uploads_spends_no_try(
    bench: ClipBench, frail_s3: tuple[ClipStore, Down]
) -> None:
    store, switch = frail_s3
    bench = with_s3(bench, store)
    bench.choose(good=5, angle=2)
    slept: list[float] = []
    work = replace(bench.work(), sleep=slept.append)
    goal = work.documents.goals.get(GOAL.key)
    assert goal is not None
    with pytest.raises(S3Unavailable):
        run_with_an_outage(work, goal, switch)
    assert slept == [2.0, 3.0], "P4: three tries from 2 s, ×1.5"
    assert {d["tries"] for d in bench.database[VIDEOS].find()} == {0}
    assert not bench.clips(), "H4: no document without its object"
    assert no_file_is_left(bench)
    switch.heal()
    bench.run()
    assert bench.videos() == {"x:angle": "taken", "x:good": "taken"}


def test_se2_the_deadline_fails_videos_during_an_outage_and_an_operator_can_retry(
    bench: ClipBench, frail_s3: tuple[ClipStore, Down]
) -> None:
    store, switch = frail_s3
    bench = with_s3(bench, store)
    searches = SearchStore(bench.database)
    searches.open_searches()
    bench.choose(good=5)
    switch.kill()
    with pytest.raises(S3Unavailable):
        bench.run()
    late = STABLE + timedelta(minutes=31)
    assert searches.close_overdue(late, timedelta(minutes=30)) == [GOAL.key]
    assert str(goal_from(bench.database[EVENTS].find_one({}) or {}).state) == "complete"
    assert (video(bench)["state"], video(bench)["reason"]) == (
        VideoState.FAILED,
        AttemptOutcome.DEADLINE_PASSED,
    )
    assert "does not answer" in video(bench)["detail"]
    switch.heal()
    assert searches.make_due(GOAL.key, late)
    bench.run()
    assert bench.videos() == {"x:good": "taken"}


# -- MongoDB ---------------------------------------------------------------------------------


def test_p4_a_mongodb_that_restarts_costs_nothing(
    frail_mongo: tuple[Database[Document], Down],
    clip_store: ClipStore,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    database, switch = frail_mongo
    put_goal(database)
    bench = ClipBench(database, clip_store, tmp_path)
    bench.choose(good=5)
    waits: list[float] = []

    def heals_on_the_second_wait(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 2:
            switch.heal()

    monkeypatch.setattr("footy_assets.store.retrying.sleep", heals_on_the_second_wait)
    work = bench.work()
    goal = work.documents.goals.get(GOAL.key)
    assert goal is not None
    switch.kill()
    with work.batch(goal, "run-1") as batch:
        work.load_videos(batch)
    assert [video["video_id"] for video in batch.videos] == ["x:good"]
    assert waits == [1.0, 2.0], "P4: from 1 s, ×2"


def test_mongodb_down_in_a_batch_leaves_it_due(
    frail_mongo: tuple[Database[Document], Down],
    clip_store: ClipStore,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("footy_assets.store.retrying.sleep", no_wait)
    database, switch = frail_mongo
    put_goal(database)
    bench = ClipBench(database, clip_store, tmp_path)
    bench.choose(good=5)
    work = bench.work()
    goal = work.documents.goals.get(GOAL.key)
    assert goal is not None
    with pytest.raises(PyMongoError):
        run_with_an_outage(work, goal, switch)
    assert no_file_is_left(bench)
    assert not clip_store.list_keys()
    switch.heal()
    assert video(bench)["state"] == "chosen"
    bench.run()
    assert bench.videos() == {"x:good": "taken"}


def test_mongodb_down_in_a_search_repeats_the_attempt_under_its_number(
    frail_mongo: tuple[Database[Document], Down], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("footy_assets.store.retrying.sleep", no_wait)
    database, switch = frail_mongo
    put_goal(database)
    clock = ManualClock(STABLE)
    fake_site = FakeSite(clock, [post(1)])
    searcher = make_searcher(database, clock, fake_site)
    fake_site.meanwhile = switch.kill
    with pytest.raises(PyMongoError):
        list(searcher.sweep(no_log))
    switch.heal()
    fake_site.meanwhile = None
    database[EVENTS].update_one({}, {"$set": {"search.held_until": HELD_LONG_AGO}})
    first = next(iter(searcher.sweep(no_log)))
    assert (first.attempt.number, len(first.chosen)) == (1, 1)


# -- make_searcher -------------------------------------------------------------------------------


def aliases(side: Side) -> tuple[str, ...]:
    return ("Liverpool", "LFC")


def make_searcher(
    database: Database[Document],
    clock: ManualClock,
    client: VideoSite,
    aliases_of: Callable[[Side], tuple[str, ...]] = aliases,
) -> Searcher:
    rules = SearchRules(wait_for_next=timedelta(0))
    sweep, health = Sweep([client], no_wait), SiteHealth(database)
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
            limits = Limits(appears=6.0, more=2.0)
            limiter = RateLimiter("X", 1_000, clock, LocalRateLimit())
            client = XSite(browser, site.url, clock=clock, limiter=limiter, limits=limits)
            yield site, browser, client, session


def kill_browser(browser: BrowserSession) -> None:
    if browser.profile is not None:
        kill_using(browser.profile)


@dataclass
class BrowserKillingSite:
    """X in a browser that is killed whenever a page has answered."""

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
        dying = run_attempt(make_searcher(database, clock, BrowserKillingSite(client, browser)))
        assert dying.outcome.failed
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
            """Each in a sweep of its own: an alert is raised once across sweeps."""
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
    bench: ClipBench, site: tuple[VideoHost, str], small_disk: Path
) -> None:
    _, url = site
    work = choose(bench, url, "large")
    for _ in range(4):
        with pytest.raises(DownloadUnavailable, match="no space left"):
            bench.run(replace(work, folder=small_disk))
    full = video(bench, "x:large")
    assert (full["state"], full["tries"]) == ("chosen", 0)
    assert full["last_error"] == "no space left for downloads"
    assert not [path for path in small_disk.rglob("*") if path.is_file()]
    bench.run(work)
    assert bench.videos() == {"x:large": "taken"}


@pytest.mark.parametrize("fault", [503, "cut off"])
def test_d1_a_failing_download_is_retried_and_then_failed_with_its_reason(
    bench: ClipBench, site: tuple[VideoHost, str], fault: Any
) -> None:
    serving, url = site
    work = choose(bench, url, "good", "angle")
    serving.faults = {"good": fault, "angle": fault}
    bench.run(work)
    assert bench.videos() == {"x:angle": "chosen", "x:good": "chosen"}
    assert video(bench)["last_error"]
    serving.faults = {"angle": fault}
    for _ in range(3):
        bench.run(work)
    assert bench.videos() == {"x:angle": "failed", "x:good": "taken"}
    gone = video(bench, "x:angle")
    assert gone["reason"] == "not finished in 3 tries"
    assert gone["detail"] == gone["last_error"]


def test_v1_a_truncated_video_is_refused(bench: ClipBench, site: tuple[VideoHost, str]) -> None:
    serving, url = site
    work = choose(bench, url, "good", "angle")
    serving.faults = {"good": "half"}
    bench.run(work)
    assert bench.videos() == {"x:angle": "taken", "x:good": "refused"}
    assert video(bench)["reason"]


@pytest.mark.parametrize(("status", "cause"), [(404, "removed"), (451, "geo_blocked")])
def test_d1_permanent_errors_of_yt_dlp_are_refused(
    bench: ClipBench, site: tuple[VideoHost, str], status: int, cause: str
) -> None:
    serving, url = site
    work = choose(bench, url, "good")
    serving.faults = {"good": status}
    bench.run(work)
    assert (video(bench)["state"], video(bench)["reason"]) == ("refused", cause)


# -- judging ---------------------------------------------------------------------------------


def test_v1_an_invalid_reply_of_the_vision_model_accepts_nothing(
    bench: ClipBench, database: Database[Document]
) -> None:
    with (
        VisionServer() as server,
        VisionClient(
            server.url,
            "eyes",
            clock=bench.clock,
            leases=Leases(database),
            spending=Spending(database, LEASE),
            cap=Cap(1_000, 0),
            sleep=no_wait,
        ) as eyes,
    ):
        examiner = FileExaminer(make_validator(eyes, vision_only=True), LENIENT)
        work = replace(bench.work(), examiner=examiner)
        bench.choose(good=1)
        server.corrupt_next("prose", "html", "wrong_type", "cut_off")
        bench.run(work)
        assert video(bench)["state"] == "refused"
        assert video(bench)["reason"].startswith(RefusalReason.NOT_JUDGED)
        assert video(bench)["reason_kind"] == RefusalReason.NOT_JUDGED
        assert len(server.requests) == 4, "P4: four tries"
        assert not bench.clips()
        bench.choose(angle=1)
        bench.run(work)
    assert bench.videos() == {"x:angle": "taken", "x:good": "refused"}


def test_p3_a_step_that_hangs_is_stopped_and_its_video_retried(bench: ClipBench) -> None:
    bench.choose(good=1)
    released = Event()

    class Hanging:
        def examine(self, path: Path, elapsed: int, extra: int | None) -> Examination:
            released.wait(30)
            raise AssertionError("nobody waits for this any more")

    ticks = iter(range(0, 100_000, 50))

    def hurried() -> Watchdog:
        return Watchdog(monotonic=lambda: float(next(ticks)))

    work = replace(bench.work(), examiner=Hanging(), new_watchdog=hurried)
    for _ in range(3):
        bench.run(work)
    released.set()
    stuck = video(bench)
    assert (stuck["state"], stuck["tries"]) == ("chosen", 3)
    assert stuck["last_error"] == "validation: no progress within 100 s"
    bench.run()
    assert video(bench)["state"] == "failed"
    assert video(bench)["detail"] == "validation: no progress within 100 s"
    assert SearchStore(bench.database).open_searches() == 1
    assert SearchStore(bench.database).make_due(GOAL.key, STABLE)
    bench.run()
    assert bench.videos() == {"x:good": "taken"}, "by hand, once it is mended"
