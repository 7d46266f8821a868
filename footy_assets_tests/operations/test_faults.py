"""What fails around us, on real servers, and what becomes of a goal then.

| fault                       | meanwhile                                | once healed            |
|-----------------------------|------------------------------------------|------------------------|
| S3 down                     | videos stay due, no try is spent         | stored                 |
| S3 dies during the uploads  | the same                                 | stored                 |
| S3 down for good            | the deadline closes the goal, visibly    | stored, when asked for |
| MongoDB restarts            | nobody notices (three tries)             |                        |
| MongoDB down                | the batch or sweep fails, no file stays  | the same attempt again |
| browser killed in a search  | another one; killed again: told, counted | the next attempt       |
| login lost                  | told once, counted with its reason       | the next attempt       |
| disk full                   | videos stay due, no try is spent         | stored                 |
| video cut off               | tried again, then failed with the reason | stored                 |
| video truncated             | refused                                  |                        |
| yt-dlp error that can heal  | tried again, then failed with the reason | stored                 |
| yt-dlp error that cannot    | refused with its class                   |                        |
| vision talks nonsense       | refused, never accepted                  | the next video         |
| one goal's search breaks    | counted with its reason                  | others are not held up |
| a step hangs                | ended, tried again, then failed          | stored                 |
"""

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
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

from footy_assets.clock import ManualClock
from footy_assets.discovery.posts import Window
from footy_assets.discovery.query import GoalQuery
from footy_assets.discovery.sources import Found, Progress, VideoSource
from footy_assets.errors import DownloadUnavailable, S3Unavailable
from footy_assets.matchday.goal import GoalEvent
from footy_assets.matchday.sighting import Side
from footy_assets.media.examine import Examined, FileExaminer
from footy_assets.media.verdict import validator
from footy_assets.operations.clips import ClipWork
from footy_assets.operations.search_sources import Sweep
from footy_assets.operations.searching import Searched, Searcher, SearchRules
from footy_assets.operations.source_health import source_works
from footy_assets.progress import Watch
from footy_assets.sim.loopback import Loopback
from footy_assets.sim.vision import VisionServer
from footy_assets.store.collections import ATTEMPTS, EVENTS, VIDEOS, Document
from footy_assets.store.documents import goal_from
from footy_assets.store.leases import Leases
from footy_assets.store.searches import SearchStore
from footy_assets.store.source_health import SourceHealth
from footy_assets.store.spending import Cap, Spending
from footy_assets_tests.operations.clip_bench import LENIENT, ClipBench
from footy_assets_tests.operations.test_searching import Board, post
from footy_assets_tests.operations.video_host import VideoSite
from footy_assets_tests.resources.fans import post as fan_post
from footy_assets_tests.resources.fans import show
from footy_assets_tests.resources.fans import site as make_site
from footy_assets_tests.store.goals import GOAL, STABLE, put_goal
from resources.chromium.launch import BrowserOptions
from resources.chromium.processes import pids_using
from resources.chromium.session import BrowserSession
from resources.clip_store import ClipStore
from resources.downloads import Downloader
from resources.embedded.mongod import embedded_mongo
from resources.embedded.shared import Record, SharedServer
from resources.embedded.weed import S3Server, embedded_s3
from resources.pace import Pace
from resources.s3_connection import S3Address, connect
from resources.vision.client import LEASE, VisionClient
from resources.x.source import XSource
from resources.x.visit import Limits

HELD_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


def no_wait(seconds: float) -> None: ...


def tell_nobody(told: str) -> None: ...


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
def site() -> Iterator[tuple[VideoSite, str]]:
    serving = VideoSite()
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
    return replace(bench.work(), fetcher=Downloader(sleep=no_wait))


def video(bench: ClipBench, video_id: str = "x:good") -> Document:
    return bench.database[VIDEOS].find_one({"video_id": video_id}) or {}


def run_with_an_outage(work: ClipWork, goal: GoalEvent, switch: Down) -> None:
    """A batch during which a server dies, right before anything is stored."""
    with work.batch(goal, "run-1") as batch:
        work.take_up(batch)
        work.download(batch, tell_nobody)
        work.examine(batch, tell_nobody)
        work.dedup(batch, tell_nobody)
        switch.kill()
        work.store(batch, tell_nobody)


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
    assert bench.work().documents.goals_with_work() == [], "no run is asked for in the meantime"
    assert no_file_is_left(bench)
    switch.heal()
    bench.run()
    assert bench.videos() == {"x:good": "taken"}
    assert bench.work().documents.goals_with_work() == []


def test_s3_dying_during_the_uploads_spends_no_try(
    bench: ClipBench, frail_s3: tuple[ClipStore, Down]
) -> None:
    store, switch = frail_s3
    bench = with_s3(bench, store)
    bench.choose(good=5, angle=2)
    slept: list[float] = []
    work = replace(bench.work(), sleep=slept.append)
    goal = work.documents.goal(GOAL.key)
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


def test_s2_the_deadline_closes_what_s3_never_took_and_a_person_may_ask_again(
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
    assert (video(bench)["state"], video(bench)["reason"]) == ("failed", "the deadline passed")
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
    goal = work.documents.goal(GOAL.key)
    assert goal is not None
    switch.kill()
    with work.batch(goal, "run-1") as batch:
        work.take_up(batch)
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
    goal = work.documents.goal(GOAL.key)
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
    board = Board(clock, [post(1)])
    searcher = searching(database, clock, board)
    board.meanwhile = switch.kill
    with pytest.raises(PyMongoError):
        list(searcher.sweep(tell_nobody))
    switch.heal()
    board.meanwhile = None
    database[EVENTS].update_one({}, {"$set": {"search.held_until": HELD_LONG_AGO}})
    first = next(iter(searcher.sweep(tell_nobody)))
    assert (first.attempt.number, len(first.chosen)) == (1, 1)


# -- searching -------------------------------------------------------------------------------


def aliases(side: Side) -> tuple[str, ...]:
    return ("Liverpool", "LFC")


def searching(
    database: Database[Document],
    clock: ManualClock,
    source: VideoSource,
    aliases_of: Callable[[Side], tuple[str, ...]] = aliases,
) -> Searcher:
    rules = SearchRules(linger=timedelta(0))
    sweep, health = Sweep([source], no_wait), SourceHealth(database)
    return Searcher(SearchStore(database), sweep, aliases_of, clock, rules, health)


def attempted(searcher: Searcher) -> Searched:
    found = searcher.attempt(GOAL.key, tell_nobody)
    assert found is not None
    return found


def outcome(database: Database[Document], number: int) -> str:
    return str((database[ATTEMPTS].find_one({"number": number}) or {})["outcome"])


@contextmanager
def x_in_a_browser(clock: ManualClock) -> Iterator[tuple[Any, BrowserSession, XSource, Any]]:
    with make_site() as site:
        site.clock = clock
        session = {"token": site.new_session()}

        def cookies() -> list[dict[str, str]]:
            return [{"name": "auth_token", "value": session["token"], "url": site.url}]

        with BrowserSession(BrowserOptions(cookies=cookies)) as browser:  # type: ignore[arg-type]
            limits = Limits(appears=6.0, more=2.0)
            pace = Pace("X", 1_000, clock)
            source = XSource(browser, site.url, clock=clock, pace=pace, limits=limits)
            yield site, browser, source, session


def kill_browser(browser: BrowserSession) -> None:
    if browser.profile is not None:
        for pid in pids_using(browser.profile):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


@dataclass
class Cruel:
    """X in a browser that is killed whenever a page has answered."""

    source: XSource
    browser: BrowserSession
    name: str = "x"

    def search(self, query: GoalQuery, window: Window, on_progress: Progress) -> Found:
        def kill(told: str) -> None:
            if told.startswith("opening X"):
                kill_browser(self.browser)

        return self.source.search(query, window, kill)


def test_a_browser_killed_in_mid_search_is_replaced_or_told(
    database: Database[Document],
) -> None:
    put_goal(database)
    clock = ManualClock(STABLE)
    SearchStore(database).open_searches()
    with x_in_a_browser(clock) as (site, browser, source, _):
        show(site, [fan_post(n, posted_at=STABLE) for n in range(3)])
        site.mood.slow = 0.4
        searcher = searching(database, clock, source)
        Timer(0.9, kill_browser, [browser]).start()
        assert len(attempted(searcher).chosen) == 3, "another browser finished the search"

        clock.advance(60)
        dying = attempted(searching(database, clock, Cruel(source, browser)))
        assert dying.outcome.failed
        clock.advance(60)
        assert not attempted(searcher).outcome.failed
    assert outcome(database, 2).startswith("x: the browser ended twice in one search")
    assert outcome(database, 3) == "found nothing"


def test_s7_a_lost_login_is_told_once_an_outage_and_fails_the_check(
    database: Database[Document],
) -> None:
    put_goal(database)
    clock = ManualClock(STABLE)
    SearchStore(database).open_searches()
    health = SourceHealth(database)
    with x_in_a_browser(clock) as (site, browser, source, session):

        def one_sweep() -> Searched:
            """Each in a sweep of its own: what is told once must outlive it."""
            found = attempted(searching(database, clock, source))
            clock.advance(60)
            return found

        def log_in() -> None:
            session["token"] = site.new_session()
            browser.close()

        assert one_sweep().outcome.alerts == ()
        assert source_works(health, "x").passed
        site.drop_login()
        lost = [one_sweep() for _ in range(3)]
        assert [len(found.outcome.alerts) for found in lost] == [1, 0, 0]
        assert "footy login x" in lost[0].outcome.alerts[0]
        assert all(found.outcome.failed for found in lost), "S7: no empty results"
        finding = source_works(health, "x")
        assert not finding.passed
        assert finding.details["needs_person"]
        assert "3 searches failed" in finding.summary
        log_in()
        show(site, [fan_post(1, posted_at=clock.now())])
        assert len(one_sweep().chosen) == 1
        assert source_works(health, "x").passed
        site.drop_login()
        assert len(one_sweep().outcome.alerts) == 1, "another outage is told about again"
    assert outcome(database, 2).startswith("x: X ")
    assert goal_from(database[EVENTS].find_one({}) or {}).attempts_counted == 5


def test_s2_one_goal_s_broken_search_counts_and_holds_up_no_other(
    database: Database[Document],
) -> None:
    put_goal(database)
    put_goal(database, replace(GOAL, key="goal-b", event_id="5000_33_9_Goal_1", team_id=33))

    def broken_for_liverpool(side: Side) -> tuple[str, ...]:
        if side.id == 40:
            raise KeyError("words")
        return aliases(side)

    clock = ManualClock(STABLE)
    searcher = searching(database, clock, Board(clock), broken_for_liverpool)
    done = list(searcher.sweep(tell_nobody))
    assert {one.attempt.goal.key for one in done} == {"goal-a", "goal-b"}
    rows = {d["goal_key"]: d["outcome"] for d in database[ATTEMPTS].find({"number": 1})}
    assert rows == {"goal-a": "KeyError: 'words'", "goal-b": "found nothing"}


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
    bench: ClipBench, site: tuple[VideoSite, str], small_disk: Path
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
def test_d1_a_download_that_fails_is_tried_again_and_then_given_up_with_its_reason(
    bench: ClipBench, site: tuple[VideoSite, str], fault: Any
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


def test_v1_a_truncated_video_is_refused(bench: ClipBench, site: tuple[VideoSite, str]) -> None:
    serving, url = site
    work = choose(bench, url, "good", "angle")
    serving.faults = {"good": "half"}
    bench.run(work)
    assert bench.videos() == {"x:angle": "taken", "x:good": "refused"}
    assert video(bench)["reason"]


@pytest.mark.parametrize(("status", "cause"), [(404, "removed"), (451, "geo_blocked")])
def test_d1_what_yt_dlp_says_cannot_heal_is_refused(
    bench: ClipBench, site: tuple[VideoSite, str], status: int, cause: str
) -> None:
    serving, url = site
    work = choose(bench, url, "good")
    serving.faults = {"good": status}
    bench.run(work)
    assert (video(bench)["state"], video(bench)["reason"]) == ("refused", cause)


# -- judging ---------------------------------------------------------------------------------


def test_v1_a_vision_model_that_talks_nonsense_accepts_nothing(
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
        examiner = FileExaminer(validator(eyes, instead=True), LENIENT)
        work = replace(bench.work(), examiner=examiner)
        bench.choose(good=1)
        server.spoil("prose", "html", "wrong_type", "cut_off")
        bench.run(work)
        assert video(bench)["state"] == "refused"
        assert video(bench)["reason"].startswith("could not be judged")
        assert len(server.asked) == 4, "P4: four tries"
        assert not bench.clips()
        bench.choose(angle=1)
        bench.run(work)
    assert bench.videos() == {"x:angle": "taken", "x:good": "refused"}


def test_p3_a_step_that_hangs_is_ended_and_its_video_tried_again(bench: ClipBench) -> None:
    bench.choose(good=1)
    released = Event()

    class Hanging:
        def examine(self, path: Path, elapsed: int, extra: int | None) -> Examined:
            released.wait(30)
            raise AssertionError("nobody waits for this any more")

    ticks = iter(range(0, 100_000, 50))

    def hurried() -> Watch:
        return Watch(monotonic=lambda: float(next(ticks)))

    work = replace(bench.work(), examiner=Hanging(), new_watch=hurried)
    for _ in range(3):
        bench.run(work)
    released.set()
    stuck = video(bench)
    assert (stuck["state"], stuck["tries"]) == ("chosen", 3)
    assert stuck["last_error"] == "judging: no progress within 100 s"
    bench.run()
    assert video(bench)["state"] == "failed"
    assert video(bench)["detail"] == "judging: no progress within 100 s"
    assert SearchStore(bench.database).open_searches() == 1
    assert SearchStore(bench.database).make_due(GOAL.key, STABLE)
    bench.run()
    assert bench.videos() == {"x:good": "taken"}, "by hand, once it is mended"
