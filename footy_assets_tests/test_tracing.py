"""Traces from the poll to the clip, as a collector receives them."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from pymongo.database import Database

from footy_assets import tracing
from footy_assets.clock import ManualClock
from footy_assets.matchday.store.documents import goal_from
from footy_assets.search.searcher import Searcher, SearchRules
from footy_assets.search.store.searches import SearchStore
from footy_assets.search.store.site_health import SiteHealth
from footy_assets.search.sweep import Sweep
from footy_assets.sim import goal
from footy_assets.store.collections import ATTEMPTS, CLIPS, EVENTS, VIDEOS, Document
from footy_assets.tracing import ENDPOINT, span, start_tracing, stop_tracing, traceparent
from footy_assets_tests.clips.clip_harness import ClipHarness
from footy_assets_tests.clips.traced_worker import work_with_traces
from footy_assets_tests.fixtures.otlp_receiver import OtlpReceiver, otlp_receiver
from footy_assets_tests.forked import exit_code, fork
from footy_assets_tests.matchday.goals import GOAL, STABLE, put_goal
from footy_assets_tests.matchday.harness import MatchdayHarness
from footy_assets_tests.search.test_searcher import FakeSite, aliases, post
from resources.embedded.weed import S3Server
from resources.s3.clip_store import ClipStore


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[OtlpReceiver]:
    with otlp_receiver() as running:
        monkeypatch.setenv(ENDPOINT, running.url)
        yield running
        stop_tracing()


def test_without_an_endpoint_nothing_is_recorded(
    harness: MatchdayHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(ENDPOINT, raising=False)
    start_tracing("footy")
    assert tracing._tracer is None
    assert span("poll") is span("goal", None, event_id="e"), "nothing is made for a span"
    assert traceparent() is None
    see_a_goal(harness)
    assert [found.traceparent for found in harness.goals()] == [None]


def see_a_goal(harness: MatchdayHarness) -> None:
    salah = goal(31, team=40, player=234, name="M. Salah")
    harness.put(status="1H", elapsed=10)
    harness.track()
    harness.put_and_poll({"status": "1H", "elapsed": 32, "goals": [salah]})


def test_a_goal_begins_a_trace_in_the_poll_that_sees_it_first(
    harness: MatchdayHarness, receiver: OtlpReceiver
) -> None:
    start_tracing("footy-test")
    see_a_goal(harness)
    harness.poll()
    stop_tracing()
    (found,) = harness.goals()
    (begun,) = receiver.named("goal")
    assert (found.traceparent or "").startswith(f"00-{begun.trace}-{begun.id}-")
    assert begun.parent in {poll.id for poll in receiver.named("poll")}
    assert begun.attributes == {"event_id": found.event_id, "fixture_id": found.fixture_id}
    assert receiver.paths == {"/v1/traces"}
    assert {one.service for one in receiver.spans} == {"footy-test"}


@pytest.mark.slow
def test_search_and_clips_continue_the_trace_of_their_goal_in_other_processes(
    database: Database[Document],
    clip_store: ClipStore,
    mongo_uri: str,
    s3: S3Server,
    tmp_path: Path,
    receiver: OtlpReceiver,
) -> None:
    start_tracing("a process")
    with span("goal"):
        begun = traceparent()
    assert begun is not None
    put_goal(database, replace(GOAL, traceparent=begun))
    clock = ManualClock(STABLE)
    posts = [post(1, video_url="film:good", duration=6.0)]
    searcher = Searcher(
        SearchStore(database),
        Sweep([FakeSite(clock, posts)], clock.sleep),
        aliases,
        clock,
        SearchRules(),
        SiteHealth(database),
    )
    SearchStore(database).open_searches()
    clock.at += timedelta(seconds=1)
    assert searcher.attempt(GOAL.key, lambda _: None) is not None
    stop_tracing()

    clips = ClipHarness(database, clip_store, tmp_path)
    options = clips.worker_options(mongo_uri, s3, "")
    assert exit_code(fork(work_with_traces, options, receiver.url)) == 0
    assert len(clips.clips()) == 1

    trace = begun.split("-")[1]
    by_name = {one.name: one for one in receiver.spans}
    assert {one.trace for one in receiver.spans} == {trace}
    assert set(by_name) == {"goal", "search", "download", "validate", "dedup", "publish"}
    assert by_name["search"].parent == by_name["goal"].id == by_name["publish"].parent
    assert by_name["download"].parent == by_name["validate"].parent == by_name["search"].id
    assert (by_name["search"].service, by_name["publish"].service) == (
        "a process",
        "another process",
    )
    attempt, video, clip = (database[name].find_one() or {} for name in (ATTEMPTS, VIDEOS, CLIPS))
    assert attempt["traceparent"] == video["traceparent"]
    assert video["traceparent"].split("-")[1:3] == [trace, by_name["search"].id]
    assert clip["traceparent"].split("-")[1:3] == [trace, by_name["publish"].id]
    assert goal_from(database[EVENTS].find_one() or {}).traceparent == begun


@pytest.mark.slow
def test_a_collector_that_does_not_answer_delays_no_work(
    harness: MatchdayHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    with otlp_receiver() as gone:
        monkeypatch.setenv(ENDPOINT, gone.url)
    start_tracing("footy")
    see_a_goal(harness)
    assert harness.goals()[0].traceparent is not None
    stop_tracing()
    assert tracing._tracer is None
